// Other PEs may update the same element at the same time.
use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let counts = gpu.zeros::<u64, 1>([8])?;
    remote!(stream; counts[0, 1]) += 1;
    Ok(())
}
