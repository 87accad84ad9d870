use shmem::prelude::*;

use std::num::NonZero;

#[symmetric]
static FIRST: NonZero<u64> = NonZero::new(1).unwrap();

fn main() {}
