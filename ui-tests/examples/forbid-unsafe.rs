// A crate without unsafe code stays one: the expansions have none that is the user's.
#![forbid(unsafe_code)]

use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    pos: [f64; 3],
    mass: f64,
}

#[symmetric]
static BODIES: [Body; 4] = [Body { pos: [0.0; 3], mass: 1.0 }; 4];
#[symmetric]
static HITS: PerPe<Atomic<u64>> = PerPe::new(Atomic::new(0));

#[shmem::kernel]
fn hit(pe: usize, me: usize) {
    remote!(HITS[pe, me]) += 1;
}

#[shmem::main(npes = 2)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let right = (world.my_pe() + 1) % world.n_pes();
    hit(right, world.my_pe());
    remote!(BODIES[right, 1..3].mass) = [2.0, 3.0];
    let grid = world.symmetric_array::<u32, 2>([2, 3], 7)?;
    remote!(grid[right, .., 1]) = 8;
    world.barrier_all();
    assert_eq!(local!(BODIES[..].mass), [1.0, 2.0, 3.0, 1.0]);
    assert_eq!(local!(BODIES[1].pos), [0.0; 3]);
    assert_eq!(local!(grid[.., ..]), [7, 8, 7, 7, 8, 7]);
    let mut counts = vec![0; world.n_pes()];
    local!(HITS[..] => &mut counts);
    assert_eq!(counts[right], 1);
    assert_eq!(collective!(sum counts[right]), 2);
    Ok(())
}
