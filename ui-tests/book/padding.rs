//! A struct with padding.

use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    kind: u32,
    mass: f64,
}

#[shmem::main]
fn main() {}
