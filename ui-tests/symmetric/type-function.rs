use shmem::prelude::*;

#[symmetric]
static STEP: fn() = main;

fn main() {}
