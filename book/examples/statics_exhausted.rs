//! A symmetric heap that is too small.

use shmem::prelude::*;

// ANCHOR: all
#[shmem::main(heap = "1M")]
fn main(world: &World) {
    match world.symmetric_array::<f64, 1>([1 << 20], 0.0) {
        Ok(array) => println!("{} elements on each PE", array.len()),
        Err(error) if world.my_pe() == 0 => println!("{error}"),
        Err(_) => {}
    }
}
// ANCHOR_END: all
