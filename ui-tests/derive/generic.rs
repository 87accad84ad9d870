use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Pair<T> {
    a: T,
    b: T,
}

fn main() {}
