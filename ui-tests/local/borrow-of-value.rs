// A `&mut` of the value is a temporary, not the object.
use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    let element: &mut f64 = &mut local!(ROW[3]);
    *element = 1.0;
    let never: () = element;
}
