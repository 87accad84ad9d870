use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C, packed)]
struct Body {
    kind: u8,
    mass: f64,
}

fn main() {}
