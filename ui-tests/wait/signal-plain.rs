use shmem::prelude::*;

#[symmetric]
static FLAGS: [Atomic<u64>; 8] = [Atomic::new(0); 8];
#[symmetric]
static COUNT: u64 = 0;

fn main() {
    remote!(&FLAGS[1, ..]).put_signal(7, remote!(&COUNT[1]), SignalOp::Set(1));
}
