// The lengths of constant selections are compared by the compiler.
use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let (to, from) = (gpu.zeros::<f32, 1>([8])?, gpu.zeros::<f32, 1>([8])?);
    remote!(stream; to[0, 0..4]) = &from[0..5];
    Ok(())
}
