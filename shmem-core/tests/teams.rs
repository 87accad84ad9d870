//! Teams: who is in them, with which numbers, and that they keep out of each other's way.

use shmem::prelude::*;

#[symmetric]
static ROW: [u32; 4] = [0; 4];

/// Every way of writing a strided team, against a plain list.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn strided(world: &World) {
    let n = world.n_pes();
    let me = world.my_pe();
    for start in 0..n {
        for stride in -3_isize..=3 {
            for size in 1..=n {
                let list: Vec<isize> = (0..size as isize).map(|i| start as isize + stride * i).collect();
                let legal =
                    list.iter().all(|&pe| (0..n as isize).contains(&pe)) && (stride != 0 || size == 1);
                let team = world.team().split_strided(start, stride, size);
                match team {
                    Err(error) => {
                        assert!(!legal, "{error}");
                        assert!(error.to_string().contains("split_strided(start"), "{error}");
                    }
                    Ok(team) => {
                        assert!(legal, "start {start} stride {stride} size {size}");
                        let rank = list.iter().position(|&pe| pe == me as isize);
                        assert_eq!(team.as_ref().map(Team::my_pe), rank);
                        let Some(team) = team else { continue };
                        assert_eq!(team.n_pes(), size);
                        assert_eq!(team.world_pes().map(|pe| pe as isize).collect::<Vec<_>>(), list);
                        assert_eq!(team.translate(size - 1, world.team()), Some(list[size - 1] as usize));
                        for pe in 0..n {
                            let expected = list.iter().position(|&member| member == pe as isize);
                            assert_eq!(world.team().translate(pe, &team), expected);
                        }
                        team.barrier();
                        let sum = team.reduce_value(shmem::reduction::Sum, me as isize);
                        assert_eq!(sum, list.iter().sum::<isize>());
                    }
                }
            }
        }
    }
}

/// What a team says of itself, against the list of its members.
#[track_caller]
fn check(world: &World, team: Option<&Team>, list: &[usize]) {
    let rank = list.iter().position(|&pe| pe == world.my_pe());
    assert_eq!(team.map(Team::my_pe), rank, "{list:?}");
    let Some(team) = team else { return };
    assert_eq!(team.n_pes(), list.len());
    assert_eq!(team.world_pes().collect::<Vec<_>>(), list);
    for (rank, &pe) in list.iter().enumerate() {
        assert_eq!((team.world_pe(rank), team.translate(rank, world.team())), (pe, Some(pe)));
    }
    for pe in 0..world.n_pes() {
        assert_eq!(world.team().translate(pe, team), list.iter().position(|&member| member == pe));
    }
    let all: Vec<usize> = team.collect_values(&[world.my_pe()]);
    assert_eq!(all, list);
}

/// Grids with rows of every length, the last one short, and rows longer than the team.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn grids(world: &World) {
    let (n, me) = (world.n_pes(), world.my_pe());
    let teams = [None, world.team().split_strided(n - 1, -1, n).expect("there is room")];
    for team in teams.iter().map(|team| team.as_ref().unwrap_or(world.team())) {
        for xrange in (1..=n + 2).chain([usize::MAX]) {
            let (row, column) = team.split_2d(xrange).expect("there is room");
            let (range, rank) = (xrange.min(n), team.my_pe());
            assert_eq!((row.my_pe(), column.my_pe()), (rank % range, rank / range));
            let world_pes =
                |ranks: Vec<usize>| ranks.iter().map(|&rank| team.world_pe(rank)).collect::<Vec<_>>();
            check(world, Some(&row), &world_pes((0..n).filter(|pe| pe / range == rank / range).collect()));
            check(world, Some(&column), &world_pes((0..n).filter(|pe| pe % range == rank % range).collect()));
        }
        let error = team.split_2d(0).expect_err("a row has PEs").to_string();
        assert_eq!(team.collect_values(error.as_bytes()), error.repeat(n).as_bytes(), "the same on all PEs");
    }
    assert_eq!(world.team().reduce_value(shmem::reduction::Max, me), n - 1);
}

/// Colours and keys against a sort; and teams of teams of teams.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn colours(world: &World) {
    let (n, me) = (world.n_pes(), world.my_pe());
    for round in 0..60_usize {
        let of = |pe: usize| {
            let number = (round * 31 + pe * 17 + pe * pe * round) % 97;
            let color = [Some(0), Some(u64::MAX), Some(7), None][number % 4];
            (color, [i64::MIN, -1, 0, 0, i64::MAX][number / 4 % 5])
        };
        let (color, key) = of(me);
        let team = world.team().split_by_color(color, key).expect("there is room");
        let mut list: Vec<usize> = (0..n).filter(|&pe| color.is_some() && of(pe).0 == color).collect();
        list.sort_by_key(|&pe| (of(pe).1, pe));
        check(world, team.as_ref(), &list);
        // The same again within it, the other way round.
        let Some(team) = team else { continue };
        let reversed = team
            .split_by_color(Some(1), -(team.my_pe() as i64))
            .expect("there is room")
            .expect("all are in it");
        list.reverse();
        check(world, Some(&reversed), &list);
        let last = reversed.split_list(&[0]).expect("there is room");
        check(world, last.as_ref(), &list[..1]);
        drop(team);
        if let Some(last) = last {
            last.barrier();
        }
        reversed.barrier();
    }
}

/// Every list of PEs without one twice; and of PEs of a team.
#[shmem::test(npes = [1, 2, 3, 4])]
fn lists(world: &World) {
    let n = world.n_pes();
    let reversed = world.team().split_strided(n - 1, -1, n).expect("there is room").expect("all are in it");
    let mut lists: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..n {
        for list in lists.clone() {
            lists.extend((0..n).filter(|pe| !list.contains(pe)).map(|pe| [list.as_slice(), &[pe]].concat()));
        }
        lists.sort();
        lists.dedup();
    }
    for list in lists.iter().filter(|list| !list.is_empty()) {
        let team = world.team().split_list(list).expect("there is room");
        check(world, team.as_ref(), list);
        let of_team = reversed.split_list(list).expect("there is room");
        let list: Vec<usize> = list.iter().map(|&rank| reversed.world_pe(rank)).collect();
        check(world, of_team.as_ref(), &list);
    }
}

/// The text of an error, which must be the same on all PEs.
#[track_caller]
fn same_error<T: std::fmt::Debug>(team: &Team, result: Result<T, shmem::Error>, part: &str) {
    let error = result.expect_err("the arguments are wrong").to_string();
    assert!(error.contains(part) && error.contains(" at shmem-core/tests/teams.rs:"), "{error}");
    let all = team.collect_values(error.as_bytes());
    assert_eq!(String::from_utf8(all).expect("a text"), error.repeat(team.n_pes()));
}

/// Wrong arguments are an error on every PE, in the same words, and nothing is left behind.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn wrong_arguments(world: &World) {
    let n = world.n_pes();
    let reversed = world.team().split_strided(n - 1, -1, n).expect("there is room").expect("all are in it");
    for _ in 0..20 {
        for team in [world.team(), &reversed] {
            same_error(team, team.split_strided(0, 1, 0), "at least one PE");
            same_error(team, team.split_strided(n, 1, 1), "not all of them are PEs");
            same_error(team, team.split_strided(0, 1, n + 1), "not all of them are PEs");
            same_error(team, team.split_strided(n - 1, -1, n + 1), "not all of them are PEs");
            same_error(team, team.split_strided(0, 0, 2), "again and again");
            same_error(team, team.split_strided(0, isize::MAX, 2), "not all of them are PEs");
            same_error(team, team.split_strided(0, isize::MIN, 2), "not all of them are PEs");
            same_error(team, team.split_strided(0, 2, usize::MAX), "not all of them are PEs");
            same_error(team, team.split_strided(usize::MAX, 1, 2), "not all of them are PEs");
            same_error(team, team.split_list(&[]), "the list has no PE");
            same_error(team, team.split_list(&[0, n]), &format!("there is no PE {n}"));
            same_error(team, team.split_list(&[n - 1, n - 1]), "twice");
            same_error(team, team.split_2d(0), "a row has at least one PE");
            if n > 1 {
                let me = team.my_pe();
                let (first, second) =
                    ("PE 0 of the team calls split_strided(start 0, ", ", and PE 1 split_strided(start 1, ");
                same_error(team, team.split_strided(me % 2, 1, 1), first);
                same_error(team, team.split_strided(me % 2, 1, 1), second);
                let last = |pe| usize::from(pe == n - 1);
                same_error(
                    team,
                    team.split_2d(1 + last(me)),
                    &format!(", and PE {} split_2d(xrange 2) at ", n - 1),
                );
                same_error(team, team.split_list(&[me]), ", and PE 1 split_list([1]) at ");
                let long: Vec<usize> = (0..9 + last(me)).map(|pe| pe % n).collect();
                let other = ", …] of 9 PEs) at ";
                same_error(team, team.split_list(&long), other);
            }
        }
    }
    check(world, Some(&reversed), &(0..n).rev().collect::<Vec<_>>());
}

/// Slots are used again: thousands of teams, of which two live at a time, dropped in other orders
/// on other PEs.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn thousands(world: &World) {
    let (n, me) = (world.n_pes(), world.my_pe());
    let mut before: Option<Team> = None;
    for round in 0..1000_usize {
        let start = round % n;
        let team = match round % 3 {
            0 => world.team().split_strided(start, 1, n - start),
            1 => world.team().split_strided(start, -1, start + 1),
            _ => world.team().split_by_color(Some(((me + round) % 2) as u64), 0),
        };
        let team = team.expect("all others were dropped");
        if let Some(team) = &team {
            let sum = team.reduce_value(shmem::reduction::Sum, me + round);
            assert_eq!(sum, team.world_pes().map(|pe| pe + round).sum::<usize>(), "round {round}");
        }
        if let Some(before) = &before {
            let max = before.reduce_value(shmem::reduction::Max, me * round);
            assert_eq!(Some(max), before.world_pes().map(|pe| pe * round).max(), "round {round}");
        }
        if (me + round) % 2 == 0 {
            before = None;
        }
        before = team.or(before.filter(|_| false));
    }
}

/// A member that is slow to read what the others have left finds it there, though they drop the
/// team and make new ones.
#[shmem::test(npes = [3, 4, 7])]
fn a_slow_member(world: &World) -> Result<(), shmem::Error> {
    let (n, me) = (world.n_pes(), world.my_pe());
    let fast = world.team().split_strided(0, 1, n - 1)?;
    for round in 0..100_u64 {
        let values = |pe: usize| vec![round * 100 + pe as u64; 500];
        // The slow one is its first or its last: where the members count themselves out, or not.
        let team = world.team().split_strided(
            if round % 2 == 0 { 0 } else { n - 1 },
            if round % 2 == 0 { 1 } else { -1 },
            n,
        )?;
        let team = team.expect("all are in it");
        if me == n - 1 {
            (0..30).for_each(|_| std::thread::yield_now());
        }
        let expected: Vec<u64> = team.world_pes().flat_map(values).collect();
        assert!(team.collect_values(&values(me)) == expected, "round {round}");
        assert_eq!(team.reduce_value(shmem::reduction::Sum, me), n * (n - 1) / 2);
        drop(team);
        if let Some(fast) = &fast {
            for again in 0..3 {
                let new = fast.split_strided(n - 2, -1, n - 1)?.expect("all are in it");
                let sum = new.reduce_value(shmem::reduction::Sum, me + again);
                assert_eq!(sum, (n - 1) * (n - 2) / 2 + (n - 1) * again, "round {round}");
                let all = new.collect_values(&vec![round + 7 + me as u64; 512]);
                assert_eq!(all.len(), 512 * (n - 1));
            }
        }
    }
    Ok(())
}

/// Where one PE is in too many teams, all PEs are told, whichever way the team is split; with one
/// team less there is room again.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn too_many(world: &World) -> Result<(), shmem::Error> {
    let (n, me) = (world.n_pes(), world.my_pe());
    for round in 0..3 {
        // PE 0 is in 64, the others in one.
        let alone = |team: &Team| team.split_by_color((me == 0).then_some(1), 0);
        let mut full: Vec<Team> = Vec::new();
        for _ in 0..63 {
            full.extend(alone(world.team())?);
        }
        assert_eq!(full.len(), if me == 0 { 63 } else { 0 });
        let team = world.team();
        for made in [
            // Of PE 0 alone, of PE 0 and the last, and a team without PE 0 beside one with it.
            team.split_strided(0, 1, 1),
            team.split_list(&[n - 1, 0][..n.min(2)]),
            team.split_by_color(Some(u64::from(me >= 2)), 0),
        ] {
            let error = made.expect_err("PE 0 has no room").to_string();
            assert!(error.contains("in 64 teams at a time"), "round {round}: {error}");
        }
        // Without PE 0 there is room, also where a place was taken and given back.
        if n > 1 {
            let others = team.split_strided(1, 1, n - 1)?;
            check(world, others.as_ref(), &(1..n).collect::<Vec<_>>());
        }
        // Nobody is left with half a grid, and nobody waits.
        let error = world.team().split_2d(2).expect_err("PE 0 has no room").to_string();
        assert!(error.contains("in 64 teams at a time"), "{error}");
        // One place is not enough for a row and a column.
        full.pop();
        let error = world.team().split_2d(2).expect_err("PE 0 has room for one").to_string();
        assert!(error.contains("in 64 teams at a time"), "{error}");
        let pair = world.team().split_list(&[n - 1, 0][..n.min(2)])?;
        check(world, pair.as_ref(), &[n - 1, 0][..n.min(2)]);
        drop(pair);
        // All that were made still work, and the places of those that were dropped are free.
        full.iter().for_each(|team| assert_eq!(team.reduce_value(shmem::reduction::Sum, 3), 3));
        full.pop();
        world.barrier_all();
        let (row, column) = world.team().split_2d(2)?;
        assert_eq!((row.my_pe(), column.my_pe()), (me % 2, me / 2));
        row.barrier();
        column.barrier();
    }
    Ok(())
}

/// 63 teams of all PEs at once, used in another order than they were made in, and dropped in
/// another order on each PE.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn all_slots(world: &World) -> Result<(), shmem::Error> {
    let (n, me) = (world.n_pes(), world.my_pe());
    for round in 0..3 {
        let mut teams = Vec::new();
        for i in 0..63 {
            teams.push((
                i,
                world.team().split_strided(
                    i % n,
                    if i % n == 0 { 1 } else { -1 },
                    if i % n == 0 { n } else { i % n + 1 },
                )?,
            ));
        }
        for (i, team) in teams.iter().rev().chain(&teams) {
            let Some(team) = team else { continue };
            let sum = team.reduce_value(shmem::reduction::Sum, i * 10 + me);
            assert_eq!(sum, team.world_pes().map(|pe| i * 10 + pe).sum::<usize>(), "round {round}");
        }
        teams.sort_by_key(|(i, _)| (i * (2 * me + 1)) % 64);
        while let Some(team) = teams.pop() {
            drop(team);
        }
        world.barrier_all();
    }
    Ok(())
}

/// Any thread, one at a time.
#[shmem::test(npes = [1, 2, 3])]
fn from_another_thread(world: &World) -> Result<(), shmem::Error> {
    let (n, me) = (world.n_pes(), world.my_pe());
    for round in 0..20 {
        let team = world.team().split_strided(n - 1, -1, n)?.expect("all are in it");
        let sum = std::thread::scope(|scope| {
            scope.spawn(|| team.collect_values(&[me + round])).join().expect("the collective succeeds")
        });
        assert_eq!(sum, (round..n + round).rev().collect::<Vec<_>>());
        // Dropped there, too.
        std::thread::spawn(move || drop(team)).join().expect("dropping succeeds");
    }
    Ok(())
}

/// Two threads of each PE, each with teams of its own, which they split, use and drop at the same
/// time.
#[shmem::test(npes = [2, 3, 4, 7])]
fn two_threads(world: &World) -> Result<(), shmem::Error> {
    let n = world.n_pes();
    let forth = world.team().split_strided(0, 1, n)?.expect("all are in it");
    let back = world.team().split_strided(n - 1, -1, n)?.expect("all are in it");
    let work = |team: &Team| {
        let rank = team.my_pe();
        for round in 0..400_usize {
            let start = round % n;
            let part = team.split_strided(start, 1, n - start).expect("there is room");
            let list: Vec<usize> = (0..n).map(|rank| rank * 1000 + round).collect();
            assert_eq!(team.collect_values(&[rank * 1000 + round]), list, "round {round}");
            let Some(part) = part else { continue };
            for again in 0..3 {
                let got = part.collect_values(&[rank * 1000 + round + again]);
                assert!(
                    got.iter().copied().eq(list[start..].iter().map(|value| value + again)),
                    "round {round}: {got:?}"
                );
            }
        }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| work(&back));
        work(&forth);
        other.join().expect("the other thread succeeds");
    });
    Ok(())
}

/// What a team has no PE for is a panic that says so.
#[shmem::test(npes = 3)]
#[should_panic(expected = "the PE to translate is 2, and the team has 2 PEs (0 to 1)")]
fn no_such_pe(world: &World) {
    let team = world.team().split_strided(2, -1, 2).expect("there is room");
    if let Some(team) = team {
        let _ = team.world_pe(2);
    }
    world.barrier_all();
}

/// Comparing the calls is a meeting more for each: a PE that runs ahead is caught without it.
#[test]
fn unchecked() {
    let mut command = std::process::Command::new(std::env::current_exe().expect("the path of this binary"));
    command.args(["thousands", "a_slow_member", "too_many", "two_threads", "--exact", "--show-output"]);
    let output = command.env("SHMEM_CHECK", "0").output().expect("the binary starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("4 passed"), "{text}");
}

/// The PEs that share memory are those that have addresses here, and all of these tests' are on one
/// host.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn groups(world: &World) {
    let (shared, node) = (world.shared_team(), world.node_team());
    let direct = std::env::var_os("SHMEM_DIRECT").is_none_or(|value| value != "0");
    for pe in 0..world.n_pes() {
        let rank = world.team().translate(pe, shared);
        assert_eq!(rank.map(|rank| shared.world_pe(rank)), rank.and(Some(pe)));
        let has_address = remote!(&ROW[pe, 0]).as_ptr().is_some();
        assert!(if direct { rank.is_some() == has_address } else { !has_address }, "{pe}: {rank:?}");
    }
    assert_eq!(shared.world_pe(shared.my_pe()), world.my_pe());
    assert_eq!(node.world_pes().collect::<Vec<_>>(), (0..world.n_pes()).collect::<Vec<_>>());
    for team in [shared, node] {
        team.barrier();
        assert_eq!(collective!(sum world.my_pe(); on team), team.world_pes().sum());
    }
}
