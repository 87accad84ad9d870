//! What an array may start with, and what else may be asked for.

use shmem::Hint;
use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let me = world.my_pe();

    // ANCHOR: constructors
    let zeros = world.zeros::<f64, 2>([100, 100])?;
    let ones = world.ones::<f32, 1>([8])?;
    let halves = world.symmetric_array::<f64, 1>([8], 0.5)?;
    let given = world.array_from_slice(&[me, 10 * me])?; // each PE its own
    let identity = world.array_from_fn([3, 3], |[i, j]| u8::from(i == j))?;
    // ANCHOR_END: constructors
    assert_eq!(local!(zeros[99, 98..]), [0.0; 2]);
    assert_eq!((local!(ones[7]), local!(halves[7])), (1.0, 0.5));
    assert_eq!(remote!(given[0, ..]), [0, 0]);
    assert_eq!(remote!(identity[0, 1, ..]), [0, 1, 0]);

    // ANCHOR: options
    let pages = world.allocate().align(4096).zeros::<u8, 1>([8192])?;
    let counts = world
        .allocate()
        .hint(Hint::AtomicsRemote)
        .zeros::<Atomic<u64>, 1>([64])?;
    // ANCHOR_END: options
    assert_eq!((pages.len(), counts.len()), (8192, 64));

    // ANCHOR: resize
    let mut grid = world.array_from_fn([2, 3], |[i, j]| 10 * i + j)?;
    grid.resize([3, 2], 7)?;
    if me == 0 {
        println!("{:?}", local!(grid[.., ..]));
    }
    // ANCHOR_END: resize
    Ok(())
}
