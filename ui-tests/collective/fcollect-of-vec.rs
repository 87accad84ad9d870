use shmem::prelude::*;

fn main() {
    let values = vec![1.0; 4];
    collective!(fcollect values);
}
