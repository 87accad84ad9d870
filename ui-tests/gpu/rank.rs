// One selector for each axis.
use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let grid = gpu.zeros::<f32, 2>([2, 8])?;
    remote!(stream; grid[0, 3]) = 1.0;
    remote!(stream; grid[0, 1, ..] = &grid[..]);
    Ok(())
}
