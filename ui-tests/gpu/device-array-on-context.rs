// A context is no stream.
use shmem::context::Private;
use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let inbox = world.gpu()?.zeros::<f32, 1>([8])?;
    let ctx = world.team().context(Private)?;
    remote!(ctx; inbox[0, 3]) = 1.0;
    Ok(())
}
