use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main(world: &World) {
    let _ = remote!(ROW[world, 3]);
}
