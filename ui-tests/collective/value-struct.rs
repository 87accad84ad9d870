use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    mass: f64,
}

fn main() {
    let body = Body { mass: 1.0 };
    collective!(sum body);
}
