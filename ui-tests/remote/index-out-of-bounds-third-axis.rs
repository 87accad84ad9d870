use shmem::prelude::*;

#[symmetric]
static CUBE: [[[u32; 4]; 3]; 2] = [[[0; 4]; 3]; 2];

fn main() {
    remote!(CUBE[0, 1, 2, 4] = 1);
}
