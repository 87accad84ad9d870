#![deny(dead_code)]

use shmem::prelude::*;

#[shmem::main]
fn start(world: &World) {
    world.barrier_all();
}

fn main() {}
