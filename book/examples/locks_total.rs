//! Updates that no atomic operation makes, under a lock.

use shmem::prelude::*;

// ANCHOR: one
#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Best {
    score: f64,
    pe: u64,
}

#[symmetric]
static LOCK: Lock = Lock::new();
#[symmetric]
static BEST: Best = Best { score: 0.0, pe: 0 }; // on PE 0

fn offer(score: f64, pe: usize) {
    let _guard = LOCK.lock();
    if remote!(BEST[0]).score < score {
        remote!(BEST[0] = Best { score, pe: pe as u64 });
    }
} // the guard is dropped here, and the lock is free
// ANCHOR_END: one

// ANCHOR: several
#[symmetric]
static ROWS: [Lock; 8] = [Lock::new(); 8]; // one for each row of a table
#[symmetric]
static TABLE: [[u32; 4]; 8] = [[0; 4]; 8];

fn add_to_row(pe: usize, row: usize) {
    let _guard = ROWS.at(row).lock();
    for column in 0..4 {
        let value = remote!(TABLE[pe, row, column]);
        remote!(TABLE[pe, row, column] = value + 1);
    }
}
// ANCHOR_END: several

#[shmem::main]
fn main(world: &World) {
    let me = world.my_pe();
    // ANCHOR: calls
    for round in 0..100 {
        offer(((me + 3) * 37 * round % 101) as f64, me);
        add_to_row(0, round % 8);
    }
    world.barrier_all();
    if me == 0 {
        println!("best score {}", local!(BEST).score);
        println!("row 0      {:?}", local!(TABLE[0, ..]));
    }
    // ANCHOR_END: calls

    // ANCHOR: attempt
    match LOCK.try_lock() {
        Some(_guard) => { /* nobody had it, or waited for it */ }
        None => { /* something else can be done meanwhile */ }
    }
    // ANCHOR_END: attempt
    world.barrier_all();
    assert_eq!(remote!(TABLE[0, 7, 3]), 12 * world.n_pes() as u32);
}
