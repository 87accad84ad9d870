// rustc checks what is in the subset: here it speaks at the user's tokens.
use shmem::prelude::*;

#[symmetric]
static COUNT: u32 = 0;

#[shmem::gpu::kernel]
fn wrong(row: Global<f32>, mut out: Global<i32>, n: usize) {
    local!(out[0]) = local!(row[0]);
    local!(row[0]) = 1.0;
    local!(out[n as i32]) = 3;
    remote!(out[1_u32, 0]) = 3;
    let x = n + 1_u32;
    let y: u32 = unknown;
    let z = COUNT;
    let mut tile = shared::<[f32; 4]>();
    local!(tile[0]) = n;
    local!(row[0]) = if n == 0 { 1.0 } else { n };
}

#[shmem::main]
fn main() {}
