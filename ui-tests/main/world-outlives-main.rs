use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    let _forever: &'static World = world;
}
