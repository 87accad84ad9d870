use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let grid = world.symmetric_array::<f64, 1>([8], 0.0).unwrap();
    let window = remote!(&grid[0, 0..4]);
    grid.free().unwrap();
    window.get();
}
