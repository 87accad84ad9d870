use shmem::prelude::*;

#[symmetric]
mod statics {}

fn main() {}
