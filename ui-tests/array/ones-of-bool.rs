use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let flags = world.ones::<bool, 1>([8]);
}
