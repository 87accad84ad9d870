use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    mass: f64,
}

#[symmetric]
static BODIES: [Body; 4] = [Body { mass: 1.0 }; 4];

fn main() {
    collective!(BODIES[..] = sum BODIES[..]);
}
