//! Mistakes that one makes with heat.

use shmem::Halo;
use shmem::prelude::*;

const ROWS: usize = 4;
const COLUMNS: usize = 32;

#[symmetric]
static PLATE: [[f64; COLUMNS + 2]; ROWS + 2] = [[0.0; COLUMNS + 2]; ROWS + 2];
#[symmetric]
static FROM_UP: [f64; COLUMNS + 2] = [0.0; COLUMNS + 2];
#[symmetric(block, halo = Halo::fixed(1))]
static LINE: [f64; 32] = [1.0; 32];

#[shmem::main]
fn main(world: &World) {
    let (me, npes) = (world.my_pe(), world.n_pes());
    match std::env::args().nth(1).as_deref() {
        Some("last") => {
            // ANCHOR: last
            remote!(PLATE[me + 1, 0, ..]) = local!(PLATE[ROWS, ..]);
            // ANCHOR_END: last
        }
        Some("first") => {
            // ANCHOR: first
            if me + 1 < npes {
                remote!(PLATE[me + 1, 0, ..]) = local!(PLATE[ROWS, ..]);
            }
            let old = local!(PLATE[.., ..]);
            // ANCHOR_END: first
            let _ = old;
        }
        Some("second") => {
            for _ in 0..2 {
                // ANCHOR: second
                if me + 1 < npes {
                    remote!(PLATE[me + 1, 0, ..]) = local!(PLATE[ROWS, ..]);
                }
                world.barrier_all();
                let old = local!(PLATE[.., ..]);
                // and on to the next step
                // ANCHOR_END: second
                let _ = old;
            }
        }
        Some("inside") => {
            // ANCHOR: inside
            if me + 1 < npes {
                remote!(PLATE[me + 1, 0, ..]) = local!(PLATE[ROWS, ..]);
                world.barrier_all();
            }
            // ANCHOR_END: inside
        }
        Some("layer") => {
            // ANCHOR: layer
            world.local_phase(|p| {
                let (old, mut new) = (PLATE.as_array(p), PLATE.as_mut_array(p));
                new[1][1] = old[0][1];
            });
            // ANCHOR_END: layer
        }
        Some("corner") => {
            // ANCHOR: corner
            if me + 1 < npes {
                remote!(PLATE[me + 1, 0, ..]) = local!(PLATE[ROWS, ..]); // down
            }
            if me > 0 {
                remote!(PLATE[me - 1, .., COLUMNS + 1]) = local!(PLATE[.., 1]);
            }
            // ANCHOR_END: corner
        }
        Some("sync") => {
            let up = me.checked_sub(1);
            let down = Some(me + 1).filter(|down| *down < npes);
            let neighbours: Vec<usize> = up.into_iter().chain(down).collect();
            let row = [1.0; COLUMNS + 2];
            for _ in 0..2 {
                // ANCHOR: sync
                if let Some(down) = down {
                    remote!(FROM_UP[down, ..]) = &row;
                }
                world.barrier_with(&neighbours);
                let halo = local!(FROM_UP[..]);
                // and on to the next step
                // ANCHOR_END: sync
                let _ = halo;
            }
        }
        Some("list") => {
            // ANCHOR: list
            if me > 0 {
                world.barrier_with(&[me - 1]); // and who waits for me?
            }
            // ANCHOR_END: list
        }
        Some("far") => {
            // ANCHOR: far
            world.local_phase(|p| {
                let (line, i) = (LINE.view(p), 0);
                println!("{}", line[i - 2] + line[i + 2]);
            });
            // ANCHOR_END: far
        }
        _ => {}
    }
}
