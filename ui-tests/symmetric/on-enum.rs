use shmem::prelude::*;

#[symmetric]
enum Phase {
    Idle,
}

fn main() {}
