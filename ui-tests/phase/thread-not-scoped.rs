use shmem::prelude::*;

#[symmetric]
static DATA: [u64; 8] = [0; 8];

#[shmem::main]
fn main(world: &World) {
    world.local_phase(|p| {
        let mut data = DATA.as_mut_slice(p);
        std::thread::spawn(move || data[0] = 1);
    });
}
