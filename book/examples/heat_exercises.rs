//! The exercises of the chapter on heat, solved.

mod plate;

use std::mem::swap;

use plate::{start, step_row, wrong};
use shmem::{Halo, SignalOp, prelude::*};

const COLUMNS: usize = 32;

#[shmem::main]
fn main(world: &World) {
    let steps = until_calm(world);
    let (before, after) = around(world);
    without_barriers(world);
    if world.my_pe() == 0 {
        println!("calm after {steps} steps");
        println!("heat around: {before:.3} before, {after:.3} after");
    }
}

// ANCHOR: calm
#[symmetric(block, halo = Halo::fixed(1))]
static NOW: [[f64; COLUMNS]; 16] = [[0.0; COLUMNS]; 16];
#[symmetric(block, halo = Halo::fixed(1))]
static NEXT: [[f64; COLUMNS]; 16] = [[0.0; COLUMNS]; 16];

/// Steps until no cell changes by more than a degree. Returns how many.
fn until_calm(world: &World) -> u64 {
    let (mut now, mut next) = (&NOW, &NEXT);
    world.local_phase(|p| {
        for ([i, j], cell) in now.view_mut(p).mine_mut() {
            *cell = start(i, j);
        }
    });
    for step in 1.. {
        now.refresh();
        let most = world.local_phase(|p| {
            let (old, mut new) = (now.view(p), next.view_mut(p));
            let mut most = 0.0_f64;
            for i in 0..new.part_extents()[0] as isize {
                let (up, here, down) =
                    (old.row(i - 1), old.row(i), old.row(i + 1));
                step_row(up, here, down, new.cells_mut(i));
                for (old, new) in old.cells(i).iter().zip(new.cells(i)) {
                    most = most.max((old - new).abs());
                }
            }
            most
        });
        swap(&mut now, &mut next);
        // All PEs get the same number, so all leave the loop together.
        if collective!(max most) <= 1.0 {
            return step;
        }
    }
    unreachable!("the heat flows off the plate")
}
// ANCHOR_END: calm

// ANCHOR: around
#[symmetric(block, halo = Halo::periodic(1))]
static RING: [[f64; COLUMNS]; 16] = [[0.0; COLUMNS]; 16];
#[symmetric(block, halo = Halo::periodic(1))]
static OTHER: [[f64; COLUMNS]; 16] = [[0.0; COLUMNS]; 16];

/// A plate without edges. Returns how much heat there is before and after.
fn around(world: &World) -> (f64, f64) {
    let (mut now, mut next) = (&RING, &OTHER);
    world.local_phase(|p| {
        for ([i, j], cell) in now.view_mut(p).mine_mut() {
            *cell = start(i, j);
        }
    });
    let before = now.sum();
    for _ in 0..100 {
        now.refresh();
        world.local_phase(|p| {
            let (old, mut new) = (now.view(p), next.view_mut(p));
            for i in 0..new.part_extents()[0] as isize {
                let (up, here, down) =
                    (old.row(i - 1), old.row(i), old.row(i + 1));
                step_row(up, here, down, new.cells_mut(i));
            }
        });
        swap(&mut now, &mut next);
    }
    (before, now.sum())
}
// ANCHOR_END: around

// ANCHOR: signals
const ROWS: usize = 4;
const ABOVE: usize = 0;
const BELOW: usize = 1;

/// Two places, used in turn. In each are the rows from above and from below.
#[symmetric]
static EDGES: [[[f64; COLUMNS + 2]; 2]; 2] = [[[0.0; COLUMNS + 2]; 2]; 2];
/// How many rows have arrived in each place.
#[symmetric]
static ARRIVED: [Atomic<u64>; 2] = [const { Atomic::new(0) }; 2];

fn without_barriers(world: &World) {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let up = me.checked_sub(1);
    let down = Some(me + 1).filter(|down| *down < npes);
    let rows_each_time = u64::from(up.is_some()) + u64::from(down.is_some());
    let mut old = [[0.0; COLUMNS + 2]; ROWS + 2];
    for i in 0..ROWS {
        for j in 0..COLUMNS {
            old[i + 1][j + 1] = start(me * ROWS + i, j);
        }
    }
    let mut new = old;

    for step in 0..10 {
        let place = step % 2;
        if let Some(up) = up {
            let edge = remote!(&EDGES[up, place, BELOW, ..]);
            let arrived = remote!(&ARRIVED[up, place]);
            edge.put_signal(old[1], arrived, SignalOp::Add(1));
        }
        if let Some(down) = down {
            let edge = remote!(&EDGES[down, place, ABOVE, ..]);
            let arrived = remote!(&ARRIVED[down, place]);
            edge.put_signal(old[ROWS], arrived, SignalOp::Add(1));
        }
        let times = step as u64 / 2 + 1; // that this place was used
        wait!(ARRIVED[place] >= rows_each_time * times);
        old[0] = local!(EDGES[place, ABOVE, ..]);
        old[ROWS + 1] = local!(EDGES[place, BELOW, ..]);
        for i in 1..=ROWS {
            let cells = &mut new[i][1..=COLUMNS];
            step_row(&old[i - 1], &old[i], &old[i + 1], cells);
        }
        swap(&mut old, &mut new);
    }
    // ANCHOR_END: signals

    let rows = old[1..=ROWS].iter().map(|row| &row[1..=COLUMNS]);
    let mine: Vec<f64> = rows.flatten().copied().collect();
    let whole: Vec<f64> = collective!(collect mine.as_slice());
    assert_eq!(wrong(&whole, COLUMNS, 10), 0);
}
