//! Counters that several PEs update: all in one cache line, each in a line of its own, or each on the
//! PE that counts.

use shmem::prelude::*;

// ANCHOR: all
#[symmetric]
static MINE: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    // PE 0 has a counter for each PE: slow, eight counters share a cache line.
    let dense = world.zeros::<Atomic<u64>, 1>([n])?;
    // Better: a row of eight words is a line, and only the first word is used.
    let spread = world.allocate().align(64).zeros::<Atomic<u64>, 2>([n, 8])?;
    for _ in 0..1000 {
        remote!(dense[0, me]) += 1;
        remote!(spread[0, me, 0]) += 1;
        // Best: each PE counts on its own copy, and a reduction adds up.
        remote!(MINE[me]) += 1;
    }
    world.barrier_all();
    let total = collective!(sum local!(MINE));
    assert_eq!(total, 1000 * n as u64);
    // ANCHOR_END: all
    assert_eq!(remote!(dense[0, ..]).iter().sum::<u64>(), total);
    assert_eq!(remote!(spread[0, .., 0]).iter().sum::<u64>(), total);
    if let Some(start) = remote!(&spread[0, .., ..]).as_ptr() {
        assert_eq!(start.addr() % 64, 0, "rows begin at a cache line");
    }
    Ok(())
}
