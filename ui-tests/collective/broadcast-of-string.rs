use shmem::prelude::*;

fn main() {
    collective!(broadcast String::from("text") from 0);
}
