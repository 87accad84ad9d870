//! Reading into a buffer.

use shmem::prelude::*;

// ANCHOR: large
#[symmetric]
static FIELD: [[f64; 1000]; 1000] = [[0.5; 1000]; 1000];
// ANCHOR_END: large

#[shmem::main(npes = 2)]
fn main(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();

    // ANCHOR: into
    let mut field = vec![0.0; 1000 * 1000]; // row-major
    remote!(FIELD[right, .., ..] => &mut field);

    let mut edge = [0.0; 1000];
    remote!(FIELD[right, .., 999] => &mut edge);

    let mut pair = [0.0; 10];
    remote!(FIELD[right, 7, 0..2] => &mut pair[4..6]);

    let mut one = 0.0;
    remote!(FIELD[right, 0, 0] => &mut one);
    // ANCHOR_END: into
    assert_eq!(field, vec![0.5; 1000 * 1000]);
    assert_eq!(edge, [0.5; 1000]);
    assert_eq!(pair.iter().sum::<f64>(), 1.0);
    assert_eq!(one, 0.5);
}
