use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    let weight = 1_u32;
    world.batch(|b| remote!(b; COUNT[0]) += weight);
    println!("{}", remote!(A[0, 0]));
}
