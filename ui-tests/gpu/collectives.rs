// What a stream has no collective call for.
use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let array = gpu.zeros::<u64, 1>([8])?;
    collective!(stream; array[..] = scan array[..]);
    collective!(stream; sum 1);
    collective!(stream; array[..] = reduce_scatter array[..]);
    collective!(stream; array[..] = reduce_scatter broadcast array[..]);
    collective!(stream; array[..] = sum array[..] to 0);
    Ok(())
}
