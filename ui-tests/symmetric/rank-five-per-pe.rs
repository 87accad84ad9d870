use shmem::prelude::*;

#[symmetric]
static DEEP: PerPe<[[[[u8; 2]; 2]; 2]; 2]> = PerPe::new([[[[0; 2]; 2]; 2]; 2]);

fn main() {}
