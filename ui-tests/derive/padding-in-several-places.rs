use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    kind: u8,
    mass: f64,
    charge: u16,
    id: u32,
    flag: u8,
}

fn main() {}
