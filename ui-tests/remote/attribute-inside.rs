use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

fn main() {
    remote!(
        #[allow(unused)]
        COUNT[0]
    );
}
