use shmem::prelude::*;

#[symmetric]
#[derive(Clone, Copy)]
struct Body {
    mass: f64,
}

fn main() {}
