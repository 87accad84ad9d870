use shmem::prelude::*;

fn window(world: &World) -> Remote<'static, f64, shmem::select::Many> {
    let grid = world.symmetric_array::<f64, 1>([8], 0.0).unwrap();
    let n = 4;
    remote!(&grid[0, 0..n])
}

fn main() {}
