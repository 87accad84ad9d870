use shmem::context::Private;
use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];

#[shmem::main]
fn main(world: &World) {
    let ctx = world.team().context(Private).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || remote!(ctx; A[0, 0] = 1));
    });
}
