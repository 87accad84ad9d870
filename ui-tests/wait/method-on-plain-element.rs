use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

fn main() {
    local!(&COUNT).wait_until(Comparison::Ge, 3);
}
