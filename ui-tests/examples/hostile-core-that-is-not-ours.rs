// The names of the language's own crates lead back into this one, where nothing is as it should be.
#![forbid(unsafe_code)]
#![allow(dead_code)]

extern crate self as alloc;
extern crate self as core;
extern crate self as std;

pub mod mem {
    pub const fn size_of<T>() -> usize {
        7
    }
}
pub mod option {
    pub enum Option {
        Some(u8),
        None,
    }
}
pub mod process {
    pub struct ExitCode;
}

use ::shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    pos: [f64; 3],
    kind: u64,
}

#[symmetric]
static BODIES: [Body; 4] = [Body { pos: [0.5; 3], kind: 1 }; 4];
#[symmetric]
static COUNTS: PerPe<Atomic<u64>> = PerPe::new(Atomic::new(0));

#[shmem::kernel]
fn step(pe: usize) {
    remote!(BODIES[pe, 1..3].kind) = [2, 3];
    remote!(COUNTS[pe, pe]) += 1;
}

#[shmem::test(npes = [1, 2])]
fn never_run() {}

#[shmem::main(npes = 2, heap = "1M")]
fn main(world: &World) -> Result<(), shmem::Error> {
    step((world.my_pe() + 1) % world.n_pes());
    world.barrier_all();
    assert!(local!(BODIES[..].kind) == [1, 2, 3, 1]);
    assert!(wait!(some COUNTS[..] == 1) == [world.my_pe()]);
    assert!(collective!(sum 1i64) == 2);
    Ok(())
}
