use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    let source = [1; 7];
    let wrong = [1_i32; 8];
    world.nbi(|s| {
        s.put(remote!(&A[0, ..]), &source);
        s.put(remote!(&A[0, ..]), &wrong);
    });
    println!("{}", remote!(COUNT[0]));
}
