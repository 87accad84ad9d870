// `to ready` needs a symmetric destination, and the lengths must fit.
use shmem::prelude::*;

#[symmetric]
static OUT: [u32; 6] = [0; 6];
#[symmetric]
static IN: [u32; 6] = [0; 6];

fn main() {
    let table = collective!(fcollect 1 to ready);
    collective!(IN[..] = alltoall OUT[..] to 0);
    collective!(IN[0..4] = alltoall OUT[0..6] to ready);
}
