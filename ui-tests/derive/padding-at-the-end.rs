use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    mass: f64,
    kind: u32,
}

fn main() {}
