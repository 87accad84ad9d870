//! An element type that is not every bit pattern.

use shmem::prelude::*;

#[symmetric]
static DONE: [bool; 4] = [false; 4];

#[shmem::main]
fn main() {}
