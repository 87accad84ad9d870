use shmem::prelude::*;

#[symmetric]
static ANY: dyn Send = 3;

fn main() {}
