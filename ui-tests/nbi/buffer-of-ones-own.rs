use shmem::Target;
use shmem::prelude::*;

#[symmetric]
static A: [u32; 2] = [0; 2];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

struct Own([u32; 2]);

impl Target<u32, [u32; 2]> for Own {
    fn slots(&mut self) -> &mut [u32] {
        &mut self.0
    }
}

#[shmem::main]
fn main(world: &World) {
    world.nbi(|s| {
        s.get(remote!(&A[0, ..]), Own([0; 2]));
    });
    println!("{}", remote!(COUNT[0]));
}
