//! The streams of two PEs make different calls.

use shmem::prelude::*;

#[shmem::main(npes = 2)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    if world.my_pe() == 0 {
        collective!(stream; barrier);
    } else {
        collective!(stream; sync); // a mistake
    }
    let result = stream.synchronize();
    if world.my_pe() == 0
        && let Err(error) = result
    {
        println!("{error}");
    }
    Ok(())
}
