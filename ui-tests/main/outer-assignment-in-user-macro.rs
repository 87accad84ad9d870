use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

macro_rules! twice {
    ($($body:tt)*) => {
        $($body)*
        $($body)*
    };
}

#[shmem::main]
fn main() {
    twice! { remote!(COUNT[0]) = 0; }
}
