//! Teams whose members are on several hosts, several on one of them, and collectives of these.

use std::process::Command;
use std::time::Duration;

use shmem::prelude::*;
use shmem::reduction::Sum;

use super::hosts::Cluster;
use super::network::Network;
use super::{cluster, counted, on};

/// Started with this argument, the binary is a PE of the program.
pub(crate) const PROGRAM: &str = "--teams";
/// The most PEs of a job.
const MOST: usize = 8;
/// Lengths in words, each once: of one value, of what fits into a cell or into a slot, and of more.
const LENGTHS: [usize; 4] = [1, 15, 200, 3000];
/// The length of a symmetric object in words: more than a host passes on at once.
const LARGE: usize = 40_000;

/// Lengths of reductions of objects in words: of less than a piece of what goes from host to host, and of several.
const REDUCED: [usize; 2] = [700, 20_000];

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
    for npes in [&[1, 1][..], &[2, 1], &[2, 2], &[4, 3]] {
        for check in ["0", "1"] {
            straddles(cluster(), npes, check);
        }
    }
}

/// A job on four hosts, whose network is slow.
pub(crate) fn teams_straddle_four_hosts() {
    let network =
        Network { latency: Duration::from_micros(100), rate: 1_250_000_000, lost: 0, goes_first: false };
    straddles(on(network, 4), &[2, 1, 3, 1], "0");
}

/// A network that loses one of fifty packets, and is slower, changes no result.
pub(crate) fn a_network_that_loses_packets_changes_no_result() {
    let network =
        Network { latency: Duration::from_millis(1), rate: 125_000_000, lost: 20, goes_first: false };
    straddles(on(network, 3), &[2, 1, 1], "0");
}

/// Runs the program with so many PEs on each host.
fn straddles(mut cluster: Cluster, npes: &[usize], check: &str) {
    let this = std::env::current_exe().expect("the test has a path");
    let far: usize = npes[1..].iter().sum();
    let (bytes, out) = counted(&mut cluster, |cluster| -> Command {
        let mut command = cluster.oshrun(npes);
        command.env("SHMEM_CHECK", check).args(["-x", "SHMEM_CHECK"]);
        command.arg(&this).args([PROGRAM, &far.to_string()]);
        command
    });
    let expected: String = (0..TEAMS.len()).map(|team| format!("team {team}\n")).collect();
    assert_eq!(out, expected, "{npes:?}");
    // In each round of each length every member of the team of all gets the values of the other hosts.
    let least = 8 * LENGTHS.iter().sum::<usize>() * LENGTHS.len() * npes[0] * far;
    assert!(bytes > least, "{npes:?}: {bytes} bytes have crossed the cable");
}

/// A value that no other element of any PE and time has, with digits that a sum of several rounds off.
fn value(pe: usize, time: usize, i: usize) -> f64 {
    1e3 / (1 + pe + MOST * (i + 4000 * time)) as f64
}

#[shmem::main]
pub(crate) fn teams(world: &World) -> Result<(), shmem::Error> {
    let row = world.zeros::<f64, 1>([LARGE])?;
    let rows = world.zeros::<f64, 1>([MOST * LARGE])?;
    let far: usize = std::env::args().nth(2).and_then(|text| text.parse().ok()).expect("a number of PEs");
    for (number, choice) in TEAMS.iter().enumerate() {
        let pes = choice(world.n_pes(), far);
        if let Some(team) = world.team().split_list(&pes)? {
            for (time, len) in LENGTHS.into_iter().enumerate() {
                meets(&team, &pes, time);
                moves(&team, &pes, time, len);
            }
            moves_objects(&team, &pes, &row, &rows);
            // Of more, the team of all: where several PEs share a core, each message takes them a turn.
            for len in REDUCED.into_iter().take(if number == 0 { 2 } else { 1 }) {
                reduces_objects(&team, &pes, &row, &rows, len);
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

/// Collectives of symmetric objects, one after the other: nothing but they themselves keeps one from writing what
/// another PE still uses.
#[shmem::kernel]
fn moves_objects(team: &Team, pes: &[usize], row: &SymmetricArray<f64, 1>, rows: &SymmetricArray<f64, 1>) {
    let (me, n, len) = (team.my_pe(), pes.len(), LARGE);
    for time in 0..2 {
        for (root, &of_root) in pes.iter().enumerate() {
            local!(row[..]) = value(pes[me], time, root);
            team.broadcast(local!(&rows[..len]), local!(&row[..]), root);
            local!(row[..]) = f64::NAN;
            assert!(
                local!(rows[..len]).iter().all(|&found| found == value(of_root, time, root)),
                "from {root}"
            );
            local!(rows[..len]) = f64::NAN;
        }
        let part = len / n;
        local!(row[..]) = value(pes[me], time, me);
        team.fcollect(local!(&rows[..n * part]), local!(&row[..part]));
        local!(row[..part]) = f64::NAN;
        let is_of = |i: usize| value(pes[i / part], time, i / part);
        assert!(
            local!(rows[..n * part]).into_iter().enumerate().all(|(i, found)| found == is_of(i)),
            "fcollect"
        );
        (0..n).for_each(|pe| local!(row[pe * part..(pe + 1) * part]) = value(pes[me], time, pe));
        team.alltoall(local!(&rows[..n * part]), local!(&row[..n * part]));
        local!(row[..]) = f64::NAN;
        let is_of = |i: usize| value(pes[i / part], time, me);
        assert!(
            local!(rows[..n * part]).into_iter().enumerate().all(|(i, found)| found == is_of(i)),
            "alltoall"
        );
    }
}

/// Reductions of symmetric objects, one after the other. Floats are added in the order of the team, so every sum is known
/// to the last bit.
#[shmem::kernel]
fn reduces_objects(
    team: &Team,
    pes: &[usize],
    row: &SymmetricArray<f64, 1>,
    rows: &SymmetricArray<f64, 1>,
    len: usize,
) {
    let (me, n) = (team.my_pe(), pes.len());
    let of = |rank: usize, i: usize| value(pes[rank], 0, i);
    let sum = |i: usize| (1..n).fold(of(0, i), |sum, rank| sum + of(rank, i));
    let mine: Vec<f64> = (0..len).map(|i| of(me, i)).collect();
    let sums: Vec<f64> = (0..len).map(sum).collect();
    local!(row[..len]) = &mine[..];
    team.reduce(Sum, local!(&rows[..len]), local!(&row[..len]));
    local!(row[..len]) = f64::NAN;
    assert_eq!(local!(rows[..len]), sums, "of {len}");
    // In place.
    local!(row[..len]) = &mine[..];
    team.reduce(Sum, local!(&row[..len]), local!(&row[..len]));
    assert_eq!(local!(row[..len]), sums, "of {len}, in place");
    // With gaps. Each element goes in a message of its own.
    let few = len.min(REDUCED[0]);
    local!(row[..few]) = &mine[..few];
    local!(rows[..2 * few]) = -1.0;
    team.reduce(Sum, local!(&rows[..2 * few; 2]), local!(&row[..few]));
    let found = local!(rows[..2 * few]);
    assert!(
        found.chunks_exact(2).zip(&sums).all(|(found, &sum)| found == [sum, -1.0]),
        "of {few}, with gaps"
    );
    // One place further.
    local!(rows[..len]) = &mine[..];
    team.reduce(Sum, local!(&rows[1..1 + len]), local!(&rows[..len]));
    assert_eq!(local!(rows[1..1 + len]), sums, "of {len}, one place further");
    // Of one PE, and of all in parts.
    local!(row[..len]) = &mine[..];
    team.reduce_to(Sum, local!(&rows[..len]), local!(&row[..len]), n - 1);
    assert!(me != n - 1 || local!(rows[..len]) == sums, "of {len}, to the last one");
    let part = len / n;
    team.reduce_scatter(Sum, local!(&rows[..part]), local!(&row[..n * part]));
    assert_eq!(local!(rows[..part]), sums[me * part..(me + 1) * part], "of {len}, in parts");
}
