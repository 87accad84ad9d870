//! A struct as the element of a symmetric object.

use shmem::prelude::*;

// ANCHOR: derive
#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Particle {
    position: [f64; 3],
    mass: f64,
    charge: i32,
    kind: u32,
}

const NOTHING: Particle =
    Particle { position: [0.0; 3], mass: 0.0, charge: 0, kind: 0 };

#[symmetric]
static PARTICLES: [Particle; 100] = [NOTHING; 100];
// ANCHOR_END: derive

#[shmem::main]
fn main(world: &World) {
    // ANCHOR: use
    let right = (world.my_pe() + 1) % world.n_pes();
    remote!(PARTICLES[right, 7]) =
        Particle { position: [1.0, 2.0, 3.0], mass: 9.5, charge: -1, kind: 4 };
    world.barrier_all();

    let particle: Particle = local!(PARTICLES[7]);
    // ANCHOR_END: use
    assert_eq!(particle.mass, 9.5);
    if world.my_pe() == 0 {
        println!("{particle:?}");
    }
}
