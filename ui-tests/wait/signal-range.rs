use shmem::prelude::*;

#[symmetric]
static FLAGS: [Atomic<u64>; 8] = [Atomic::new(0); 8];

fn main() {
    remote!(&FLAGS[1, 0]).put_signal(7, remote!(&FLAGS[1, 1..3]), SignalOp::Set(1));
}
