use shmem::prelude::*;

fn main() {
    wait!();
}
