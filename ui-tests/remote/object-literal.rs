use shmem::prelude::*;

fn main() {
    remote!(5[0, 3]);
}
