use shmem::prelude::*;

#[symmetric]
static TIMES: [Atomic<f64>; 4] = [Atomic::new(0.0); 4];

fn main() {
    let before = remote!(&TIMES[0, 1]).fetch_and(1.0);
}
