#![deny(unused_must_use)]
use shmem::prelude::*;

fn main() {
    collective!(broadcast 3 from 0);
}
