//! One field of many structs.

use shmem::prelude::*;

// ANCHOR: all
#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    pos: [f64; 3],
    mass: f64,
}

#[symmetric]
static BODIES: [Body; 6] = [Body { pos: [0.0; 3], mass: 1.0 }; 6];

#[shmem::main]
fn main(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();

    remote!(BODIES[right, 2].mass) = 5.0; // one field of one struct
    remote!(BODIES[right, 0..4;2].pos) = [[1.0, 2.0, 3.0]; 2];
    world.barrier_all();

    let masses: [f64; 6] = local!(BODIES[..].mass);
    assert_eq!(masses, [1.0, 1.0, 5.0, 1.0, 1.0, 1.0]);
    let positions: [[f64; 3]; 3] = local!(BODIES[0..3].pos);
    assert_eq!(positions, [[1.0, 2.0, 3.0], [0.0; 3], [1.0, 2.0, 3.0]]);
}
// ANCHOR_END: all
