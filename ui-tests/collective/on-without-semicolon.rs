use shmem::prelude::*;

fn main() {
    let x = 1.0;
    let team = 0;
    collective!(sum x on team);
}
