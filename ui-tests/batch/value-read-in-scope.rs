use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    let mut value = 0;
    let seen = world.batch(|b| {
        remote!(b; A[0, 3] => &mut value);
        value
    });
    println!("{seen} {}", remote!(COUNT[0]));
}
