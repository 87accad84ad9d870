use shmem::prelude::*;

#[derive(Clone, Symmetric)]
#[repr(C)]
struct Body {
    trace: Vec<f64>,
}

fn main() {}
