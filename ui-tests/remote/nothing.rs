use shmem::prelude::*;

fn main() {
    remote!();
}
