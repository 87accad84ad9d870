use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];

#[shmem::main]
fn main(world: &World) {
    let _ = world;
    remote!(; A[0, 0]) = 1;
}
