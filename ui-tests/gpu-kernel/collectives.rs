// Collective calls of a kernel: what the macro says, and what rustc says of types.
use shmem::prelude::*;

#[shmem::gpu::kernel]
fn norms(row: Global<f32>, mut sums: Global<f32>, counts: Global<u32>, team: GpuTeam) {
    collective!(block; sum row[0]);
    collective!(block; sums[..] = allreduce row[..]);
    collective!(block; sums[..] = xor row[..]);
    collective!(block; sums[..] = sum row[..]; on row);
    collective!(block; sums[..] = broadcast row[..]; on team);
}

#[shmem::gpu::kernel]
fn mixed(row: Global<f32>, mut counts: Global<u32>, team: GpuTeam) {
    collective!(block; counts[..] = sum row[..]);
    collective!(block; row[..] = max row[..]; on team);
    collective!(counts[..] = broadcast counts[..] from 0_i32);
}

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (stream, row) = (gpu.stream()?, gpu.zeros::<f32, 1>([8])?);
    let counts = gpu.zeros::<u32, 1>([8])?;
    mixed.launch(&stream, 1, 8, (&row, &counts, world.team()))?;
    stream.synchronize()
}
