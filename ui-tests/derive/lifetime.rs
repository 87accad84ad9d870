use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Name<'a> {
    text: &'a u8,
}

fn main() {}
