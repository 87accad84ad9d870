use shmem::context::Shared;
use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];

#[shmem::main]
fn main(world: &World) {
    let reference = {
        let ctx = world.team().context(Shared).unwrap();
        remote!(ctx; &A[0, 1..3])
    };
    reference.put([1, 2]);
}
