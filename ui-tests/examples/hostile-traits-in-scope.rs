// Traits with methods for every type, named like those of the library. An expansion calls functions by their paths alone.
#![allow(dead_code)]

use shmem::prelude::*;

trait Everything: Sized {
    fn outcome(self) -> u8 {
        unreachable!()
    }
    fn report(self) -> u8 {
        unreachable!()
    }
    fn get(self) -> u8 {
        unreachable!()
    }
    fn put(self, _: u8) {}
    fn read(self) -> u8 {
        unreachable!()
    }
    fn write(self, _: u8) {}
    fn place(self) -> u8 {
        unreachable!()
    }
    fn team(self) -> u8 {
        unreachable!()
    }
    fn barrier(self) {}
    fn index(self, _: u8) -> u8 {
        unreachable!()
    }
    fn deref(self) -> u8 {
        unreachable!()
    }
    fn new(self) -> u8 {
        unreachable!()
    }
    fn of(self) -> u8 {
        unreachable!()
    }
    fn take(self) -> u8 {
        unreachable!()
    }
}
impl<T> Everything for T {}

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    mass: f64,
}

#[symmetric]
static BODIES: [Body; 4] = [Body { mass: 1.0 }; 4];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[derive(Debug)]
struct NoInput;

#[shmem::test]
fn never_run() -> Result<(), NoInput> {
    Err(NoInput)
}

#[shmem::main(npes = 2)]
fn main(world: &World) -> Result<(), NoInput> {
    let right = (world.my_pe() + 1) % world.n_pes();
    remote!(BODIES[right, 1..].mass) = [2.0, 3.0, 4.0];
    remote!(COUNT[right]) += 1;
    world.barrier_all();
    assert!(local!(BODIES[..].mass) == [1.0, 2.0, 3.0, 4.0]);
    assert!(wait!(COUNT > 0) == 1 && poll!(COUNT == 1));
    collective!(barrier);
    assert!(collective!(sum local!(COUNT)) == 2);
    Ok(())
}
