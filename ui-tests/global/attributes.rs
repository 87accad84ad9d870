use shmem::Halo;
use shmem::prelude::*;

#[symmetric(halo = Halo::fixed(1))]
static WHOLE: [f64; 100] = [0.0; 100];
#[symmetric(cyclic, halo = Halo::fixed(1))]
static TURNS: [f64; 100] = [0.0; 100];
#[symmetric(block, halo = 1)]
static WIDTH: [f64; 100] = [0.0; 100];

#[shmem::main]
fn main() {}
