//! PE 0 has more to do than the others, which `cargo shmem top` shows.

// ANCHOR: all
use shmem::prelude::*;

const N: usize = 1 << 16;

#[symmetric]
static FROM_LEFT: [f64; N] = [0.0; N];

fn relax(cells: &mut [f64]) {
    for i in 1..cells.len() {
        cells[i] = 0.5 * (cells[i - 1] + cells[i]);
    }
}

#[shmem::main]
fn main(world: &World) {
    let steps = std::env::args()
        .nth(1)
        .map_or(1, |steps| steps.parse().expect("the number of steps"));
    let me = world.my_pe();
    let right = (me + 1) % world.n_pes();
    let mut cells = vec![1.0; N];
    for _ in 0..steps {
        let rounds = if me == 0 { 600 } else { 60 };
        for _ in 0..rounds {
            relax(&mut cells);
        }
        remote!(FROM_LEFT[right, ..] = &cells);
        world.barrier_all();
        local!(FROM_LEFT[..] => &mut cells);
    }
}
// ANCHOR_END: all
