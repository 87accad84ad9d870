//! Many collectives in a row, with no other synchronisation: no PE may run ahead of what another
//! still reads.

use shmem::prelude::*;
use shmem::reduction::{Max, Sum};

use crate::model::{Teams, mix};

#[symmetric]
static SHORT: [u64; 16] = [0; 16];
#[symmetric]
static LONG: [u64; 1200] = [0; 1200];
#[symmetric]
static ALL: [u64; 8400] = [0; 8400];

/// Keeps a PE back for a moment, another one each time, so that the others run ahead if they can.
fn dawdle(round: usize, rank: usize) {
    if mix((round * 16 + rank) as u64).is_multiple_of(23) {
        std::thread::yield_now();
    }
}

/// One collective, of a kind that depends on the round; every PE gives other numbers in every
/// round.
fn one(team: &Team, round: usize) {
    let (rank, n) = (team.my_pe(), team.n_pes());
    let of = |rank: usize| (round * 1000 + rank) as u64;
    let sum: u64 = (0..n).map(of).sum();
    let mine = of(rank);
    dawdle(round, rank);
    match mix(round as u64) % 16 {
        0 => assert_eq!(team.reduce_value(Sum, mine), sum, "round {round}"),
        1 => {
            local!(SHORT[..] = [mine; 16]);
            team.reduce(Sum, local!(&SHORT[0..n]), local!(&SHORT[0..n]));
            assert_eq!(local!(SHORT[0..n]), vec![sum; n], "round {round}");
        }
        2 => {
            local!(LONG[..] = mine);
            team.reduce(Sum, local!(&LONG[0..n + 1000]), local!(&LONG[0..n + 1000]));
            assert_eq!(local!(LONG[0..n + 1000]), vec![sum; n + 1000], "round {round}");
        }
        3 => {
            local!(LONG[..] = mine);
            team.reduce(Max, local!(&LONG[0..1000 + n]), local!(&LONG[8..1008 + n]));
            assert_eq!(local!(LONG[0..1000 + n]), vec![of(n - 1); 1000 + n], "round {round}");
        }
        4 => {
            let root = round % n;
            local!(SHORT[0] = mine);
            team.broadcast(local!(&SHORT[0..n]), local!(&SHORT[0..n]), root);
            assert_eq!(local!(SHORT[0]), of(root), "round {round}");
        }
        5 => {
            let root = round % n;
            local!(LONG[..] = mine);
            team.broadcast(local!(&LONG[0..n + 1000]), local!(&LONG[0..n + 1000]), root);
            assert_eq!(local!(LONG[0..n + 1000]), vec![of(root); n + 1000], "round {round}");
        }
        6 => assert_eq!(team.broadcast_value(mine, round % n), of(round % n), "round {round}"),
        7 => {
            local!(SHORT[..] = mine);
            team.fcollect(local!(&ALL[0..n]), local!(&SHORT[0..1 + n - n]));
            assert_eq!(local!(ALL[0..n]), (0..n).map(of).collect::<Vec<_>>(), "round {round}");
        }
        8 => {
            local!(LONG[..] = mine);
            team.fcollect(local!(&ALL[0..1100 * n]), local!(&LONG[0..1100 * n / n]));
            let got = local!(ALL[0..1100 * n]);
            assert!((0..1100 * n).all(|i| got[i] == of(i / 1100)), "round {round}");
        }
        9 => {
            local!(SHORT[..] = mine);
            let given = (round + rank) % 3;
            let expected: Vec<u64> = (0..n).flat_map(|rank| vec![of(rank); (round + rank) % 3]).collect();
            let all = team.collect(local!(&ALL[0..3 * n]), local!(&SHORT[0..given]));
            assert_eq!(local!(ALL[0..all]), expected, "round {round}");
        }
        10 => {
            let got = team.collect_values(&vec![mine; rank * 100]);
            assert!(
                got == (0..n).flat_map(|rank| vec![of(rank); rank * 100]).collect::<Vec<_>>(),
                "round {round}"
            );
        }
        11 => {
            let blocks: Vec<u64> = (0..n as u64).map(|to| mine * 100 + to).collect();
            local!(SHORT[0..n] = &blocks);
            team.alltoall(local!(&SHORT[0..n]), local!(&SHORT[0..n]));
            let expected: Vec<u64> = (0..n).map(|from| of(from) * 100 + rank as u64).collect();
            assert_eq!(local!(SHORT[0..n]), expected, "round {round}");
        }
        12 => {
            let blocks: Vec<u64> = (0..1100 * n).map(|i| mine * 100 + (i / 1100) as u64).collect();
            local!(ALL[0..1100 * n] = &blocks);
            team.alltoall(local!(&ALL[0..1100 * n]), local!(&ALL[0..1100 * n]));
            let got = local!(ALL[0..1100 * n]);
            assert!((0..1100 * n).all(|i| got[i] == of(i / 1100) * 100 + rank as u64), "round {round}");
        }
        13 => {
            local!(SHORT[..] = mine);
            team.scan(Sum, local!(&SHORT[0..n]), local!(&SHORT[0..n]));
            assert_eq!(local!(SHORT[0..n]), vec![(0..=rank).map(of).sum::<u64>(); n], "round {round}");
        }
        14 => {
            local!(LONG[..] = mine);
            team.reduce_scatter(Sum, local!(&LONG[0..n]), local!(&LONG[1..1 + n * n]));
            assert_eq!(local!(LONG[0..n]), vec![sum; n], "round {round}");
            // Here others' values are read: it is for the next call to see that nobody is too
            // early.
            assert_eq!(team.exscan_value(mine), (0..rank).map(of).sum(), "round {round}");
        }
        _ => {
            local!(LONG[..] = mine);
            let counts: Vec<usize> = (0..n).map(|to| (round + to) % 4 * 20).collect();
            let got = team.alltoallv(local!(&ALL[0..n * 60]), local!(&LONG[0..n * 60]), &counts);
            assert_eq!(got, vec![(round + rank) % 4 * 20; n], "round {round}");
            let arrived = local!(ALL[0..got.iter().sum()]);
            let expected: Vec<u64> = (0..n).flat_map(|from| vec![of(from); got[from]]).collect();
            assert!(arrived == expected, "round {round}");
        }
    }
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn mixed(world: &World) {
    (0..600).for_each(|round| one(world.team(), round));
}

/// The calls of several teams, one after the other: those of one say nothing of the others.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn mixed_on_teams(world: &World) {
    let teams = Teams::of(world);
    for round in 0..60 {
        for (name, team) in teams.each() {
            one(team, round * 10 + name.len());
        }
    }
}

/// The same call again and again, of each kind: so that a place for values that is used too early
/// is found.
#[shmem::test(npes = [2, 3, 4, 7])]
fn the_same(world: &World) {
    for kind in 0..16 {
        (0..)
            .filter(|&round| mix(round as u64) % 16 == kind)
            .take(50)
            .for_each(|round| one(world.team(), round));
    }
}

/// One PE is always late to read what the others have left.
#[shmem::test(npes = [2, 3, 4])]
fn a_slow_reader(world: &World) {
    let n = world.n_pes();
    for round in 0..120_usize {
        let values = |pe: usize| vec![(round * 10 + pe) as u64; 500];
        let slow = round / 30 % n;
        if world.my_pe() == slow {
            (0..20).for_each(|_| std::thread::yield_now());
        }
        let expected: Vec<u64> = (0..n).flat_map(values).collect();
        assert!(world.team().collect_values(&values(world.my_pe())) == expected, "round {round}");
        let sum = (0..n).map(|pe| (round * 10 + pe) as u64).sum::<u64>();
        assert_eq!(world.team().reduce_value(Sum, (round * 10 + world.my_pe()) as u64), sum);
    }
}

/// Broadcasts alone, on so many PEs that some pass them on: each place for values is used often, and a
/// root runs ahead of the others.
#[shmem::test(npes = [7])]
fn broadcasts_alone(world: &World) {
    let teams = Teams::of(world);
    for round in 0..300_usize {
        for (name, team) in teams.each() {
            let (rank, root) = (team.my_pe(), round / 5 % team.n_pes());
            dawdle(round, rank);
            let value = |rank: usize, i: usize| (round * 1000 + rank * 100 + i) as u64;
            // Of 1 to 16 words: one more than the largest for which nobody meets, where PEs are far.
            let mut values: Vec<u64> = (0..=round % 16).map(|i| value(rank, i)).collect();
            let expected: Vec<u64> = (0..values.len()).map(|i| value(root, i)).collect();
            team.broadcast_values(&mut values, root);
            assert_eq!(values, expected, "round {round} on {name}");
        }
    }
}

/// Broadcasts of at most 8 bytes, which have more places than others where PEs are far; and one of more bytes
/// now and then.
#[shmem::test(npes = [2, 3, 7])]
fn short_broadcasts(world: &World) {
    let teams = Teams::of(world);
    for (name, team) in teams.each() {
        let rank = team.my_pe();
        for round in 0..700_usize {
            let root = round / 37 % team.n_pes();
            dawdle(round, rank);
            let len = if round % 97 == 96 { 90 } else { 1 + round % 8 };
            let value = |rank: usize, i: usize| (round * 31 + rank * 7 + i) as u8;
            let mut values: Vec<u8> = (0..len).map(|i| value(rank, i)).collect();
            let expected: Vec<u8> = (0..len).map(|i| value(root, i)).collect();
            team.broadcast_values(&mut values, root);
            assert_eq!(values, expected, "round {round} on {name}");
        }
    }
}

/// Comparing the calls is a meeting more for each: a PE that runs ahead is caught without it.
#[test]
fn unchecked() {
    let mut command = std::process::Command::new(std::env::current_exe().expect("the path of this binary"));
    command.args(["rows::", "--skip", "unchecked", "--show-output"]);
    let output = command.env("SHMEM_CHECK", "0").output().expect("the binary starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("6 passed"), "{text}");
}
