use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    let mut buffer = [0; 8];
    world.nbi(|s| {
        s.get(remote!(&A[0, ..]), &mut buffer);
        s.get(remote!(&A[1, ..]), &mut buffer);
    });
    println!("{} {}", buffer[0], remote!(COUNT[0]));
}
