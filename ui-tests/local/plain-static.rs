use shmem::prelude::*;

static PLAIN: u64 = 0;

fn main() {
    local!(PLAIN = 3);
}
