use shmem::prelude::*;

#[symmetric]
static DONE: [bool; 4] = [false; 4];

fn main() {}
