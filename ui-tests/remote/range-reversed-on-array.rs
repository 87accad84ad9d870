use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let grid = world.symmetric_array::<f64, 1>([8], 0.0).unwrap();
    remote!(grid[0, 6..2]);
}
