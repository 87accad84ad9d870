use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    hits: Atomic<u64>,
}

fn main() {}
