use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

const LAST: usize = 7;

fn main() {
    remote!(ROW[0, 2 * LAST + 2]);
}
