use shmem::prelude::*;

fn main() {
    let x = [1.0; 2];
    collective!(alltoall x);
}
