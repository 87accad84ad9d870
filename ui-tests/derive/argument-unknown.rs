use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[symmetric(align = 64)]
#[repr(C)]
struct Body {
    mass: f64,
}

fn main() {}
