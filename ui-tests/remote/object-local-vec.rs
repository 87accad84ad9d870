use shmem::prelude::*;

fn main() {
    let values = vec![0.0; 16];
    remote!(values[0, 3]);
}
