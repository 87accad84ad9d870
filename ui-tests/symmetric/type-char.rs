use shmem::prelude::*;

#[symmetric]
static LETTER: char = 'a';

fn main() {}
