//! A team of the host, on a stream.

use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let sums = gpu.zeros::<f64, 1>([6])?;
    let (pair, _) = world.team().split_2d(2)?;
    collective!(stream; sums[..] = sum sums[..]; on pair);
    Ok(())
}
