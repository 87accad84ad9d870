#![forbid(unsafe_code)]
use shmem::select::{One, Selection};

// A selection that places its element somewhere else.
#[derive(Clone, Copy)]
struct Elsewhere;

impl Selection<()> for Elsewhere {
    type Form = One;
}

fn main() {}
