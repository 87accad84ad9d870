use shmem::prelude::*;

#[symmetric]
static FLAGS: [Atomic<u64>; 8] = [Atomic::new(0); 8];

fn main() {
    local!(&FLAGS[..]).wait_until(Comparison::Ge, 3);
}
