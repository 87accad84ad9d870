//! Parcels travel round a ring of PEs. Each parcel gets a stamp from every PE.
//!
//! ```text
//! cargo run --release --example ring
//! ```
//!
//! Every PE starts with its own parcel. In each step, it puts the parcel that it has to its right
//! neighbour. The neighbour does not ask for it, and does not wait. After as many steps as there
//! are PEs, each parcel is back, with a stamp from every PE.

use shmem::prelude::*;

/// A struct with `#[derive(Symmetric)]` is an element like any number.
#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Parcel {
    /// The PE that it belongs to.
    home: u64,
    /// How many PEs have stamped it.
    stamps: u64,
    /// The sum of the numbers of those PEs.
    sum: u64,
}

const NOTHING: Parcel = Parcel { home: 0, stamps: 0, sum: 0 };

/// The left neighbour puts the next parcel here. There are two places, used in turn: while a PE
/// still reads one, its neighbour may write to the other. So one barrier for each step is enough.
#[symmetric]
static INBOX: [Parcel; 2] = [NOTHING; 2];

#[shmem::main]
fn main(world: &World) {
    let me = world.my_pe();
    let n_pes = world.n_pes();
    let right = (me + 1) % n_pes;
    let left = (me + n_pes - 1) % n_pes;

    let mut parcel = Parcel { home: me as u64, ..NOTHING };
    for step in 0..n_pes {
        parcel.stamps += 1;
        parcel.sum += me as u64;

        let place = step % 2;
        remote!(INBOX[right, place]) = parcel;
        world.barrier_all(); // all parcels of this step have arrived
        parcel = local!(INBOX[place]);
    }

    // Once round the ring: each PE has its own parcel again, stamped by all.
    let everybody = (0..n_pes as u64).sum();
    let expected = Parcel { home: me as u64, stamps: n_pes as u64, sum: everybody };
    assert_eq!(parcel, expected, "the parcel that came back to PE {me}");

    // Reads one field of a remote struct, and not the rest of it. The neighbour's last parcel is
    // its own.
    let place = (n_pes - 1) % 2;
    assert_eq!(remote!(INBOX[left, place].home), left as u64);

    // Combines one value from each PE. All PEs get the result.
    let stamps = collective!(sum parcel.stamps);
    assert_eq!(stamps, (n_pes * n_pes) as u64);
    if me == 0 {
        let [parcels, pes] = ["parcel", "PE"].map(|thing| examples::count(n_pes, thing));
        println!(
            "{parcels} went round {pes} and came home with {}",
            examples::count(stamps as usize, "stamp")
        );
    }
}
