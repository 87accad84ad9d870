use shmem::prelude::*;

#[symmetric]
static A: [u8; 65_537] = [0; 65_537];

#[shmem::main]
fn main() {
    let _large = remote!(A[0, ..]);
}
