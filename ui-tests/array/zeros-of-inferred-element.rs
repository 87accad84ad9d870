use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    let array = world.zeros([8]).unwrap();
    let _ = array.len();
}
