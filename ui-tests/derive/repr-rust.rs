use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(align(16))]
struct Body {
    mass: [f64; 2],
}

fn main() {}
