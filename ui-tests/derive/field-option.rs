use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    next: Option<u32>,
}

fn main() {}
