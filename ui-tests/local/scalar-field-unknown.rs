use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Point {
    x: f64,
    y: f64,
}

#[symmetric]
static ORIGIN: Point = Point { x: 0.0, y: 0.0 };

fn main() {
    let x = local!(ORIGIN.z);
}
