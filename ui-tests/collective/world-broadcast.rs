use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    let _ = world.broadcast(1.0, 0);
}
