//! A hot cell on a cold plate, until no cell changes much.

use shmem::{Halo, prelude::*};

const N: usize = 16;
const EPSILON: f64 = 0.1;

#[symmetric(block2d, halo = Halo::fixed(1))]
static ONE: [[f64; N]; N] = [[0.0; N]; N];
#[symmetric(block2d, halo = Halo::fixed(1))]
static OTHER: [[f64; N]; N] = [[0.0; N]; N];

#[shmem::main]
fn main(world: &World) {
    if world.my_pe() == 0 {
        remote!(ONE[@N / 2, N / 2]) = 1000.0;
    }
    world.barrier_all();
    let (mut old, mut new) = (&ONE, &OTHER);
    let mut steps = 0;
    loop {
        old.refresh();
        let mut change: f64 = 0.0;
        world.local_phase(|p| {
            let (old, mut new) = (old.view(p), new.view_mut(p));
            let [rows, columns] = new.part_extents().map(|n| n as isize);
            for i in 0..rows {
                for j in 0..columns {
                    let around = old[[i - 1, j]]
                        + old[[i + 1, j]]
                        + old[[i, j - 1]]
                        + old[[i, j + 1]];
                    new[[i, j]] = around / 4.0;
                    change = change.max((new[[i, j]] - old[[i, j]]).abs());
                }
            }
        });
        (old, new) = (new, old);
        steps += 1;
        if collective!(max change) <= EPSILON {
            break;
        }
    }
    let sum = old.sum();
    if world.my_pe() == 0 {
        println!("{steps} steps, sum {sum:.0}");
    }
}
