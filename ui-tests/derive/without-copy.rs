use shmem::prelude::*;

#[derive(Clone, Symmetric)]
#[repr(C)]
struct Body {
    mass: f64,
}

fn main() {}
