// A device array is accessed on a stream.
use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let inbox = world.gpu()?.zeros::<f32, 1>([8])?;
    remote!(inbox[0, 3]) = 1.0;
    let all = local!(inbox[..]);
    Ok(())
}
