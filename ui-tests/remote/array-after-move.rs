use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let grid = world.symmetric_array::<f64, 1>([8], 0.0).unwrap();
    let _moved = grid;
    remote!(grid[0, 3]);
}
