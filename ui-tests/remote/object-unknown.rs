use shmem::prelude::*;

fn main() {
    remote!(ROW[0, 3]);
}
