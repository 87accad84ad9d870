use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    let mut source = [0; 8];
    world.nbi(|s| {
        s.put(remote!(&A[0, ..]), &source);
        source[0] = 1;
    });
    println!("{}", remote!(COUNT[0]));
}
