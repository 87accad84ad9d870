use shmem::prelude::*;

#[symmetric]
static NAMES: [&'static str; 4] = [""; 4];

fn main() {}
