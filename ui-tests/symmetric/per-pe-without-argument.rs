use shmem::prelude::*;

#[symmetric]
static SLOTS: PerPe = PerPe::new(0);

fn main() {}
