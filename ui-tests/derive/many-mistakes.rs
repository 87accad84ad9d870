// Every mistake is reported, each at its own place.
use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(packed)]
struct Pair<T> {
    a: T,
}

fn main() {}
