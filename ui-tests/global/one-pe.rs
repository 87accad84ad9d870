use shmem::prelude::*;

#[symmetric(cyclic)]
static CELLS: [Atomic<u64>; 100] = [Atomic::new(0); 100];
#[symmetric(cyclic)]
static LINE: [u64; 100] = [0; 100];

#[shmem::main]
fn main() {
    let _ = remote!(&LINE[@3..7]).pe();
    let _ = remote!(&LINE[@3..7]).as_ptr();
    remote!(&LINE[@3..7]).put_signal([1; 4], remote!(&CELLS[@3]), SignalOp::Add(1));
    remote!(&CELLS[@3..7]).wait_until_all(Comparison::Ne, 0);
    remote!(CELLS[@3..7]) += 1;
}
