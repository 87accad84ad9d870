//! Arrays whose extents are known at run time.

use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    // ANCHOR: allocate
    let rows = 2 + world.n_pes();
    let grid = world.symmetric_array::<f64, 2>([rows, 5], 0.25)?;
    let hits = world.symmetric_array::<Atomic<u64>, 1>([8], Atomic::new(0))?;

    remote!(grid[0, world.my_pe(), 1..3]) = [1.0, 2.0];
    remote!(hits[0, 7]) += 1;
    world.barrier_all();

    if world.my_pe() == 0 {
        println!("extents {:?}", grid.extents());
        println!("row 0   {:?}", local!(grid[0, ..]));
        println!("last    {:?}", local!(grid[rows - 1, ..]));
    }
    // ANCHOR_END: allocate
    assert_eq!(remote!(hits[0, 7]), world.n_pes() as u64);
    world.barrier_all();

    // ANCHOR: drop
    let free = world.heap_free();
    drop(grid); // marks: nothing waits, nothing moves
    assert_eq!(world.heap_free(), free);

    world.reclaim()?; // collective: now it is gone everywhere
    assert!(world.heap_free() > free);

    hits.free()?; // drop and reclaim in one collective call
    // ANCHOR_END: drop
    Ok(())
}
