//! Heat on a plate: global arrays with ghost cells, and checkpoints.

mod plate;

// ANCHOR: whole
use plate::{start, step_row, wrong};
use shmem::{Halo, prelude::*};

const ROWS: usize = 16; // of all PEs together
const COLUMNS: usize = 32;
const STEPS: u64 = 10;

#[symmetric(block2d, halo = Halo::fixed(1))]
static ONE: [[f64; COLUMNS]; ROWS] = [[0.0; COLUMNS]; ROWS];
#[symmetric(block2d, halo = Halo::fixed(1))]
static OTHER: [[f64; COLUMNS]; ROWS] = [[0.0; COLUMNS]; ROWS];
// ANCHOR_END: whole

// ANCHOR: saved
#[symmetric]
static STEP: u64 = 0; // how many steps are done: a part of each checkpoint

#[shmem::main]
fn main(world: &World) -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1);
    let found = match &folder {
        Some(folder) => world.restore(folder)?,
        None => false,
    };
    if world.my_pe() == 0 {
        println!("{} steps are done", local!(STEP));
    }
    // ANCHOR_END: saved

    // ANCHOR: start
    if !found {
        world.local_phase(|p| {
            for ([i, j], cell) in ONE.view_mut(p).mine_mut() {
                *cell = start(i, j);
            }
        });
    }
    // ANCHOR_END: start
    // ANCHOR: steps
    while local!(STEP) < STEPS {
        let is_even = local!(STEP).is_multiple_of(2);
        let (now, next) = if is_even { (&ONE, &OTHER) } else { (&OTHER, &ONE) };
        now.refresh(); // the ghost cells are those of the neighbours
        world.local_phase(|p| {
            let (old, mut new) = (now.view(p), next.view_mut(p));
            for i in 0..new.part_extents()[0] as isize {
                let (up, here, down) =
                    (old.row(i - 1), old.row(i), old.row(i + 1));
                step_row(up, here, down, new.cells_mut(i));
            }
        });
        local!(STEP) = local!(STEP) + 1;
        // ANCHOR_END: steps
        // ANCHOR: save
        if let Some(folder) = &folder {
            if local!(STEP).is_multiple_of(4) {
                world.checkpoint(folder)?;
            }
            fail(world, local!(STEP) == 7);
        }
        // ANCHOR_END: save
    }
    // ANCHOR: check
    if world.my_pe() == 0 {
        let whole = remote!(ONE[@.., ..]); // after 10 steps
        let whole = whole.as_flattened();
        assert_eq!(wrong(whole, COLUMNS, STEPS as usize), 0);
        println!("all {} cells are right", whole.len());
    }
    Ok(())
}
// ANCHOR_END: check

// ANCHOR: fail
/// With the argument `fail`, PE 1 ends here, as if its host had lost power.
fn fail(world: &World, is_now: bool) {
    if is_now && world.my_pe() == 1 && std::env::args().nth(2).is_some() {
        std::process::abort();
    }
}
// ANCHOR_END: fail
