use shmem::prelude::*;

fn main() {
    collective!(and true);
}
