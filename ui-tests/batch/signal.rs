use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    world.batch(|b| remote!(b; &A[0, 3]).put_signal(7, remote!(&COUNT[0]), SignalOp::Set(1)));
}
