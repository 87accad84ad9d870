use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
union Bits {
    float: f64,
    bits: u64,
}

fn main() {}
