// `pairwise` takes the operation as its next word, gives the result to all PEs, and the lengths must fit.
use shmem::prelude::*;

#[symmetric]
static PARTS: [f64; 6] = [0.0; 6];
#[symmetric]
static SUMS: [f64; 4] = [0.0; 4];

fn main() {
    let sum = collective!(pairwise local!(PARTS[0]));
    let bits = collective!(pairwise xor 1.5);
    collective!(SUMS[..] = pairwise sum PARTS[0..4] to 0);
    collective!(SUMS[..] = pairwise sum PARTS[..]);
}
