use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    let mut before = 0;
    let seen = world.nbi(|s| {
        s.fetch_add(remote!(&COUNT[0]), 1, &mut before);
        before
    });
    println!("{seen} {}", remote!(A[0, 0]));
}
