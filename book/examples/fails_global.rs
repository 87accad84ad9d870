//! What is refused of global arrays.

use shmem::prelude::*;

// ANCHOR: all
#[shmem::main(heap = "64M")]
fn main(world: &World) -> Result<(), shmem::Error> {
    let line = world.global_array::<f64, 1>([10], Distribution::Block)?;
    let large =
        world.global_array::<f64, 1>([100_000_000], Distribution::Block);
    if world.my_pe() == 0 {
        println!("{}", large.unwrap_err());
        let i = line.len();
        println!("{}", remote!(line[@i]));
    }
    Ok(())
}
// ANCHOR_END: all
