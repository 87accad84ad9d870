// Only kernels are launched, and only kernel functions are called.
use shmem::prelude::*;

fn plain(x: f32) {
    let _ = x;
}

fn double(x: f32) -> f32 {
    2.0 * x
}

#[shmem::gpu::kernel]
fn square(x: f32) -> f32 {
    x * x
}

#[shmem::gpu::kernel]
fn fill(mut row: Global<f32>) {
    local!(row[0]) = double(square(3.0));
}

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let stream = world.gpu()?.stream()?;
    plain.launch(&stream, 1, 1, (3.0,))?;
    square.launch(&stream, 1, 1, (3.0,))?;
    Ok(())
}
