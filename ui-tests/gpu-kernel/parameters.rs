// What a kernel takes.
use shmem::prelude::*;

#[shmem::gpu::kernel]
fn sums(values: &[f32], total: &mut f32, name: String) {}

#[shmem::gpu::kernel]
fn of_flags(flags: Global<bool>, cells: Global<Atomic<f32>>) {}

#[shmem::main]
fn main() {}
