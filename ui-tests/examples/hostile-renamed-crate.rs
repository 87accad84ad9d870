// `::shmem` is another crate here, and the crate has another name.
pub extern crate shmem as other;
extern crate std as shmem;

mod facade {
    pub mod inner {
        pub use other;
    }
}

use other::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[symmetric(crate = other)]
#[repr(C)]
struct Body {
    mass: f64,
}

#[symmetric(crate = other)]
static BODIES: [Body; 4] = [Body { mass: 1.0 }; 4];
#[symmetric(crate = "facade::inner::other")]
static COUNT: Atomic<u64> = Atomic::new(0);

#[other::kernel]
fn count(pe: usize) {
    facade::inner::other::remote!(COUNT[pe]) += 1;
}

#[other::test(npes = 2, crate = ::other)]
fn never_run() {}

#[other::main(npes = 2, crate = crate::facade::inner::other)]
fn main(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    count(right);
    remote!(BODIES[right, 2..].mass) = [3.0, 4.0];
    world.barrier_all();
    assert_eq!(local!(BODIES[..].mass), [1.0, 1.0, 3.0, 4.0]);
    assert_eq!(other::collective!(sum local!(COUNT)), 2);
}
