// Every mistake of a call is reported, each at its own place.
use shmem::prelude::*;

#[symmetric]
static CUBE: [[[u32; 4]; 3]; 2] = [[[0; 4]; 3]; 2];

fn main() {
    remote!(CUBE[0, 2, 0..4, 4..3]);
}
