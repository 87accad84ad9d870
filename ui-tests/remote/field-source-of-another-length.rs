use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    pos: [f64; 3],
    mass: f64,
}

const AT_REST: Body = Body { pos: [0.0; 3], mass: 1.0 };

#[symmetric]
static BODIES: [Body; 8] = [AT_REST; 8];

fn main() {
    remote!(BODIES[0, 0..4].mass = [1.0; 3]);
}
