use shmem::prelude::*;

fn main() {
    collective!(sum);
}
