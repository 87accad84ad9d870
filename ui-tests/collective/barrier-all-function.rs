use shmem::prelude::*;

#[shmem::main]
fn main() {
    barrier_all();
}
