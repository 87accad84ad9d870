use shmem::prelude::*;

fn main() {
    let x = 1.0;
    collective!(collect x);
}
