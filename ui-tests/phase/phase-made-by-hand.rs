use shmem::prelude::*;

#[symmetric]
static DATA: [u64; 8] = [0; 8];

#[shmem::main]
fn main() {
    let phase = Phase {};
    DATA.as_mut_slice(&phase)[0] = 1;
}
