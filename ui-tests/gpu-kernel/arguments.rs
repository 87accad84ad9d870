// The arguments of a launch have the types and ranks of the parameters.
use shmem::prelude::*;

#[shmem::gpu::kernel]
fn fill(mut row: Global<f32>, value: f32, count: usize) {
    if global_index() < count {
        local!(row[global_index()]) = value;
    }
}

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let row = gpu.zeros::<f32, 1>([8])?;
    let grid = gpu.zeros::<f32, 2>([8, 8])?;
    let wide = gpu.zeros::<f64, 1>([8])?;
    fill.launch(&stream, 1, 8, (&grid, 1.0, 8))?;
    fill.launch(&stream, 1, 8, (&wide, 1.0, 8))?;
    fill.launch(&stream, 1, 8, (&row, 1.0_f64, 8))?;
    fill.launch(&stream, 1, 8, (&row, 1.0, -1_i32))?;
    fill.launch(&stream, 1, 8, (&row, 1.0))?;
    fill.launch(&stream, 1, 8, &row)?;
    Ok(())
}
