#![deny(unused_must_use)]

use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    world.allocate().align(64);
}
