use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
struct Body {
    mass: f64,
}

fn main() {}
