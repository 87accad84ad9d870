use shmem::prelude::*;

mod particle {
    use shmem::prelude::*;

    #[derive(Clone, Copy, Symmetric)]
    #[repr(C)]
    pub struct Particle {
        mass: f64,
    }

    impl Particle {
        pub const NEW: Particle = Particle { mass: 1.0 };
    }
}

#[symmetric]
static PARTICLES: [particle::Particle; 8] = [particle::Particle::NEW; 8];

fn main() {
    let m = remote!(PARTICLES[0, 3].mass);
}
