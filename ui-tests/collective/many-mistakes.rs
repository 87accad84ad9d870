use shmem::prelude::*;

#[symmetric]
static A: [f64; 16] = [0.0; 16];
#[symmetric]
static B: [f64; 16] = [0.0; 16];

fn main() {
    collective!(A[0..8;0] += sum 2 * B[..]; on);
}
