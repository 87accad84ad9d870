use shmem::prelude::*;

#[symmetric]
fn step() {}

fn main() {}
