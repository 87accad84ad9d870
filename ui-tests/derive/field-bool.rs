use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    mass: f64,
    fixed: bool,
}

fn main() {}
