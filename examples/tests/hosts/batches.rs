//! Batches of PEs on two hosts: what crosses the cable for them, and that it arrives.

use shmem::prelude::*;

use super::{FIGURES, cluster, counted};

/// Started with this argument, the binary is this program.
pub(crate) const PROGRAM: &str = "--batches";

const CELLS: usize = 500;
/// Operations of each kind, by each PE.
const MANY: usize = 100_000;

#[symmetric]
static COUNTS: [Atomic<u64>; CELLS] = [Atomic::new(0); CELLS];
#[symmetric]
static DATA: [u64; CELLS] = [0; CELLS];

/// Each PE updates and reads cells of all PEs.
#[shmem::main]
pub(crate) fn updates_and_reads(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    for i in 0..CELLS {
        local!(DATA[i]) = (me * CELLS + i) as u64;
    }
    world.barrier_all();
    let place_of = |i: usize| (i * 7919 % n, i * 104_729 % CELLS);
    let mut seen = vec![u64::MAX; MANY];
    world.batch(|b| {
        for (i, place) in seen.iter_mut().enumerate() {
            let (pe, cell) = place_of(i);
            remote!(b; COUNTS[pe, cell]) += 1;
            remote!(b; DATA[pe, cell] => place);
        }
    });
    for (i, value) in seen.into_iter().enumerate() {
        let (pe, cell) = place_of(i);
        assert_eq!(value, (pe * CELLS + cell) as u64);
    }
    let held: u64 = local!(COUNTS[..]).iter().sum();
    let held = collective!(sum held);
    if me == 0 {
        println!("{held} updates");
    }
}

/// Few bytes for each operation: updates of one cell, and reads of one element, cross as one.
pub(crate) fn batches_cross_in_messages() {
    let this = std::env::current_exe().expect("the test has a path");
    for npes in [2, 4] {
        let mut cluster = cluster();
        let (bytes, out) = counted(&mut cluster, |cluster| {
            let mut command = cluster.oshrun(&[npes / 2, npes / 2]);
            command
                .env("SHMEM_TRANSPORT", "openshmem")
                .args(["-x", "SHMEM_TRANSPORT"])
                .arg(&this)
                .arg(PROGRAM);
            command
        });
        assert_eq!(out, format!("{} updates\n", MANY * npes));
        // Half of the operations are on the other host. Each by itself crosses with more than 40 bytes.
        let alone = npes * MANY / 2 * 2 * 40;
        let figures = format!("{:<10} {npes:>3} {alone:>12} {bytes:>12}\n", "batches");
        FIGURES.lock().expect("nobody panics with it").push_str(&figures);
        assert!(bytes < alone / 4, "{bytes} bytes have crossed, and one by one more than {alone} would have");
    }
}
