use shmem::prelude::*;

fn main() {
    collective!(exscan "text");
}
