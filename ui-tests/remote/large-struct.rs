use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Particles {
    position: [[f64; 3]; 4096],
}

#[symmetric]
static ALL: Particles = Particles { position: [[0.0; 3]; 4096] };

#[shmem::main]
fn main() {
    let _large = remote!(ALL[0]);
}
