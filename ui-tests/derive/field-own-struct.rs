use shmem::prelude::*;

#[derive(Clone, Copy)]
#[repr(C)]
struct Point {
    x: f64,
}

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    at: Point,
}

fn main() {}
