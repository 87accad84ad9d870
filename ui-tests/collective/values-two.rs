use shmem::prelude::*;

fn main() {
    collective!(sum 1, 2);
}
