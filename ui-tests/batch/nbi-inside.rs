use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    world.batch(|b| b.nbi(|s| s.put(remote!(b; &A[0, ..]), &[7; 8])));
    println!("{}", remote!(COUNT[0]));
}
