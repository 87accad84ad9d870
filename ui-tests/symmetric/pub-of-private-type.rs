use shmem::prelude::*;

#[derive(Clone, Copy)]
pub struct Body {
    mass: f64,
}

#[symmetric]
pub static BODIES: [[Body; 2]; 2] = [[Body { mass: 1.0 }; 2]; 2];

fn main() {}
