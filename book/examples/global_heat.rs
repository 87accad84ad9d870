//! A line of cells with ghost cells: the program of `dividing_halo`.

use shmem::prelude::*;

// ANCHOR: steps
use shmem::Halo;

#[symmetric(block, halo = Halo::fixed(1))]
static LINE: [f64; 10] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
#[symmetric(block, halo = Halo::fixed(1))]
static OTHER: [f64; 10] = [0.0; 10];

#[shmem::main]
fn main(world: &World) {
    let (mut old, mut new) = (&LINE, &OTHER);
    for _ in 0..5 {
        old.refresh(); // the ghost cells are those of the neighbours
        world.local_phase(|p| {
            let (old, mut new) = (old.view(p), new.view_mut(p));
            for i in 0..new.part_extents()[0] as isize {
                new[i] = 0.25 * (old[i - 1] + 2.0 * old[i] + old[i + 1]);
            }
        });
        (old, new) = (new, old);
    }
    assert_eq!(remote!(old[@..]).to_vec(), alone(10));
}
// ANCHOR_END: steps

/// The same on one PE.
fn alone(n: usize) -> Vec<f64> {
    let mut line: Vec<f64> = (0..n).map(|i| i as f64).collect();
    for _ in 0..5 {
        let at = |i: Option<usize>| {
            i.and_then(|i| line.get(i)).copied().unwrap_or(0.0)
        };
        line = (0..n)
            .map(|i| {
                let left = at(i.checked_sub(1));
                0.25 * (left + 2.0 * at(Some(i)) + at(Some(i + 1)))
            })
            .collect();
    }
    line
}
