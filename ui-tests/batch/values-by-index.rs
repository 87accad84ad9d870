use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    let mut found = vec![0; 8];
    world.batch(|b| {
        for i in 0..8 {
            remote!(b; A[0, i] => &mut found[i]);
        }
    });
    println!("{found:?} {}", remote!(COUNT[0]));
}
