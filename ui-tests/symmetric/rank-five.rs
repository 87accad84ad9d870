use shmem::prelude::*;

#[symmetric]
static DEEP: [[[[[u8; 2]; 2]; 2]; 2]; 2] = [[[[[0; 2]; 2]; 2]; 2]; 2];

fn main() {}
