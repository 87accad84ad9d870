use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main(world: &World) {
    remote!(ROW[world.my_pe(), 16]) = 1.0;
}
