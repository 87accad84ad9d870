use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    world.batch(|b| {
        let before = remote!(b; &COUNT[0]).fetch_add(1);
        println!("{before}");
    });
    println!("{}", remote!(A[0, 0]));
}
