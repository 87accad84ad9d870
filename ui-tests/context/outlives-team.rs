use shmem::context::Shared;
use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];

#[shmem::main]
fn main(world: &World) {
    let ctx = {
        let team = world.team().split_strided(0, 1, 1).unwrap().unwrap();
        team.context(Shared).unwrap()
    };
    remote!(ctx; A[0, 0]) = 1;
}
