use shmem::prelude::*;

#[symmetric]
static DATA: [u64; 8] = [0; 8];

#[shmem::main]
fn main(world: &World) {
    world.local_phase(|p| {
        let guard = DATA.as_mut_slice(p);
        let data = &guard[..];
        drop(guard);
        println!("{}", data[0]);
    });
}
