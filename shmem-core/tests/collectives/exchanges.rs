//! Broadcast, collect and all-to-all of selections.

use std::ops::Range;

use shmem::prelude::*;

use crate::model::{Call, Part, Place, Teams, Value, all, block, compare, mix, place, values};

/// Elements of 2, 8, 16 and 24 bytes; a type does not matter otherwise.
#[derive(Clone, Copy, Debug, Symmetric)]
#[repr(C)]
struct Body {
    place: [u64; 2],
    mass: u64,
}

impl Value for Body {
    fn of(number: u64) -> Body {
        Body { place: [number, mix(number)], mass: !number }
    }
    fn bits(self) -> u128 {
        u128::from(self.place[0]) << 64 | u128::from(self.place[1] ^ self.mass.rotate_left(7))
    }
}

#[symmetric]
static A: [u64; 10_000] = [0; 10_000];
#[symmetric]
static B: [u64; 10_000] = [0; 10_000];

/// Pairs of selections of one length: the same and other objects, with and without gaps,
/// overlapping and interleaved.
fn pairs(count: usize) -> Vec<(Place<'static, u64>, Place<'static, u64>)> {
    let mut pairs = Vec::new();
    for ((to, to_step), (from, from_step)) in
        [((3, 1), (1, 1)), ((1, 2), (2, 3)), ((1, 1), (2, 2)), ((2, 3), (1, 1))]
    {
        pairs.push((place!(A, 0, to, count, to_step), place!(B, 1, from, count, from_step)));
    }
    for ((to, to_step), (from, from_step)) in [
        ((4, 1), (4, 1)),
        ((4, 2), (4, 2)),
        ((5, 1), (4, 1)),
        ((4, 1), (9, 1)),
        ((4, 1), (4 + count / 2, 1)),
        ((4, 2), (5, 2)),
        ((4, 1), (4, 2)),
        ((4, 2), (4, 1)),
        ((3, 1), (3 + count, 1)),
    ] {
        pairs.push((place!(A, 0, to, count, to_step), place!(A, 0, from, count, from_step)));
    }
    pairs
}

/// Every root, small and large.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn broadcasts(world: &World) {
    let teams = Teams::of(world);
    for (name, team) in teams.each() {
        // The same on all members, which may not be members of the team before.
        let mut seed = 0;
        // With up to 480 bytes, one cell to four, where PEs share cores; more than two go through the slot elsewhere.
        for count in [0, 1, 3, 17, 31, 60, 61, 64, 511, 512, 513, 1500] {
            for (to, from) in pairs(count) {
                seed += 1;
                let roots =
                    if count == 513 { 0..team.n_pes() } else { seed as usize % team.n_pes()..team.n_pes() };
                for root in roots.step_by(2) {
                    let call =
                        |team: &Team, to: Part<'_, u64>, from: Part<'_, u64>| team.broadcast(to, from, root);
                    let what = format!("broadcast of {count} from {root} on {name}");
                    compare(&what, team, seed, (&to, &from), &call, &|sources, _| all(sources[root].clone()));
                }
            }
        }
    }
}

fn alltoalls<T: Value>(team: &Team, what: &str, (to, from): (&Place<'_, T>, &Place<'_, T>)) {
    let n = to.indices.len() / team.n_pes();
    let in_use = |team: &Team, to: Part<'_, T>, from: Part<'_, T>| team.alltoall(to, from);
    let ready = |team: &Team, to: Part<'_, T>, from: Part<'_, T>| {
        team.sync();
        team.alltoall_to_ready(to, from);
    };
    for call in [&in_use as Call<'_, T>, &ready] {
        compare(what, team, n as u64, (to, from), call, &|sources, rank| {
            all(sources.iter().flat_map(|source| source[rank * n..(rank + 1) * n].to_vec()).collect())
        });
    }
}

/// Blocks of every length, with gaps on either side, in place and overlapping.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn all_to_all(world: &World) -> Result<(), shmem::Error> {
    let grid = world.zeros::<u64, 2>([84, 30])?;
    let other = world.zeros::<u64, 2>([84, 31])?;
    let (bodies, taken) = (world.zeros::<Body, 1>([1500])?, world.zeros::<Body, 1>([1500])?);
    let teams = Teams::of(world);
    for (name, team) in teams.each() {
        let n_pes = team.n_pes();
        for n in [0, 1, 2, 7, 64, 512 / n_pes, 512 / n_pes + 1, 1500 / n_pes] {
            for (to, from) in pairs(n * n_pes) {
                alltoalls(team, &format!("alltoall of blocks of {n} on {name}"), (&to, &from));
            }
        }
        // A column for each PE, and some rows.
        let what = format!("alltoall of a grid on {name}");
        for rows in [n_pes, 84 - 84 % n_pes] {
            for columns in [1, 3, 13] {
                let part = ((0, rows, 1), (3, columns, 2));
                alltoalls(team, &what, (&block(&grid, 0, part.0, part.1), &block(&other, 1, part.0, part.1)));
            }
        }
        for n in [1, 20, 200] {
            let what = format!("alltoall of {n} bodies on {name}");
            let (to, from) = (place!(bodies, 0, 1, n * n_pes, 1), place!(taken, 1, 0, n * n_pes, 1));
            alltoalls(team, &what, (&to, &from));
        }
    }
    Ok(())
}

/// The same number of elements of each PE.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn fcollects(world: &World) -> Result<(), shmem::Error> {
    let grid = world.zeros::<u64, 2>([84, 40])?;
    let teams = Teams::of(world);
    let in_use = |team: &Team, to: Part<'_, u64>, from: Part<'_, u64>| team.fcollect(to, from);
    let ready = |team: &Team, to: Part<'_, u64>, from: Part<'_, u64>| {
        team.sync();
        team.fcollect_to_ready(to, from);
    };
    for (name, team) in teams.each() {
        let n_pes = team.n_pes();
        for n in [0, 1, 3, 64, 511, 512, 513, 1200] {
            let compare = |to: &Place<'_, u64>, from: &Place<'_, u64>| {
                let what = format!("fcollect of {n} on {name}");
                for call in [&in_use as Call<'_, u64>, &ready] {
                    compare(&what, team, n as u64, (to, from), call, &|sources, _| all(sources.concat()));
                }
            };
            compare(&place!(A, 0, 1, n * n_pes, 1), &place!(B, 1, 2, n, 1));
            compare(&place!(B, 1, 1, n * n_pes, 1), &place!(A, 0, 2, n, 3));
            // From where its own block will be, from the first, and from across two.
            compare(&place!(A, 0, 3, n * n_pes, 1), &place!(A, 0, 3, n, 1));
            compare(&place!(A, 0, 3, n * n_pes, 1), &place!(A, 0, 3 + n / 2, n, 1));
            compare(&place!(A, 0, 3, n * n_pes, 1), &place!(A, 0, 3 + n * n_pes, n, 1));
            if 2 * n * n_pes < 10_000 {
                compare(&place!(A, 0, 0, n * n_pes, 2), &place!(A, 0, 1, n, 2));
            }
        }
        // One row of each PE, into rows of another array.
        let (to, from) = (block(&grid, 0, (0, n_pes, 3), (1, 38, 1)), place!(A, 1, 7, 38, 1));
        compare("fcollect of rows", team, 3, (&to, &from), &in_use, &|sources, _| all(sources.concat()));
    }
    Ok(())
}

/// How many elements PE `pe` gives in a round: often none, sometimes much more than the others. In some rounds
/// all give few.
fn given(round: usize, pe: usize) -> usize {
    let number = mix((round * 100 + pe) as u64);
    match number % 4 {
        0 => 0,
        _ if round % 8 < 3 => (number >> 8) as usize % 33,
        1 => (number >> 8) as usize % 5,
        2 => (number >> 8) as usize % 100,
        _ => (number >> 8) as usize % 1200,
    }
}

/// Another number of elements of each PE, zeros too.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn collects(world: &World) {
    let teams = Teams::of(world);
    for (name, team) in teams.each() {
        for round in 0..60 {
            let mine = given(round, team.world_pe(team.my_pe()));
            let given: Vec<usize> = team.world_pes().map(|pe| given(round, pe)).collect();
            let sum: usize = given.iter().sum();
            let room = sum + if round % 2 == 0 { 0 } else { 13 };
            let call =
                |team: &Team, to: Part<'_, u64>, from: Part<'_, u64>| assert_eq!(team.collect(to, from), sum);
            // The source is where the destination is, or at another place, which may be another on
            // each PE.
            let (to, from) = match round % 4 {
                0 => (place!(A, 0, 3, room, 1), place!(B, 1, 1, 1200, 1)),
                1 => (place!(B, 1, 0, room, 1), place!(A, 0, 1 + team.my_pe(), 1200, 2)),
                2 => (place!(A, 0, 3, room, 1), place!(A, 0, 3, 1200, 1)),
                _ => (place!(A, 0, 3, room, 1), place!(A, 0, 20, 1200, 1)),
            };
            // All PEs' sources are selected alike but for their numbers of elements, so the model
            // cuts them.
            let cut = Place { part: cut(&from, round % 4, mine, team.my_pe()), ..from };
            let starts = if round % 4 == 1 { 1 } else { 0 };
            let what = format!("collect of {given:?} on {name}, round {round}");
            let seed = round as u64;
            compare(&what, team, seed, (&to, &cut), &call, &|_, _| {
                let mut expected: Vec<Option<u64>> = Vec::new();
                for (rank, pe) in team.world_pes().enumerate() {
                    let shift = starts * (rank as isize - team.my_pe() as isize);
                    let indices = cut.indices.iter().take(given[rank]);
                    let all = values(seed, cut.object, pe, 3000);
                    expected.extend(indices.map(|&index| Some(all[index.strict_add_signed(shift)])));
                }
                expected.resize(room, None);
                expected
            });
        }
    }
}

/// The first `len` elements of one of the sources above.
fn cut<'a>(from: &Place<'a, u64>, kind: usize, len: usize, rank: usize) -> Part<'a, u64> {
    let _ = from;
    match kind {
        0 => place!(B, 1, 1, len, 1).part,
        1 => place!(A, 0, 1 + rank, len, 2).part,
        2 => place!(A, 0, 3, len, 1).part,
        _ => place!(A, 0, 20, len, 1).part,
    }
}

/// How many elements PE `from` sends to PE `to`.
fn sent(round: usize, from: usize, to: usize) -> usize {
    let number = mix((round * 10_000 + from * 100 + to) as u64);
    match number % 3 {
        0 => 0,
        1 => (number >> 8) as usize % 4,
        _ => (number >> 8) as usize % [10, 100, 400][round % 3],
    }
}

/// Random counts, zeros too.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn all_to_all_of_different_counts(world: &World) {
    let teams = Teams::of(world);
    for (name, team) in teams.each() {
        let (n, me) = (team.n_pes(), team.my_pe());
        for round in 0..40 {
            let counts: Vec<usize> = (0..n).map(|to| sent(round, me, to)).collect();
            let expected: Vec<usize> = (0..n).map(|from| sent(round, from, me)).collect();
            let call = |team: &Team, to: Part<'_, u64>, from: Part<'_, u64>| {
                assert_eq!(team.alltoallv(to, from, &counts), expected, "round {round} on {name}");
            };
            let (to, from) = match round % 4 {
                0 => (place!(A, 0, 3, 2800, 2), place!(B, 1, 1, 2800, 3)),
                1 => (place!(B, 1, 0, 2800, 1), place!(A, 0, 1, 2800, 1)),
                2 => (place!(A, 0, 3, 2800, 1), place!(A, 0, 3, 2800, 1)),
                _ => (place!(A, 0, 3, 2800, 1), place!(A, 0, 20, 2800, 2)),
            };
            let what = format!("alltoallv round {round} on {name}");
            compare(&what, team, round as u64, (&to, &from), &call, &|sources, rank| {
                let mut got = Vec::new();
                for (pe, source) in sources.iter().enumerate() {
                    let start: usize = (0..rank).map(|to| sent(round, pe, to)).sum();
                    got.extend(source[start..start + sent(round, pe, rank)].iter().copied().map(Some));
                }
                got.resize(2800, None);
                got
            });
        }
    }
}

/// Where in its source PE `from` has what it sends to PE `to`: anywhere, in any order, overlapping.
fn piece_of(round: usize, from: usize, to: usize) -> Range<usize> {
    let start = mix((round * 7_000 + from * 70 + to + 1) as u64) as usize % 2400;
    start..start + sent(round, from, to)
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn blocks_from_anywhere(world: &World) {
    let teams = Teams::of(world);
    for (name, team) in teams.each() {
        let (n, me) = (team.n_pes(), team.my_pe());
        for round in 0..12 {
            let blocks: Vec<Range<usize>> = (0..n).map(|to| piece_of(round, me, to)).collect();
            let expected: Vec<usize> = (0..n).map(|from| sent(round, from, me)).collect();
            let call = |team: &Team, to: Part<'_, u64>, from: Part<'_, u64>| {
                assert_eq!(team.alltoallv_blocks(to, from, &blocks), expected, "round {round} on {name}");
            };
            let (to, from) = match round % 3 {
                0 => (place!(A, 0, 3, 2800, 2), place!(B, 1, 1, 2800, 3)),
                1 => (place!(B, 1, 0, 2800, 1), place!(A, 0, 1, 2800, 1)),
                _ => (place!(A, 0, 3, 2800, 1), place!(A, 0, 20, 2800, 2)),
            };
            let what = format!("alltoallv_blocks round {round} on {name}");
            compare(&what, team, round as u64, (&to, &from), &call, &|sources, rank| {
                let got =
                    sources.iter().enumerate().flat_map(|(pe, source)| &source[piece_of(round, pe, rank)]);
                let mut got: Vec<Option<u64>> = got.copied().map(Some).collect();
                got.resize(2800, None);
                got
            });
            // The same from private memory: elements of three bytes, the last time more than one round.
            let value = |from: usize, i: usize| [from as u8, i as u8, (i >> 8) as u8];
            let longer = if round == 11 { 900 } else { 0 };
            let part = |from: usize, to: usize| -> Vec<[u8; 3]> {
                (0..sent(round, from, to) + longer).map(|i| value(from, i)).collect()
            };
            let parts: Vec<Vec<[u8; 3]>> = (0..n).map(|to| part(me, to)).collect();
            let expected: Vec<Vec<[u8; 3]>> = (0..n).map(|from| part(from, me)).collect();
            assert!(team.alltoallv_values(&parts) == expected, "values in round {round} on {name}");
        }
    }
}

#[shmem::test(npes = 2)]
fn wrong_blocks(world: &World) {
    let said = |blocks: &[Range<usize>]| {
        let call = || world.team().alltoallv_blocks(local!(&A[0..8]), local!(&B[0..4]), blocks);
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).expect_err("it is refused");
        panic.downcast_ref::<String>().cloned().unwrap_or_default()
    };
    assert_eq!(said(&[0..2, 0..1, 3..4]), "alltoallv: there are 3 blocks, and the team has 2 PEs");
    #[allow(clippy::reversed_empty_ranges, reason = "that it is one")]
    let text = said(&[0..2, 3..1]);
    assert_eq!(text, "alltoallv: the block for PE 1, 3..1, ends before it begins");
    let text = said(&[0..2, 3..5]);
    assert!(
        text.starts_with("alltoallv: the block for PE 1, 3..5, ends beyond the source, in `B: ["),
        "{text}"
    );
    assert!(text.ends_with("which has 4 elements"), "{text}");
}

/// The place is that of the call.
#[shmem::test(npes = 2)]
fn a_collect_without_room(world: &World) {
    let place = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let noted = place.clone();
    std::panic::set_hook(Box::new(move |info| {
        *noted.lock().unwrap() = info.location().map_or_else(String::new, ToString::to_string);
    }));
    for len in [3, 300] {
        let line = line!() + 1;
        let call = || world.team().collect(local!(&A[..len]), local!(&B[..len - world.my_pe()]));
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).expect_err("it is refused");
        let text = panic.downcast_ref::<String>().expect("a message");
        assert!(text.starts_with(&format!("the PEs collect {} elements, and the destination", 2 * len - 1)));
        assert!(text.ends_with(&format!("has room for {len}")), "{text}");
        let place = place.lock().unwrap().clone();
        assert!(place.starts_with(&format!("{}:{line}:", file!())), "{place}");
    }
}

/// A mebibyte and more.
#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "48M")]
fn large(world: &World) -> Result<(), shmem::Error> {
    let n_pes = world.n_pes();
    let n = ((1 << 17) + 77) / n_pes;
    let (a, b) = (world.zeros::<u64, 1>([n * n_pes + 9])?, world.zeros::<u64, 1>([2 * n * n_pes + 9])?);
    let team = world.team();
    let many = n * n_pes;
    alltoalls(team, "a mebibyte", (&place!(a, 0, 1, many, 1), &place!(b, 1, 3, many, 1)));
    alltoalls(team, "a mebibyte with gaps", (&place!(a, 0, 1, many, 1), &place!(b, 1, 3, many, 2)));
    alltoalls(team, "a mebibyte in place", (&place!(b, 0, 1, many, 2), &place!(b, 0, 1, many, 2)));
    let fcollect = |team: &Team, to: Part<'_, u64>, from: Part<'_, u64>| team.fcollect(to, from);
    let (to, from) = (place!(a, 0, 5, many, 1), place!(b, 1, 2, n, 1));
    compare("a mebibyte", team, 3, (&to, &from), &fcollect, &|sources, _| all(sources.concat()));
    let collect =
        |team: &Team, to: Part<'_, u64>, from: Part<'_, u64>| assert_eq!(team.collect(to, from), many);
    compare("a mebibyte", team, 4, (&to, &from), &collect, &|sources, _| all(sources.concat()));
    let broadcast = |team: &Team, to: Part<'_, u64>, from: Part<'_, u64>| team.broadcast(to, from, n_pes / 2);
    // Of 24,000 bytes, two pieces go through the slot of the root.
    for (what, count) in [("a mebibyte", many), ("two pieces", 3000)] {
        for (to, from) in [
            (place!(a, 0, 5, count, 1), place!(b, 1, 2, count, 1)),
            (place!(a, 0, 5, count, 1), place!(b, 1, 2, count, 2)),
            (place!(b, 1, 2, count, 1), place!(b, 1, 5, count, 1)),
            (place!(b, 1, 2, count, 1), place!(b, 1, 2, count, 1)),
        ] {
            compare(what, team, 5, (&to, &from), &broadcast, &|sources, _| all(sources[n_pes / 2].clone()));
        }
    }
    Ok(())
}

/// Large and small broadcasts in a row, with nothing between them that synchronises: a PE that has returned uses its source
/// and its destination for something else at once.
#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "8M")]
fn broadcasts_in_a_row(world: &World) -> Result<(), shmem::Error> {
    // In place, or in two pieces between hosts; few enough for a cell; and through the slot in one piece and in several.
    const LENGTHS: [usize; 11] = [40_000, 1, 5000, 10, 33_000, 2048, 2049, 4096, 4097, 8192, 8193];
    let (a, b) = (world.zeros::<u64, 1>([40_000])?, world.zeros::<u64, 1>([40_000])?);
    let (team, me) = (world.team(), world.my_pe());
    let value = |round: usize, i: usize| mix((round << 20 | i) as u64);
    // After one of a word, so many in two pieces that PEs on different hosts meet between two pieces of one.
    let first = [1].into_iter().chain([33_000; 70]);
    for (round, n) in first.chain((0..100).map(|round| LENGTHS[round % LENGTHS.len()])).enumerate() {
        let root = round * 5 / 3 % world.n_pes();
        if me == root {
            let values: Vec<u64> = (0..n).map(|i| value(round, i)).collect();
            local!(b[..n] = &values[..]);
        }
        team.broadcast(local!(&a[..n]), local!(&b[..n]), root);
        let wrong = local!(a[..n]).into_iter().enumerate().find(|&(i, found)| found != value(round, i));
        assert_eq!(wrong, None, "{n} elements from {root} in round {round}");
        local!(a[..n]) = u64::MAX;
        if me == root {
            local!(b[..n]) = u64::MAX;
        }
    }
    Ok(())
}

/// More PEs than meet at once, where they are on as many hosts: they meet in rounds, and a C library's own routines
/// move large blocks.
#[shmem::test(npes = 17)]
fn many_parties(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    for (turn, count) in [(0, 1), (1, 64), (2, 256), (3, 64)] {
        let total = n * count;
        for (to, place) in (0..total).enumerate() {
            local!(B[to]) = (turn * n + me) as u64 * 1_000_000 + place as u64;
        }
        collective!(A[..total] = alltoall B[..total]);
        for (i, value) in local!(A[..total]).into_iter().enumerate() {
            let (from, at) = (i / count, me * count + i % count);
            assert_eq!(
                value,
                (turn * n + from) as u64 * 1_000_000 + at as u64,
                "element {i} of {count} from each"
            );
        }
        collective!(A[..total] = fcollect B[..count]);
        for (i, value) in local!(A[..total]).into_iter().enumerate() {
            assert_eq!(value, (turn * n + i / count) as u64 * 1_000_000 + (i % count) as u64);
        }
        let (mine, root) = (me as u64 + 1, (5 * turn + 3) % n);
        assert_eq!(collective!(sum mine), (n * (n + 1) / 2) as u64);
        assert_eq!(collective!(broadcast mine from root), root as u64 + 1);
    }
}

/// Two destinations in turn are ready without a synchronisation. Now and then, a PE comes late.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn two_destinations_in_turn(world: &World) -> Result<(), shmem::Error> {
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let of = |round: usize, from: usize, to: usize| (mix((round * 64 + from) as u64) ^ to as u64) | 1;
    for n in [1, 40, 3000] {
        let from = world.zeros::<u64, 2>([n_pes, n])?;
        let to = world.zeros::<u64, 3>([2, n_pes, n])?;
        for round in 0..60 {
            for pe in 0..n_pes {
                local!(from[pe, ..]) = of(round, me, pe);
            }
            if round % 10 == 0 && round / 10 % n_pes == me {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            let turn = round % 2;
            if round % 3 < 2 {
                collective!(to[turn, .., ..] = alltoall from[.., ..] to ready);
            } else {
                collective!(to[turn, .., ..] = fcollect from[round % n_pes, ..] to ready);
            }
            for pe in 0..n_pes {
                let block = if round % 3 < 2 { me } else { round % n_pes };
                let got = local!(to[turn, pe, ..]);
                assert!(
                    got.iter().all(|&word| word == of(round, pe, block)),
                    "{n}, round {round}, from {pe}"
                );
            }
            // What comes too early would be seen in the next round.
            local!(to[turn, .., ..]) = 0;
        }
    }
    Ok(())
}
