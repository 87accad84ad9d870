use shmem::prelude::*;

use std::ops::Range;

#[symmetric]
static WINDOW: Range<usize> = 0..4;

fn main() {}
