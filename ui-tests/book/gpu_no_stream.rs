//! A device array without a stream.

use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let heat = gpu.zeros::<f64, 1>([8])?;
    println!("{}", remote!(heat[0, 3]));
    Ok(())
}
