use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    world.barrier();
}
