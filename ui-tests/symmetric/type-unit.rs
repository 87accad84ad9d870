use shmem::prelude::*;

#[symmetric]
static NOTHING: () = ();

fn main() {}
