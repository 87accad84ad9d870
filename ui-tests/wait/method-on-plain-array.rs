use shmem::prelude::*;

#[symmetric]
static COUNTS: [u64; 8] = [0; 8];

fn main() {
    local!(&COUNTS[..]).wait_until_all(Comparison::Ge, 3);
}
