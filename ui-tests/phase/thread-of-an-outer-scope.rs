use shmem::prelude::*;

#[symmetric]
static DATA: [u64; 8] = [0; 8];

#[shmem::main]
fn main(world: &World) {
    std::thread::scope(|scope| {
        world.local_phase(|p| {
            scope.spawn(move || DATA.as_mut_slice(p)[0] = 1);
        });
    });
}
