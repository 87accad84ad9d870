use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[symmetric]
static COUNTS: [Atomic<u64>; 16] = [Atomic::new(0); 16];

#[shmem::main]
fn main() {
    remote!(COUNTS[0, [3, 1]]) += 1;
    let list = [1, 2];
    remote!(&COUNTS[0, @list]).fetch_add(1);
}
