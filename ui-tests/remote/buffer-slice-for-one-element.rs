use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    let mut buffer = vec![0.0; 4];
    remote!(ROW[0, 3] => &mut buffer);
}
