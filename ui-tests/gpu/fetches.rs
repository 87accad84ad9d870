// Fetches are of cells, and go where elements of their type are.
use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let plain = gpu.zeros::<u64, 1>([8])?;
    let cells = gpu.zeros::<Atomic<u64>, 1>([8])?;
    let floats = gpu.zeros::<Atomic<f64>, 1>([8])?;
    let narrow = gpu.zeros::<u32, 1>([8])?;
    remote!(stream; plain[0, 1] = remote!(stream; &plain[0, 0]).fetch_add(1));
    remote!(stream; plain[0, 1] = remote!(stream; &cells[0, ..]).fetch_add(1));
    remote!(stream; narrow[0, 1] = remote!(stream; &cells[0, 0]).fetch_add(1));
    remote!(stream; &floats[0, 0]).fetch_and(1.0).get();
    Ok(())
}
