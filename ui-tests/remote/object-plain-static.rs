use shmem::prelude::*;

static PLAIN: [f64; 16] = [0.0; 16];

fn main() {
    remote!(PLAIN[0, 3]);
}
