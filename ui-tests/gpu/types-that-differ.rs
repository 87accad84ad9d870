// Both sides have elements of one type.
use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let (to, from) = (gpu.zeros::<f32, 1>([8])?, gpu.zeros::<f64, 1>([8])?);
    remote!(stream; to[0, ..]) = &from[..];
    Ok(())
}
