use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    name: &'static u8,
}

fn main() {}
