use shmem::prelude::*;

#[symmetric]
static A: [[f64; 128]; 256] = [[0.0; 128]; 256];

#[shmem::main]
fn main() {
    let _large = remote!(A[0, 64.., ..;2]);
}
