// A stream reaches device arrays alone.
use shmem::prelude::*;

#[symmetric]
static TABLE: [f32; 8] = [0.0; 8];

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let stream = world.gpu()?.stream()?;
    remote!(stream; TABLE[0, 3]) = 1.0;
    Ok(())
}
