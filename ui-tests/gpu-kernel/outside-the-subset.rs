// Each mistake is reported where it stands, with what to write.
use shmem::prelude::*;

#[shmem::gpu::kernel]
fn smooth(row: Global<f32>, mut out: Global<f32>) {
    let i = thread_index();
    let sum = 0.0;
    match i {
        0 => return,
        _ => {}
    }
    for x in &row {}
    let left = row[i - 1];
    let text = format!("{left}");
    local!(out[i, 0]) = left.sin();
}

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (stream, row) = (gpu.stream()?, gpu.zeros::<f32, 1>([8])?);
    smooth.launch(&stream, 1, 8, (&row, &row))?;
    stream.synchronize()
}
