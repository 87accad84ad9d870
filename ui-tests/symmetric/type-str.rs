use shmem::prelude::*;

#[symmetric]
static NAME: str = *"name";

fn main() {}
