use shmem::prelude::*;

#[symmetric]
static COUNTS: [Atomic<u64>; 8] = [Atomic::new(0); 8];

#[shmem::main]
fn main(world: &World) {
    world.local_phase(|p| COUNTS.as_mut_slice(p).len());
}
