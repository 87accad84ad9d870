use shmem::prelude::*;

fn main() {
    collective!(barrier 3);
}
