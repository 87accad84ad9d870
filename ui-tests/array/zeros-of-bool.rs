use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let flags = world.zeros::<bool, 1>([8]);
}
