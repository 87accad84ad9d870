//! A kernel that goes one element too far.

use shmem::prelude::*;

#[shmem::gpu::kernel]
fn count(mut row: Global<u32>) {
    let i = global_index();
    local!(row[i]) = i as u32;
}

#[shmem::main(npes = 2)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (stream, row) = (gpu.stream()?, gpu.zeros::<u32, 1>([100])?);
    count.launch(&stream, 2, 64, (&row,))?; // 128 threads
    let result = stream.synchronize();
    if world.my_pe() == 0
        && let Err(error) = result
    {
        println!("{error}");
    }
    Ok(())
}
