use shmem::prelude::*;

fn main() {
    #[symmetric]
    let row = [0.0; 4];
}
