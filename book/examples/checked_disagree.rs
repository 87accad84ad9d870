//! PEs that are in different collective calls.

use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    let what = std::env::args().nth(1).unwrap_or_default();
    let (me, mine) = (world.my_pe(), world.my_pe() as f64);
    // ANCHOR: all
    let total = match (me, what.as_str()) {
        (0, "wrong") => collective!(max mine),
        (0, "apart") => collective!(sum mine),
        _ => collective!(sum mine),
    };
    // ANCHOR_END: all
    assert_eq!(total, (0..world.n_pes()).sum::<usize>() as f64);
}
