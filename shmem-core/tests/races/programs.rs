//! One program for every combination: PE 0 does a first access to PE 1's copy of `X`, the PEs
//! synchronise in some way, and a second access follows, by PE 1 or PE 2.

use shmem::context::Private;
use shmem::prelude::*;
use shmem::reduction::Sum;

use crate::harness::Program;

pub(crate) const PROGRAMS: &[Program] = &[
    ("pair", pair),
    ("single", crate::singles::main),
    ("by-luck", crate::library::by_luck),
    ("guard-of-a-thread", crate::library::guard_of_a_thread),
    ("to-the-end", crate::library::to_the_end),
    ("ends", crate::library::ends),
];

#[symmetric]
static X: [u64; 8] = [0; 8];
#[symmetric]
static GRID: [[u64; 4]; 4] = [[0; 4]; 4];
#[symmetric]
static FLAG: Atomic<u64> = Atomic::new(0);
#[symmetric]
static FROM: [u64; 8] = [0; 8];
#[symmetric]
static EVENT: Event = Event::new();

/// The first access, by PE 0. Whether it is a put, which needs to be completed.
pub(crate) const FIRST: [(&str, bool, bool); 6] = [
    // name, writes, needs a quiet
    ("put", true, true),
    ("strided", true, true),
    ("block", true, true),
    ("nbi", true, false),
    ("get", false, false),
    ("strided-get", false, false),
];

/// The second access: whether it writes, and who does it.
pub(crate) const SECOND: [(&str, bool, usize); 6] = [
    ("load", false, 1),
    ("store", true, 1),
    ("get", false, 2),
    ("put", true, 2),
    ("source", false, 1),
    ("destination", true, 1),
];

/// What is between: whether it completes the puts of PE 0, and whether what PE 0 did before is ordered
/// before what PE 1 and PE 2 do after.
pub(crate) const BETWEEN: [(&str, bool, [bool; 3]); 25] = [
    ("nothing", false, [false; 3]),
    ("quiet", true, [false; 3]),
    ("sync_all", false, [true; 3]),
    ("barrier_all", true, [true; 3]),
    ("quiet-sync", true, [true; 3]),
    ("fence-sync", false, [true; 3]),
    ("team-sync", false, [true, true, false]),
    ("team-barrier", true, [true, true, false]),
    ("flag", false, [true, true, false]),
    ("fence-flag", true, [true, true, false]),
    ("quiet-flag", true, [true, true, false]),
    ("fetched-flag", true, [true, true, false]),
    ("chain", true, [true, true, true]),
    ("phase", true, [true; 3]),
    ("allocation", true, [true; 3]),
    ("from-root", false, [true; 3]),
    ("from-other", false, [false; 3]),
    ("sum", false, [true; 3]),
    ("other-context", false, [true; 3]),
    ("pe_quiet", true, [true; 3]),
    ("other-pe_quiet", false, [true; 3]),
    ("sync_with", false, [true, true, false]),
    ("barrier_with", true, [true, true, false]),
    ("barrier_with-sync_with", true, [true; 3]),
    ("event", true, [true, true, false]),
];

#[shmem::main(npes = 3)]
fn pair(world: &World) -> Result<(), shmem::Error> {
    let arguments: Vec<String> = std::env::args().skip(3).collect();
    let [first, between, second] = &arguments[..] else { panic!("{arguments:?}") };
    let me = world.my_pe();
    // What the phases and allocations of some ways do comes on all PEs.
    let team = world.team().split_list(&[0, 1])?;
    // PE 1 with itself: its collectives order nothing between the PEs.
    let alone = world.team().split_list(&[1])?;
    let ctx = world.team().context(Private)?;

    if me == 0 {
        let mut into = [0; 8];
        match &first[..] {
            "put" => remote!(X[1, ..]) = [1; 8],
            "strided" => remote!(X[1, 0..8;2]) = [1; 4],
            "block" => remote!(GRID[1, 1..3, 1..3]) = [[1; 2]; 2],
            "nbi" => world.nbi(|s| s.put(remote!(&X[1, ..]), &[1; 8])),
            "get" => into = remote!(X[1, ..]),
            "strided-get" => into[..4].copy_from_slice(&remote!(X[1, 0..8;2])),
            other => panic!("{other}"),
        }
        std::hint::black_box(into);
    }

    match &between[..] {
        "nothing" => {}
        "quiet" => world.quiet(),
        "sync_all" => world.sync_all(),
        "barrier_all" => world.barrier_all(),
        "quiet-sync" => {
            world.quiet();
            world.sync_all();
        }
        "fence-sync" => {
            world.fence();
            world.sync_all();
        }
        "team-sync" => team.iter().for_each(Team::sync),
        "team-barrier" => team.iter().for_each(Team::barrier),
        "flag" | "fence-flag" | "quiet-flag" => {
            match (me, &between[..]) {
                (0, "fence-flag") => world.fence(),
                (0, "quiet-flag") => world.quiet(),
                _ => {}
            }
            match me {
                0 => remote!(FLAG[1]) = 1,
                1 => {
                    wait!(FLAG >= 1);
                }
                _ => {}
            }
        }
        "fetched-flag" => match me {
            0 => {
                world.fence();
                remote!(&FLAG[1]).fetch_add(1);
            }
            1 => while remote!(FLAG[1]) == 0 {},
            _ => {}
        },
        "chain" => match me {
            0 => {
                world.quiet();
                remote!(FLAG[1]) = 1;
            }
            1 => {
                wait!(FLAG >= 1);
                remote!(FLAG[2]) = 1;
            }
            _ => {
                wait!(FLAG >= 1);
            }
        },
        "phase" => world.local_phase(|_| {}),
        "allocation" => drop(world.zeros::<u64, 1>([4])?),
        "from-root" => {
            let _ = collective!(broadcast 5_u64 from 0);
        }
        "from-other" => {
            let _ = collective!(broadcast 5_u64 from 1);
        }
        "sum" => {
            let _ = collective!(sum 5_u64);
        }
        "other-context" => {
            ctx.quiet();
            world.sync_all();
        }
        "pe_quiet" => {
            world.pe_quiet(&[1]);
            world.sync_all();
        }
        "other-pe_quiet" => {
            world.pe_quiet(&[2]);
            world.sync_all();
        }
        "sync_with" if me < 2 => world.sync_with(&[1 - me]),
        "barrier_with" if me < 2 => world.barrier_with(&[1 - me]),
        // PE 2 learns of PE 0 by PE 1.
        "barrier_with-sync_with" => match me {
            0 => world.barrier_with(&[1]),
            1 => {
                world.sync_with(&[0]);
                world.sync_with(&[2]);
            }
            _ => world.sync_with(&[1]),
        },
        "event" => match me {
            0 => remote!(&EVENT[1]).post(),
            1 => local!(&EVENT).wait(),
            _ => {}
        },
        "sync_with" | "barrier_with" => {}
        other => panic!("{other}"),
    }

    let is_block = first == "block";
    match (me, &second[..]) {
        (1, "load") if is_block => assert!(local!(GRID[1..3, 1..3])[0][0] < 2),
        (1, "load") => assert!(local!(X[2]) < 9),
        (1, "store") if is_block => local!(GRID[2, 2]) = 5,
        (1, "store") => local!(X[2..5]) = [5; 3],
        (2, "get") if is_block => assert!(remote!(GRID[1, 2, ..])[0] < 9),
        (2, "get") => assert!(remote!(X[1, 4]) < 9),
        (2, "put") if is_block => remote!(GRID[1, 2, 2]) = 8,
        (2, "put") => remote!(X[1, 4]) = 8,
        _ => {}
    }
    if let Some(alone) = alone {
        match (&second[..], is_block) {
            ("source", false) => alone.reduce(Sum, local!(&FROM[..]), local!(&X[..])),
            ("source", true) => alone.reduce(Sum, local!(&FROM[0..4]), local!(&GRID[2, ..])),
            ("destination", false) => alone.reduce(Sum, local!(&X[..]), local!(&FROM[..])),
            ("destination", true) => alone.reduce(Sum, local!(&GRID[2, ..]), local!(&FROM[0..4])),
            _ => {}
        }
    }
    Ok(())
}
