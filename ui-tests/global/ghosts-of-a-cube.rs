use shmem::Halo;
use shmem::prelude::*;

#[symmetric(block, halo = Halo::fixed(1))]
static CUBE: [[[f64; 4]; 4]; 4] = [[[0.0; 4]; 4]; 4];

#[shmem::main]
fn main() {}
