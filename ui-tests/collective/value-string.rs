use shmem::prelude::*;

fn main() {
    collective!(max "text");
}
