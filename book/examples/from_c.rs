//! The temperature of a rod, whose left end is hot.

use shmem::SignalOp;
use shmem::prelude::*;

const CELLS: usize = 8;

/// The part of each PE, with a ghost cell at each end.
#[symmetric]
static ROD: [f64; CELLS + 2] = [0.0; CELLS + 2];
#[symmetric]
static ARRIVED: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let neighbours = u64::from(me > 0) + u64::from(me < n - 1);
    if me == 0 {
        local!(ROD[0]) = 100.0;
    }
    let mut steps = 0;
    loop {
        if me > 0 {
            remote!(&ROD[me - 1, CELLS + 1..]).put_signal(
                local!(ROD[1..2]),
                remote!(&ARRIVED[me - 1]),
                SignalOp::Add(1),
            );
        }
        if me < n - 1 {
            remote!(&ROD[me + 1, 0..1]).put_signal(
                local!(ROD[CELLS..=CELLS]),
                remote!(&ARRIVED[me + 1]),
                SignalOp::Add(1),
            );
        }
        steps += 1;
        wait!(ARRIVED >= steps * neighbours);
        let old = local!(ROD[..]);
        let mut change: f64 = 0.0;
        for i in 1..=CELLS {
            let new = (old[i - 1] + old[i + 1]) / 2.0;
            change = change.max((new - old[i]).abs());
            local!(ROD[i]) = new;
        }
        if collective!(max change) <= 0.001 {
            break;
        }
    }
    world.barrier_all();
    if me == 0 {
        print!("{steps} steps:");
        for pe in 0..n {
            print!(" {:.1}", remote!(ROD[pe, CELLS / 2]));
        }
        println!();
    }
}
