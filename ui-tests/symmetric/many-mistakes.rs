// Every mistake is reported, each at its own place.
use shmem::prelude::*;

#[symmetric(align = 64)]
static mut NAMES: [PerPe<&str>; 4] = [""; 4];

fn main() {}
