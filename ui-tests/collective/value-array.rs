use shmem::prelude::*;

fn main() {
    let row = [1.0; 4];
    collective!(sum row);
}
