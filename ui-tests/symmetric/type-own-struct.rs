use shmem::prelude::*;

#[derive(Clone, Copy)]
struct Body {
    mass: f64,
}

#[symmetric]
static BODY: Body = Body { mass: 1.0 };

fn main() {}
