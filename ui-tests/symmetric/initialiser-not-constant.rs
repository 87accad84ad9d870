use shmem::prelude::*;

fn start() -> u64 {
    7
}

#[symmetric]
static COUNT: u64 = start();

fn main() {}
