use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    flags: [bool; 4],
}

fn main() {}
