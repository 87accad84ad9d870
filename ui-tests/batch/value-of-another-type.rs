use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    let mut value = 0_u64;
    world.batch(|b| {
        remote!(b; A[0, 3]) = 1_u64;
        remote!(b; A[0, 3] => &mut value);
    });
    println!("{value} {}", remote!(COUNT[0]));
}
