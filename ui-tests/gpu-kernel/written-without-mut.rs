// A device array that the kernel writes to is declared `mut`.
use shmem::prelude::*;

#[shmem::gpu::kernel]
fn wrong(row: Global<f32>, counts: Global<Atomic<u32>>) {
    local!(row[0]) = 1.0;
    remote!(counts[0, 1]) += 1;
    let before = local!(&counts[0]).fetch_add(1);
    local!(row[1]) = before as f32;
}

#[shmem::main]
fn main() {}
