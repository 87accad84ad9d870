use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    let (i, j) = (3, 4);
    let some = remote!(&ROW[0, [i, j]]);
    some.put([1.0, 2.0]);
}
