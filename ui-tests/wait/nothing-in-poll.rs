use shmem::prelude::*;

fn main() {
    poll!();
}
