use shmem::prelude::*;

#[symmetric]
static ROW: [u64; 16] = [0; 16];
#[symmetric(block)]
static LINE: [u64; 100] = [0; 100];

#[shmem::main]
fn main(world: &World) {
    let i = world.n_pes();
    remote!(ROW[@i]) = 1;
    remote!(LINE[0, i]) = 1;
    remote!(LINE[@i, i]) = 1;
    remote!(LINE[@1.5]) = 1;
}
