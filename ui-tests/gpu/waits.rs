// What a stream has no wait for.
use shmem::prelude::*;
use shmem::poll;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let flags = gpu.zeros::<Atomic<u64>, 1>([8])?;
    wait!(stream; any flags[..] != 0);
    wait!(stream; all flags[..] != 0; except [true; 8]);
    poll!(stream; flags[0] != 0);
    Ok(())
}
