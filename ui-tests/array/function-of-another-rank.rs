use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let grid = world.array_from_fn::<f64, 2>([4, 4], |[i]| i as f64);
}
