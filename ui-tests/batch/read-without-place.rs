use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    world.batch(|b| {
        let value = remote!(b; A[0, 3]);
        remote!(b; COUNT[0]) += u64::from(value);
    });
}
