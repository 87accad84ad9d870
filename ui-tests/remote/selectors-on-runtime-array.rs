use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let grid = world.symmetric_array::<f64, 2>([8, 8], 0.0).unwrap();
    remote!(grid[0, 3]);
}
