use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[symmetric]
static NUMBERS: [u32; 16] = [0; 16];

#[shmem::main]
fn main() {
    remote!(ROW[0, 0..4]) = local!(&NUMBERS[0..4]);
}
