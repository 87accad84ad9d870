use shmem::prelude::*;

#[symmetric]
static LEVEL: Atomic<f64> = Atomic::new(0.0);

fn main() {
    wait!(LEVEL > 1.0);
}
