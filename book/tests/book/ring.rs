//! Tests of a ring of PEs.

use shmem::prelude::*;

#[symmetric]
static INBOX: usize = usize::MAX;

/// Every PE tells its right neighbour who it is.
#[shmem::kernel]
fn tell_right(world: &World) {
    let me = world.my_pe();
    let right = (me + 1) % world.n_pes();
    remote!(INBOX[right]) = me;
}

#[shmem::test(npes = [1, 2, 5])]
fn everybody_hears_from_the_left(world: &World) {
    tell_right(world);
    world.barrier_all();
    let (me, n) = (world.my_pe(), world.n_pes());
    assert_eq!(local!(INBOX), (me + n - 1) % n);
}

#[shmem::test(npes = 3)]
fn the_heap_is_shared(world: &World) -> Result<(), shmem::Error> {
    let seen = world.symmetric_array::<Atomic<u64>, 1>([1], Atomic::new(0))?;
    remote!(seen[0, 0]) += 1;
    world.barrier_all();
    assert_eq!(remote!(seen[0, 0]), 3);
    Ok(())
}
