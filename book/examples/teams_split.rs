//! Teams of PEs, and what they do among themselves.

use shmem::prelude::*;

#[symmetric]
static INBOX: usize = usize::MAX;

// ANCHOR: strided
#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());

    // PEs 0, 2, 4, … of the world are PEs 0, 1, 2, … of the team.
    let even = world.team().split_strided(0, 2, n.div_ceil(2))?;
    if let Some(even) = &even {
        let sum = collective!(sum me; on even);
        println!("PE {me} is PE {} of {}: {sum}", even.my_pe(), even.n_pes());
    }
    // ANCHOR_END: strided
    assert_eq!(even.is_some(), me % 2 == 0);

    // ANCHOR: grid
    // A grid with rows of 3 PEs: this PE's row, and its column.
    let (row, column) = world.team().split_2d(3)?;
    assert_eq!((row.my_pe(), column.my_pe()), (me % 3, me / 3));
    // ANCHOR_END: grid

    // ANCHOR: any
    // The world in reverse: a list has any order.
    let reversed: Vec<usize> = (0..n).rev().collect();
    let back = world.team().split_list(&reversed)?.expect("all are in it");
    assert_eq!(back.my_pe(), n - 1 - me);

    // A team for each colour, ordered by a key.
    let color = me as u64 % 3;
    let key = -(me as i64);
    let same = world.team().split_by_color(Some(color), key)?;
    let same = same.expect("a PE that gives a colour is in a team");
    assert_eq!(same.world_pe(same.n_pes() - 1), color as usize);
    // ANCHOR_END: any

    // ANCHOR: numbers
    let right = (row.my_pe() + 1) % row.n_pes();
    remote!(INBOX[row.world_pe(right)]) = me; // PEs of the world
    row.barrier();
    assert_eq!(row.translate(right, world.team()), Some(row.world_pe(right)));
    // ANCHOR_END: numbers
    let left = (row.my_pe() + row.n_pes() - 1) % row.n_pes();
    assert_eq!(local!(INBOX), row.world_pe(left));
    Ok(())
}
