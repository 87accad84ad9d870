//! The right column of the table of NumPy's slices.

use shmem::prelude::*;

// ANCHOR: all
#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (n, j, index) = (20, 1, vec![3, 1, 3]);
    let a = world.array_from_fn([n], |[i]| i as f64)?;
    let g = world.array_from_fn([3, 4], |[i, j]| (10 * i + j) as f64)?;
    assert_eq!(local!(a[3..7]), [3.0, 4.0, 5.0, 6.0]);
    assert_eq!(local!(a[1..17;2])[7], 15.0);
    assert_eq!(local!(a[..;-1])[0], 19.0);
    assert_eq!(local!(g[.., j]), [1.0, 11.0, 21.0]);
    assert_eq!(local!(g[0..2, 0..2]), [[0.0, 1.0], [10.0, 11.0]]);
    assert_eq!(local!(a[[2, 3, 5, 7]]), [2.0, 3.0, 5.0, 7.0]);
    assert_eq!(local!(a[@index]), [3.0, 1.0, 3.0]);
    local!(a[..]) = 0.0;
    assert_eq!(local!(a[n - 1]), 0.0);
    Ok(())
}
// ANCHOR_END: all
