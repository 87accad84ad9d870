//! Gather, scatter and reductions to one PE.

use shmem::prelude::*;
use shmem::reduction::{Max, Sum};

use crate::model::{Part, Place, Teams, all, compare, mix, place, values};

#[symmetric]
static A: [u64; 16_000] = [0; 16_000];
#[symmetric]
static B: [u64; 16_000] = [0; 16_000];
#[symmetric]
static FLOATS: [f64; 2_000] = [0.0; 2_000];

/// Pairs of selections, of `to` and `from` elements: of two objects, with and without gaps, and of one,
/// apart and overlapping.
fn pairs(to: usize, from: usize) -> Vec<(Place<'static, u64>, Place<'static, u64>)> {
    vec![
        (place!(A, 0, 3, to, 1), place!(B, 1, 1, from, 1)),
        (place!(A, 0, 1, to, 2), place!(B, 1, 2, from, 3)),
        (place!(A, 0, 4, to, 1), place!(A, 0, 4, from, 1)),
        (place!(A, 0, 4, to, 1), place!(A, 0, 5, from, 1)),
        (place!(A, 0, 9, to, 1), place!(A, 0, 4, from, 2)),
        (place!(A, 0, 4, to, 2), place!(A, 0, 5, from, 2)),
    ]
}

/// Some roots, the same on all members.
fn roots(team: &Team, seed: u64) -> impl Iterator<Item = usize> + use<> {
    (mix(seed) as usize % team.n_pes()..team.n_pes()).step_by(3)
}

/// Lengths of the part of a PE, in elements: small and large ones.
const LENGTHS: [usize; 7] = [0, 1, 2, 16, 17, 512, 700];

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn gathers(world: &World) {
    for (name, team) in Teams::of(world).each() {
        for n in LENGTHS {
            for (to, from) in pairs(n * team.n_pes(), n) {
                for root in roots(team, n as u64) {
                    let call =
                        |team: &Team, to: Part<'_, u64>, from: Part<'_, u64>| team.gather(to, from, root);
                    let what = format!("gather of {n} to {root} on {name}");
                    compare(&what, team, n as u64, (&to, &from), &call, &|sources, rank| {
                        if rank == root { all(sources.concat()) } else { Vec::new() }
                    });
                }
            }
        }
    }
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn scatters(world: &World) {
    for (name, team) in Teams::of(world).each() {
        for n in LENGTHS {
            for (to, from) in pairs(n, n * team.n_pes()) {
                for root in roots(team, n as u64) {
                    let call =
                        |team: &Team, to: Part<'_, u64>, from: Part<'_, u64>| team.scatter(to, from, root);
                    let what = format!("scatter of {n} from {root} on {name}");
                    compare(&what, team, n as u64, (&to, &from), &call, &|sources, rank| {
                        all(sources[root][rank * n..][..n].to_vec())
                    });
                }
            }
        }
    }
}

/// How many elements PE `rank` has, in a case.
fn count(seed: usize, rank: usize) -> usize {
    [0, 1, 5, 130, 600][mix((seed * 16 + rank) as u64) as usize % 5]
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn gathers_of_any_length(world: &World) {
    for (_, team) in Teams::of(world).each() {
        let (me, n_pes) = (team.my_pe(), team.n_pes());
        for seed in 0..12 {
            let root = seed % n_pes;
            let counts: Vec<usize> = (0..n_pes).map(|rank| count(seed, rank)).collect();
            let of = |rank: usize| -> Vec<u64> { values(seed as u64, 0, team.world_pe(rank), counts[rank]) };
            let expected: Vec<u64> = (0..n_pes).flat_map(of).collect();
            let len = expected.len();
            let mine = of(me);
            local!(A[2..2 + mine.len()] = &mine);
            local!(B[..] = 9);
            let given = team.gatherv(local!(&B[1..1 + len + seed]), local!(&A[2..2 + mine.len()]), root);
            assert_eq!(given, counts);
            let untouched = vec![9; if me == root { seed } else { len + seed }];
            let got = if me == root { [&expected[..], &untouched].concat() } else { untouched };
            assert_eq!(local!(B[1..1 + len + seed]), got);
            let gathered = team.gatherv_values(&mine, root);
            assert_eq!(gathered, (me == root).then_some(expected));
            // The same way back.
            let sent = gathered.unwrap_or_default();
            let counts = if me == root { counts } else { Vec::new() };
            assert_eq!(team.scatterv_values(&sent, &counts, root), mine);
            local!(A[..] = 7);
            let (from, to) = (local!(&B[1..1 + len]), local!(&A[3..603]));
            assert_eq!(team.scatterv(to, from, &counts, root), mine.len());
            let expected = [&mine[..], &vec![7; 601 - mine.len()]].concat();
            assert_eq!(local!(A[3..604]), expected[..]);
        }
    }
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn values_of_a_root(world: &World) {
    for (_, team) in Teams::of(world).each() {
        let (me, n) = (team.my_pe(), team.n_pes());
        for root in 0..n {
            let is_root = me == root;
            assert_eq!(team.gather_value(me * 3, root), is_root.then(|| (0..n).map(|pe| pe * 3).collect()));
            // Larger than a slot.
            let large = [me as u64; 700];
            let expected = is_root.then(|| (0..n).map(|pe| [pe as u64; 700]).collect::<Vec<_>>());
            assert!(team.gather_value(large, root) == expected);
            assert_eq!(team.reduce_value_to(Max, me, root), is_root.then_some(n - 1));
            for len in [0, 1, 3, 1000] {
                let all: Vec<u32> = (0..if is_root { len * n } else { me }).map(|at| at as u32).collect();
                let mine: Vec<u32> = (me * len..(me + 1) * len).map(|at| at as u32).collect();
                assert_eq!(team.scatter_values(&all, root), mine);
            }
        }
    }
}

/// The bits are those of a loop over the PEs, as of a reduction of which all PEs get the result.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn reductions_to_a_root(world: &World) {
    for (name, team) in Teams::of(world).each() {
        for n in [0, 1, 3, 16, 17, 130, 700] {
            for (to, from) in pairs(n, n) {
                for root in roots(team, n as u64) {
                    let call = |team: &Team, to: Part<'_, u64>, from: Part<'_, u64>| {
                        team.reduce_to(Sum, to, from, root);
                    };
                    let what = format!("sum of {n} to {root} on {name}");
                    compare(&what, team, n as u64, (&to, &from), &call, &|sources, rank| {
                        let sum = |at: usize| {
                            sources.iter().fold(0_u64, |sum, source| sum.wrapping_add(source[at]))
                        };
                        if rank == root { all((0..n).map(sum).collect()) } else { Vec::new() }
                    });
                }
            }
            let (to, from) = (place!(FLOATS, 0, 1, n, 1), place!(FLOATS, 0, 1, n, 1));
            let root = n % team.n_pes();
            let call =
                |team: &Team, to: Part<'_, f64>, from: Part<'_, f64>| team.reduce_to(Sum, to, from, root);
            compare("a sum of floats", team, n as u64, (&to, &from), &call, &|sources, rank| {
                let sum = |at: usize| {
                    let first = sources[0][at];
                    sources[1..].iter().fold(first, |sum, source| sum + source[at])
                };
                if rank == root { all((0..n).map(sum).collect()) } else { Vec::new() }
            });
        }
    }
}

/// A pair of numbers that do not commute: the digits of one after those of the other.
#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Digits {
    number: u64,
    scale: u64,
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn joined_by_a_function(world: &World) {
    for (_, team) in Teams::of(world).each() {
        let (me, n) = (team.my_pe(), team.n_pes());
        let append =
            |a: Digits, b: Digits| Digits { number: a.number * b.scale + b.number, scale: a.scale * b.scale };
        // A function may make collective calls of its own, the same on all PEs.
        let joined = team.reduce_value_with(Digits { number: me as u64 + 1, scale: 10 }, |a, b| {
            let _ = team.reduce_value(Sum, 1);
            append(a, b)
        });
        let expected: String = (1..=n).map(|digit| digit.to_string()).collect();
        assert_eq!(joined.number.to_string(), expected);
        // Larger than a slot.
        let most = |a: [u64; 700], b: [u64; 700]| if a[699] > b[699] { a } else { b };
        assert_eq!(team.reduce_value_with([me as u64; 700], most), [n as u64 - 1; 700]);

        for seed in 0..20 {
            let of = |rank: usize| mix((seed * 16 + rank) as u64) % 4;
            let all: Vec<u64> = (0..n).map(of).collect();
            let first = |value: u64| all.iter().position(|other| *other == value).expect("it is there");
            let (least, most) = (*all.iter().min().expect("one"), *all.iter().max().expect("one"));
            assert_eq!(team.minloc_value(of(me)), (least, first(least)));
            assert_eq!(team.maxloc_value(of(me)), (most, first(most)));
            // What is no number is left out.
            let float = |value: u64| if value == 3 { f64::NAN } else { value as f64 };
            let numbers: Vec<f64> = all.iter().map(|value| float(*value)).filter(|x| !x.is_nan()).collect();
            let (value, pe) = team.minloc_value(float(of(me)));
            match numbers.iter().copied().reduce(f64::min) {
                Some(least) => assert_eq!((value, pe), (least, first(least as u64))),
                None => assert!(value.is_nan() && pe == 0),
            }
        }
    }
}

/// Selections, and slices in private memory.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn places_joined_by_a_function(world: &World) {
    // Associative, and it does not commute: of linear functions, the second after the first.
    let join = |[a, b]: [u32; 2], [c, d]: [u32; 2]| [c.wrapping_mul(a), c.wrapping_mul(b).wrapping_add(d)];
    let join = |a: u64, b: u64| {
        let parts = |x: u64| [x as u32, (x >> 32) as u32];
        let [low, high] = join(parts(a), parts(b));
        u64::from(low) | u64::from(high) << 32
    };
    for (name, team) in Teams::of(world).each() {
        for n in LENGTHS.into_iter().chain([3000]) {
            for (to, from) in pairs(n, n) {
                let call =
                    |team: &Team, to: Part<'_, u64>, from: Part<'_, u64>| team.reduce_with(to, from, join);
                let what = format!("{n} elements on {name}");
                compare(&what, team, n as u64, (&to, &from), &call, &|sources, _| {
                    let at =
                        |i: usize| sources.iter().map(|source| source[i]).reduce(join).expect("a member");
                    all((0..n).map(at).collect())
                });
            }
            let of = |pe: usize| values::<u64>(n as u64, 0, pe, n);
            let mut mine = of(world.my_pe());
            team.reduce_values_with(&mut mine, join);
            let sources: Vec<Vec<u64>> = team.world_pes().map(of).collect();
            let at = |i: usize| sources.iter().map(|source| source[i]).reduce(join).expect("a member");
            assert_eq!(mine, (0..n).map(at).collect::<Vec<_>>(), "{n} values on {name}");
        }
    }
}

fn said(call: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(call).expect_err("it is refused");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[shmem::test(npes = 2)]
fn wrong_roots_and_lengths(world: &World) {
    let team = world.team();
    let text = said(|| team.gather(local!(&A[0..2]), local!(&B[0..1]), 2));
    assert_eq!(text, "the root of a gather is 2, and the team has 2 PEs (0 to 1)");
    let text = said(|| team.gather(local!(&A[0..3]), local!(&B[0..1]), 0));
    assert!(text.contains("it needs 1 for each of 2 PEs"), "{text}");
    let text = said(|| drop(team.scatter_values(&[1, 2, 3], 1)));
    assert!(text.starts_with("scatter: PE 1 gives 3 values, which do not divide into equal"), "{text}");
    let text = said(|| drop(team.gatherv(local!(&A[0..3]), local!(&B[0..2]), 1)));
    assert!(text.starts_with("the PEs gather 4 elements, and the destination, in `A"), "{text}");
    if world.my_pe() == 0 {
        let text = said(|| drop(team.scatterv_values(&[1], &[1, 1], 0)));
        assert_eq!(text, "scatterv: 2 elements are to be sent, and the source has 1");
        let text = said(|| drop(team.scatterv_values(&[1], &[1], 0)));
        assert_eq!(text, "scatterv: there are 1 counts, and the team has 2 PEs");
    }
}
