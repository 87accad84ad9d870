//! Remote references.

use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();

    // ANCHOR: reference
    let window = remote!(&ROW[right, 4..12;2]); // nothing moves
    println!("{} elements on PE {}", window.len(), window.pe());

    window.put([1.0, 2.0, 3.0, 4.0]);
    world.barrier_all();
    let mut values = [0.0; 4];
    window.get_into(&mut values);
    assert_eq!(window.get(), values);
    window.fill(0.0);
    // ANCHOR_END: reference
    assert_eq!(values, [1.0, 2.0, 3.0, 4.0]);
    world.barrier_all();
    assert_eq!(local!(ROW[..]), [0.0; 16]);
}
