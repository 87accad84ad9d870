// A buffer is bytes, and has views with plain elements.
use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let buffer = gpu.buffer(64)?;
    let _ = buffer.view::<Atomic<u64>, 1>(0, [8]);
    let _ = buffer.view::<bool, 1>(0, [8]);
    let _ = buffer.view::<u64, 2>(0, [8]);
    let _ = gpu.zeros::<u64, 1>([8])?.view::<u32, 1>(0, [8]);
    Ok(())
}
