//! A buffer that is changed while it is sent.

use shmem::prelude::*;

const COLUMNS: usize = 32;

#[symmetric]
static FROM_UP: [f64; COLUMNS + 2] = [0.0; COLUMNS + 2];

#[shmem::main]
fn main(world: &World) {
    let mut edge = [1.0; COLUMNS + 2];
    world.nbi(|puts| {
        puts.put(remote!(&FROM_UP[1, ..]), &edge);
        edge[1] = 2.0;
    });
}
