use shmem::prelude::*;

#[symmetric]
static DATA: [u64; 8] = [0; 8];

#[shmem::main]
fn main(world: &World) {
    let data: &mut [u64] = world.local_phase(|p| &mut Box::leak(Box::new(DATA.as_mut_slice(p)))[..]);
    data[0] = 1;
}
