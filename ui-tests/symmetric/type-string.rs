use shmem::prelude::*;

#[symmetric]
static NAME: String = String::new();

fn main() {}
