use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    world.nbi(|s| {
        s.get(remote!(&A[0, ..]), [0; 8]);
    });
    println!("{}", remote!(COUNT[0]));
}
