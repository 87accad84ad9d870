use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];

#[shmem::main]
fn main(world: &World) {
    let ctx = world.team().context(shmem::context::Shared).unwrap();
    remote!(ctx);
    remote!(ctx;);
    remote!(ctx; A);
    remote!(ctx, A[0, 0]);
    remote!(ctx; A[0, 0];);
}
