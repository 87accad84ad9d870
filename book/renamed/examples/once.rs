//! The crate under another name, told once.

// ANCHOR: once
extern crate symm as shmem;
// ANCHOR_END: once

use symm::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    mass: f64,
}

mod inner {
    use symm::prelude::*;

    #[symmetric]
    pub(super) static BODIES: [super::Body; 4] = [super::Body { mass: 1.0 }; 4];
}

#[symm::main]
fn main(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    remote!(inner::BODIES[right, 2..].mass) = [3.0, 4.0];
    world.barrier_all();
    assert_eq!(local!(inner::BODIES[2].mass), 3.0);
}
