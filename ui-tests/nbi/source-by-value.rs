use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    world.nbi(|s| {
        s.put(remote!(&A[0, ..]), [1; 8]);
    });
    println!("{}", remote!(COUNT[0]));
}
