use shmem::prelude::*;

fn main() {
    let values = [0.0; 16];
    remote!(values[0, 3] = 1.0);
}
