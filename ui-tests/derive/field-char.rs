use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Letter {
    which: char,
}

fn main() {}
