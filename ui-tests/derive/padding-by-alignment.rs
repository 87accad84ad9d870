use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C, align(16))]
struct Body {
    mass: f64,
}

fn main() {}
