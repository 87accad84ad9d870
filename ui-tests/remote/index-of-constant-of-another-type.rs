use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

const AT: u32 = 3;

fn main() {
    remote!(ROW[0, AT]);
}
