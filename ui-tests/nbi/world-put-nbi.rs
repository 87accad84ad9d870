use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main(world: &World) {
    world.put_nbi(&ROW, &[0.0; 16], 1);
}
