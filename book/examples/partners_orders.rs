//! PEs that synchronise with some.

use shmem::prelude::*;

#[symmetric]
static MINE: usize = 0;
// ANCHOR: event
#[symmetric]
static INBOX: PerPe<usize> = PerPe::new(0);
#[symmetric]
static FILLED: Event = Event::new();
// ANCHOR_END: event

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    // ANCHOR: star
    local!(MINE) = me + 1;
    if me == 0 {
        let others: Vec<usize> = (1..npes).collect();
        world.sync_with(&others); // all have written
        let sum: usize = others.iter().map(|&pe| remote!(MINE[pe])).sum();
        assert_eq!(sum + 1, npes * (npes + 1) / 2);
    } else {
        world.sync_with(&[0]); // waits for PE 0 alone
    }
    // ANCHOR_END: star

    // ANCHOR: posts
    if me > 0 {
        remote!(INBOX[0, me]) = 10 * me;
        remote!(&FILLED[0]).post(); // completes the put, and says so
    } else {
        local!(&FILLED).wait_for(npes as u64 - 1);
        assert!((1..npes).all(|pe| local!(INBOX[pe]) == 10 * pe));
    }
    // ANCHOR_END: posts

    // ANCHOR: team
    let (row, _) = world.team().split_2d(2)?;
    let next = (row.my_pe() + 1) % row.n_pes();
    let last = (row.my_pe() + row.n_pes() - 1) % row.n_pes();
    row.sync_with(&[last, next]); // numbers of the team
    // ANCHOR_END: team
    Ok(())
}
