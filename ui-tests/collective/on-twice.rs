use shmem::prelude::*;

fn main() {
    let x = 1.0;
    collective!(sum x; on first; on second);
}
