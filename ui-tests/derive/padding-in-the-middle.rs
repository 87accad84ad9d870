use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    kind: u8,
    mass: f64,
}

fn main() {}
