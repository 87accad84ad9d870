use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    let escaped = world.batch(|b| b);
    remote!(escaped; COUNT[0]) += 1;
    println!("{}", remote!(A[0, 0]));
}
