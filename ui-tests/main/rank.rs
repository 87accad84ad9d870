use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    let _ = world.rank();
}
