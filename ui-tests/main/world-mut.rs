use shmem::prelude::*;

#[shmem::main]
fn main(world: &mut World) {}
