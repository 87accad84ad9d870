//! Neighbours exchange the columns at their edges.

use shmem::prelude::*;

#[symmetric]
static GRID: [[f64; 10]; 4] = [[0.0; 10]; 4];

#[shmem::main]
fn main(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + n - 1) % n, (me + 1) % n);
    for row in 0..4 {
        local!(GRID[row, 1..9]) = (10 * me + row) as f64;
    }
    remote!(GRID[left, .., 9]) = local!(&GRID[.., 1]);
    remote!(GRID[right, .., 0]) = local!(&GRID[.., 8]);
    world.barrier_with(&[left, right]);
    if me == 0 {
        for [first, .., last] in local!(GRID[.., ..]) {
            print!("{first} {last} ");
        }
    }
}
