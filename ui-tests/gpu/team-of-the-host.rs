// Streams have teams of their own.
use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let array = gpu.zeros::<u64, 1>([8])?;
    collective!(stream; array[..] = sum array[..]; on world.team());
    Ok(())
}
