use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Bucket {
    lock: Lock,
}

fn main() {}
