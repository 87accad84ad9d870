use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    world.batch(|b| {
        remote!(b; COUNT[0]) += 1;
        b.quiet();
    });
    println!("{}", remote!(A[0, 0]));
}
