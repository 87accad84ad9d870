//! Teams whose members are on two hosts, several on one of them, and collectives of these.

use std::process::Command;

use shmem::prelude::*;
use shmem::reduction::Sum;

use super::{counted, link};

/// Started with this argument, the binary is a PE of the program.
pub(crate) const PROGRAM: &str = "--teams";
/// The most PEs of a job.
const MOST: usize = 8;
/// Lengths in words, each once: of one value, of what fits into a cell or into a slot, and of more.
const LENGTHS: [usize; 4] = [1, 15, 200, 3000];

#[symmetric]
static ROW: PerPe<u64> = PerPe::new(0);

/// The members of a team, as positions in the order of all PEs, of which the last `far` are on the far host.
type Choice = fn(usize, usize) -> Vec<usize>;

/// The teams: of all, in both orders; of every second PE; of one PE on a host and up to three on the other; interleaved.
const TEAMS: [Choice; 7] = [
    |n, _| (0..n).collect(),
    |n, _| (0..n).rev().collect(),
    |n, _| (0..n).step_by(2).collect(),
    |n, _| (1..n).step_by(2).collect(),
    |n, far| [0].into_iter().chain((n - far..n).take(3)).collect(),
    |n, far| (0..n - far).rev().take(3).chain([n - 1]).collect(),
    |n, far| {
        let (near, far): (Vec<_>, Vec<_>) = ((0..n - far).collect(), (n - far..n).rev().collect());
        (0..n).flat_map(|i| far.get(i).into_iter().chain(near.get(i)).copied().collect::<Vec<_>>()).collect()
    },
];

/// Each job, on both hosts.
pub(crate) fn teams_straddle_the_hosts() {
    let this = std::env::current_exe().expect("the test has a path");
    for npes in [[1, 1], [2, 1], [2, 2], [4, 3]] {
        for check in ["0", "1"] {
            let mut link = link();
            let (bytes, out) = counted(&mut link, |link| -> Command {
                let mut command = link.oshrun(npes);
                command.env("SHMEM_CHECK", check).args(["-x", "SHMEM_CHECK"]);
                command.arg(&this).args([PROGRAM, &npes[1].to_string()]);
                command
            });
            let expected: String = (0..TEAMS.len()).map(|team| format!("team {team}\n")).collect();
            assert_eq!(out, expected, "{npes:?}");
            // In each round of each length every member of the team of all gets the values of the other host.
            let least = 8 * LENGTHS.iter().sum::<usize>() * LENGTHS.len() * npes[0] * npes[1];
            assert!(bytes > least, "{npes:?}: {bytes} bytes have crossed the cable");
        }
    }
}

/// A value that no other element of any PE and time has, with digits that a sum of several rounds off.
fn value(pe: usize, time: usize, i: usize) -> f64 {
    1e3 / (1 + pe + MOST * (i + 4000 * time)) as f64
}

#[shmem::main]
pub(crate) fn teams(world: &World) -> Result<(), shmem::Error> {
    let far: usize = std::env::args().nth(2).and_then(|text| text.parse().ok()).expect("a number of PEs");
    for (number, choice) in TEAMS.iter().enumerate() {
        let pes = choice(world.n_pes(), far);
        if let Some(team) = world.team().split_list(&pes)? {
            for (time, len) in LENGTHS.into_iter().enumerate() {
                meets(&team, &pes, time);
                moves(&team, &pes, time, len);
            }
        }
        world.barrier_all();
        if world.my_pe() == 0 {
            println!("team {number}");
        }
    }
    Ok(())
}

/// What a member has put before a barrier is there after it.
fn meets(team: &Team, pes: &[usize], time: usize) {
    let me = pes[team.my_pe()];
    let now = (time * MOST) as u64;
    for &pe in pes {
        remote!(ROW[pe, me] = now);
    }
    team.barrier();
    for &pe in pes {
        // The member may have gone on.
        let found = local!(ROW[pe]);
        assert!(found == now || found == now + 1, "{found} of PE {pe} at {now}");
    }
    team.sync();
    for &pe in pes {
        remote!(ROW[pe, me] = now + 1);
    }
    team.barrier();
    assert!(pes.iter().all(|&pe| local!(ROW[pe]) == now + 1));
    team.sync();
}

/// Collectives, beside what they are by definition.
fn moves(team: &Team, pes: &[usize], time: usize, len: usize) {
    let n = pes.len();
    let row = |rank: usize| -> Vec<f64> { (0..len).map(|i| value(pes[rank], time, i)).collect() };
    let me = team.my_pe();
    let mine = row(me);
    for root in 0..n {
        let mut values = if me == root { mine.clone() } else { vec![0.0; len] };
        team.broadcast_values(&mut values, root);
        assert_eq!(values, row(root), "from {root}");
    }
    assert_eq!(team.fcollect_value(mine[0]), (0..n).map(|rank| row(rank)[0]).collect::<Vec<_>>());
    let part = |rank: usize| row(rank)[..len * (rank + 1) / n].to_vec();
    assert_eq!(team.collect_values(&part(me)), (0..n).flat_map(part).collect::<Vec<_>>());
    // Floats are added in the order of the team.
    let sum = |ranks: usize, i: usize| {
        let of = |rank: usize| value(pes[rank], time, i);
        (1..=ranks).fold(of(0), |sum, rank| sum + of(rank))
    };
    let mut sums = mine.clone();
    team.reduce_values(Sum, &mut sums);
    assert_eq!(sums, (0..len).map(|i| sum(n - 1, i)).collect::<Vec<_>>());
    assert_eq!(team.reduce_value(Sum, mine[0]), sum(n - 1, 0));
    assert_eq!(team.scan_value(Sum, mine[0]), sum(me, 0));
}
