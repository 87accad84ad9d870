use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    world.batch(|b| {
        let array = world.zeros::<Atomic<u32>, 1>([4]).unwrap();
        remote!(b; array[0, 3]) += 1;
    });
    println!("{} {}", remote!(A[0, 0]), remote!(COUNT[0]));
}
