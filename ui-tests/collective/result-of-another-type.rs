use shmem::prelude::*;

fn main() {
    let n: usize = collective!(sum 1.5);
}
