//! Ranks that are not cells.

use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let got = world.global_array::<f64, 1>([15], Distribution::Block)?;
    remote!(got[@3]) += 0.5;
    Ok(())
}
