use shmem::prelude::*;

fn main() {
    local!();
}
