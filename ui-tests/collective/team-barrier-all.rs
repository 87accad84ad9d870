use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    world.team().barrier_all();
}
