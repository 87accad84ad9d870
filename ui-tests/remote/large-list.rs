use shmem::prelude::*;

#[symmetric]
static LARGE: [[u64; 8192]; 4] = [[0; 8192]; 4];

#[shmem::main]
fn main() {
    let rows = remote!(LARGE[0, [1, 3], ..]);
    println!("{rows:?}");
}
