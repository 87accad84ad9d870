use shmem::prelude::*;

#[symmetric]
static A: PerPe<[[u64; 1024]; 9]> = PerPe::new([[0; 1024]; 9]);

#[shmem::main]
fn main() {
    let _large = local!(A[0, .., ..]);
}
