use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let line = world.array_from_fn([4], |i| i as f64);
}
