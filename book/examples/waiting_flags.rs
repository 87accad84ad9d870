//! Waiting for cells that other PEs update.

use shmem::SignalOp;
use shmem::prelude::*;

// ANCHOR: statics
#[symmetric]
static STEP: Atomic<u64> = Atomic::new(0);
#[symmetric]
static MAIL: PerPe<Atomic<i64>> = PerPe::new(Atomic::new(0));
// ANCHOR_END: statics

// ANCHOR: signal_statics
#[symmetric]
static BLOCK: [f64; 1000] = [0.0; 1000];
#[symmetric]
static ARRIVED: Atomic<u64> = Atomic::new(0);
// ANCHOR_END: signal_statics

#[shmem::main]
fn main(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n;

    // ANCHOR: one
    remote!(STEP[right]) += 3;
    let seen = wait!(STEP >= 3); // what the cell held
    assert_eq!(seen, 3);
    assert!(poll!(STEP != 0)); // the same question, without waiting
    // ANCHOR_END: one

    // ANCHOR: any
    for pe in 0..n {
        remote!(MAIL[pe, me]) = 100 + me as i64;
    }
    let mut seen = vec![false; n];
    while let Some(from) = wait!(any MAIL[..] != 0; except seen) {
        assert_eq!(local!(MAIL[from]), 100 + from as i64);
        seen[from] = true; // each PE once, in the order of arrival
    }
    // ANCHOR_END: any

    // ANCHOR: several
    wait!(all MAIL[..] >= 100);
    let all: Vec<usize> = wait!(some MAIL[..] > 0);
    assert_eq!(all, (0..n).collect::<Vec<_>>());
    assert_eq!(poll!(any MAIL[..] < 0), None);
    // ANCHOR_END: several

    // ANCHOR: signal
    remote!(&BLOCK[right, ..]).put_signal(
        [me as f64; 1000],
        remote!(&ARRIVED[right]),
        SignalOp::Add(1),
    );
    wait!(ARRIVED == 1);
    let left = (me + n - 1) % n;
    assert_eq!(local!(BLOCK[999]), left as f64); // and so are the other 999
    // ANCHOR_END: signal
}
