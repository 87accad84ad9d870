use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    let p = world.local_phase(|p| p);
    println!("{p:?}");
}
