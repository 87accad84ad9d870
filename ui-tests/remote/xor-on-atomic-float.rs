use shmem::prelude::*;

#[symmetric]
static TIMES: [Atomic<f32>; 4] = [Atomic::new(0.0); 4];

fn main() {
    remote!(TIMES[0, 1] ^= 1.0);
    let before = remote!(&TIMES[0, 1]).fetch_or(1.0);
    remote!(&TIMES[0, 1]).xor(2.0);
}
