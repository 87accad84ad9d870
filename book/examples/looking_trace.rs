//! Four PEs pass rows on, and the last has the most to do, which a timeline shows.

// ANCHOR: all
use shmem::prelude::*;

const N: usize = 4096;

#[symmetric]
static FROM_LEFT: [f64; N] = [0.0; N];
#[symmetric]
static ARRIVED: Atomic<u64> = Atomic::new(0);
#[symmetric]
static LASTS: PerPe<f64> = PerPe::new(0.0); // on PE 0

fn relax(row: &mut [f64]) -> f64 {
    for i in 1..row.len() {
        row[i] = 0.5 * (row[i - 1] + row[i]);
    }
    row[row.len() - 1]
}

#[shmem::main(npes = 4)]
fn main(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n;
    let mut row = vec![me as f64; N];
    let mut last = 0.0;
    for step in 1..=5 {
        for _ in 0..10 * (me + 1) {
            last = relax(&mut row);
        }
        let theirs = remote!(&FROM_LEFT[right, ..]);
        theirs.put_signal(&row, remote!(&ARRIVED[right]), SignalOp::Set(step));
        wait!(ARRIVED >= step);
        local!(FROM_LEFT[..] => &mut row);
        let _most = collective!(max last);
    }
    remote!(LASTS[0, me]) = last;
}
// ANCHOR_END: all
