use shmem::prelude::*;

fn main() {
    let total = [0.0; 4];
    let mine = [1.0; 4];
    collective!(total = sum mine);
}
