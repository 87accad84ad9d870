use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let pairs = world.ones::<[f64; 2], 1>([8]);
}
