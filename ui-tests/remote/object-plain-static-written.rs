use shmem::prelude::*;

static PLAIN: [f64; 16] = [0.0; 16];

fn main() {
    let i = 3;
    remote!(PLAIN[0, i] = 1.0);
}
