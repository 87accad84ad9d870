use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    let source = [1; 4];
    world.nbi(|s| {
        let array = world.zeros::<u32, 1>([4]).unwrap();
        s.put(remote!(&array[0, ..]), &source);
    });
    println!("{} {}", remote!(A[0, 0]), remote!(COUNT[0]));
}
