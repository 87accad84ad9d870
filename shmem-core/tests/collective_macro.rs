//! Every form of `collective!` once, on all PEs and on a team of some, against a plain model.
//!
//! The model of a form is a function of what all members of the team have, in the order of the
//! team.

use shmem::prelude::*;

#[symmetric]
static SRC: [i64; 8] = [0; 8];
#[symmetric]
static DST: [i64; 8] = [0; 8];
#[symmetric]
static GRID: [[i64; 6]; 4] = [[0; 6]; 4];
#[symmetric]
static ONE: i64 = 0;
/// Room for what all PEs give: up to 7, 4 elements each.
#[symmetric]
static ALL: [i64; 28] = [0; 28];
#[symmetric]
static OUT: [i64; 28] = [0; 28];

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    position: [f64; 2],
    mass: i64,
}

#[symmetric]
static BODIES: [Body; 3] = [Body { position: [0.5; 2], mass: 0 }; 3];

/// What PE `pe` of the world has at place `i`.
fn value(pe: usize, i: usize) -> i64 {
    (pe as i64 + 2) * [3, -5, 7, 11, -13, 17, 19, -23][i % 8] + i as i64 % 3
}

/// The teams that a test runs on: of all PEs, `None` as it is written without `on`, and of the odd
/// ones, in reverse.
///
/// Each comes with the numbers of its members in the world; a PE that is no member skips it.
fn each_team(world: &World, mut test: impl FnMut(Option<&Team>, &[usize])) {
    let all: Vec<usize> = (0..world.n_pes()).collect();
    test(None, &all);
    test(Some(world.team()), &all);
    let odd: Vec<usize> = all.iter().rev().copied().filter(|pe| pe % 2 == 1).collect();
    if !odd.is_empty() {
        let team = world.team().split_list(&odd).expect("the list names PEs of the world");
        assert_eq!(team.is_some(), odd.contains(&world.my_pe()));
        if let Some(team) = team {
            test(Some(&team), &odd);
        }
    }
    world.barrier_all();
}

/// The call on the team that a test runs on.
macro_rules! on {
    ($team:expr; $($call:tt)*) => {
        match $team {
            None => collective!($($call)*),
            Some(team) => collective!($($call)*; on team),
        }
    };
}

/// Calls a macro with the word of each reduction, and with its function of two numbers.
macro_rules! each_reduction {
    ($check:ident) => {
        $check!(sum, i64::wrapping_add);
        $check!(prod, i64::wrapping_mul);
        $check!(min, i64::min);
        $check!(max, i64::max);
        $check!(and, |a, b| a & b);
        $check!(or, |a, b| a | b);
        $check!(xor, |a, b| a ^ b);
    };
}

fn fill(me: usize) {
    for i in 0..8 {
        local!(SRC[i] = value(me, i));
        local!(DST[i] = -1);
    }
    for row in 0..4 {
        for column in 0..6 {
            local!(GRID[row, column] = value(me, 6 * row + column));
        }
    }
    local!(ONE = value(me, 0));
    local!(ALL[..] = -1);
    for i in 0..28 {
        local!(OUT[i] = value(me, i));
    }
    for i in 0..3 {
        local!(BODIES[i].mass = value(me, i));
    }
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn reductions_of_values(world: &World) {
    let me = world.my_pe();
    let x = value(me, 3);
    each_team(world, |team, members| {
        let fold = |join: fn(i64, i64) -> i64| {
            members.iter().map(|&pe| value(pe, 3)).reduce(join).expect("a team has a PE")
        };
        assert_eq!(on!(team; sum x), fold(i64::wrapping_add));
        assert_eq!(on!(team; prod x), fold(i64::wrapping_mul));
        assert_eq!(on!(team; min x), fold(i64::min));
        assert_eq!(on!(team; max x), fold(i64::max));
        assert_eq!(on!(team; and x), fold(|a, b| a & b));
        assert_eq!(on!(team; or x), fold(|a, b| a | b));
        assert_eq!(on!(team; xor x), fold(|a, b| a ^ b));
        assert_eq!(on!(team; sum 1_usize), members.len());
    });
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn reductions_of_places(world: &World) {
    let me = world.my_pe();
    each_team(world, |team, members| {
        let fold = |i: usize, join: fn(i64, i64) -> i64| {
            members.iter().map(|&pe| value(pe, i)).reduce(join).expect("a team has a PE")
        };
        macro_rules! check {
            ($op:ident, $join:expr) => {
                fill(me);
                on!(team; DST[2..6] = $op SRC[1..8;2]);
                let expected = [1, 3, 5, 7].map(|i| fold(i, $join));
                assert_eq!(local!(DST[..]), [-1, -1, expected[0], expected[1], expected[2], expected[3], -1, -1]);
                assert_eq!(local!(SRC[..]), [0, 1, 2, 3, 4, 5, 6, 7].map(|i| value(me, i)));
            };
        }
        each_reduction!(check);

        // In place; a scalar; a run-time selection; a block; a field; an element.
        fill(me);
        on!(team; SRC[..] = max SRC[..]);
        assert_eq!(local!(SRC[..]), [0, 1, 2, 3, 4, 5, 6, 7].map(|i| fold(i, i64::max)));
        fill(me);
        on!(team; ONE = sum ONE);
        assert_eq!(local!(ONE), fold(0, i64::wrapping_add));
        let (from, to) = (3, 6);
        on!(team; DST[0..3] = sum SRC[from..to]);
        assert_eq!(local!(DST[0..3]), [3, 4, 5].map(|i| fold(i, i64::wrapping_add)));
        on!(team; GRID[2..4, 0..3] = min GRID[0..2, 0..6;2]);
        let expected = [[0, 2, 4], [6, 8, 10]].map(|row| row.map(|i| fold(i, i64::min)));
        assert_eq!(local!(GRID[2..4, 0..3]), expected);
        on!(team; BODIES[..].mass = sum BODIES[..].mass);
        assert_eq!(local!(BODIES[..].mass), [0, 1, 2].map(|i| fold(i, i64::wrapping_add)));
        assert_eq!(local!(BODIES[..].position), [[0.5; 2]; 3]);
        let i = members[0] % 8;
        on!(team; DST[7] = max SRC[i]);
        assert_eq!(local!(DST[7]), fold(i, i64::max));
    });
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn broadcasts(world: &World) {
    let me = world.my_pe();
    each_team(world, |team, members| {
        for (root, &owner) in members.iter().enumerate() {
            assert_eq!(on!(team; broadcast value(me, 1) from root), value(owner, 1));
            assert_eq!(on!(team; broadcast [me, 9] from root), [owner, 9]);
            fill(me);
            on!(team; DST[0..8;2] = broadcast SRC[4..] from root);
            let [a, b, c, d] = [4, 5, 6, 7].map(|i| value(owner, i));
            assert_eq!(local!(DST[..]), [a, -1, b, -1, c, -1, d, -1]);
        }
        fill(me);
        on!(team; ONE = broadcast ONE from members.len() - 1);
        assert_eq!(Some(local!(ONE)), members.last().map(|&pe| value(pe, 0)));
    });
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn scans(world: &World) {
    let me = world.my_pe();
    each_team(world, |team, members| {
        let rank = members.iter().position(|&pe| pe == me).expect("a member runs this");
        let before = |i: usize| members[..rank].iter().map(|&pe| value(pe, i)).sum::<i64>();
        assert_eq!(on!(team; scan value(me, 2)), before(2) + value(me, 2));
        assert_eq!(on!(team; exscan value(me, 2)), before(2));
        fill(me);
        on!(team; DST[0..4] = scan SRC[4..8]);
        assert_eq!(local!(DST[0..4]), [4, 5, 6, 7].map(|i| before(i) + value(me, i)));
        on!(team; DST[..] = exscan SRC[..]);
        assert_eq!(local!(DST[..]), [0, 1, 2, 3, 4, 5, 6, 7].map(before));
    });
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn collects(world: &World) {
    let me = world.my_pe();
    each_team(world, |team, members| {
        let values: Vec<i64> = (0..me % 3).map(|i| value(me, i)).collect();
        let all: Vec<i64> = members.iter().flat_map(|&pe| (0..pe % 3).map(move |i| value(pe, i))).collect();
        assert_eq!(on!(team; collect &values), all);
        assert_eq!(
            on!(team; fcollect value(me, 5)),
            members.iter().map(|&pe| value(pe, 5)).collect::<Vec<_>>()
        );

        fill(me);
        let count: usize = on!(team; ALL[..] = collect SRC[0..me % 3]);
        assert_eq!(count, all.len());
        assert_eq!(local!(ALL[0..count]), all);
        assert!(local!(ALL[count..]).iter().all(|&rest| rest == -1));

        fill(me);
        let n = members.len();
        on!(team; ALL[0..3 * n] = fcollect SRC[1..4]);
        let all: Vec<i64> = members.iter().flat_map(|&pe| (1..4).map(move |i| value(pe, i))).collect();
        assert_eq!(local!(ALL[0..3 * n]), all);
        assert!(local!(ALL[3 * n..]).iter().all(|&rest| rest == -1));
    });
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn alltoalls(world: &World) {
    let me = world.my_pe();
    each_team(world, |team, members| {
        let rank = members.iter().position(|&pe| pe == me).expect("a member runs this");
        let n = members.len();
        fill(me);
        on!(team; ALL[0..2 * n] = alltoall OUT[0..4 * n;2]);
        let expected: Vec<i64> =
            members.iter().flat_map(|&pe| (0..2).map(move |i| value(pe, 2 * (2 * rank + i)))).collect();
        assert_eq!(local!(ALL[0..2 * n]), expected);
        assert!(local!(ALL[2 * n..]).iter().all(|&rest| rest == -1));
    });
}

/// Of integers, the order is not seen; `collectives/pairwise.rs` tests it.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn reductions_in_pairs(world: &World) {
    let me = world.my_pe();
    each_team(world, |team, members| {
        macro_rules! check {
            ($op:ident, $join:expr) => {
                let of = |i: usize| members.iter().map(|&pe| value(pe, i)).reduce($join).expect("a PE");
                assert_eq!(on!(team; pairwise $op value(me, 3)), of(3));
                fill(me);
                on!(team; DST[1..5;2] = pairwise $op SRC[2..4]);
                assert_eq!(local!(DST[..]), [-1, of(2), -1, of(3), -1, -1, -1, -1]);
            };
        }
        each_reduction!(check);
    });
}

/// Each PE gets its block, with every operation.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn reductions_to_blocks(world: &World) {
    let me = world.my_pe();
    each_team(world, |team, members| {
        let rank = members.iter().position(|&pe| pe == me).expect("a member runs this");
        let n = members.len();
        macro_rules! check {
            ($op:ident, $join:expr) => {
                fill(me);
                on!(team; DST[1..5;2] = reduce_scatter $op OUT[0..4 * n;2]);
                let block = [2 * rank, 2 * rank + 1];
                let expected =
                    block.map(|i| members.iter().map(|&pe| value(pe, 2 * i)).reduce($join).expect("a PE"));
                assert_eq!(local!(DST[..]), [-1, expected[0], -1, expected[1], -1, -1, -1, -1]);
            };
        }
        each_reduction!(check);
    });
}

/// One PE gives or gets.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn rooted(world: &World) {
    let me = world.my_pe();
    each_team(world, |team, members| {
        let rank = members.iter().position(|&pe| pe == me).expect("a member runs this");
        let n = members.len();
        let root = n / 2;
        let is_root = rank == root;
        let of_all = |len: usize| -> Vec<i64> {
            members.iter().flat_map(|&pe| (0..len).map(move |i| value(pe, i))).collect()
        };
        let sum = |i: usize| members.iter().map(|&pe| value(pe, i)).sum::<i64>();
        fill(me);
        on!(team; DST[0..3] = sum SRC[0..3] to root);
        assert_eq!(local!(DST[0..3]), if is_root { [sum(0), sum(1), sum(2)] } else { [-1; 3] });
        assert_eq!(
            on!(team; max value(me, 1) to root),
            is_root.then(|| members.iter().map(|&pe| value(pe, 1)).max().expect("one"))
        );
        on!(team; ALL[0..2 * n] = gather SRC[0..2] to root);
        assert_eq!(local!(ALL[0..2 * n]), if is_root { of_all(2) } else { vec![-1; 2 * n] });
        assert_eq!(on!(team; gather value(me, 0) to root), is_root.then(|| of_all(1)));
        let given = on!(team; ALL[..] = gatherv SRC[0..3] to root);
        assert_eq!(given, vec![3; n]);
        assert_eq!(local!(ALL[0..3 * n]), if is_root { of_all(3) } else { vec![-1; 3 * n] });
        assert_eq!(on!(team; gatherv &[value(me, 0), value(me, 1)] to root), is_root.then(|| of_all(2)));
        on!(team; DST[4..6] = scatter OUT[0..2 * n] from root);
        let expected = [2 * rank, 2 * rank + 1].map(|i| value(members[root], i));
        assert_eq!(local!(DST[4..6]), expected);
        let all: Vec<i64> = (0..2 * n).map(|i| value(me, i)).collect();
        assert_eq!(on!(team; scatter &all from root), expected);
    });
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn own_functions(world: &World) {
    let me = world.my_pe();
    each_team(world, |team, members| {
        let n = members.len();
        // It does not commute.
        let join = |a: i64, b: i64| a.wrapping_mul(3).wrapping_sub(b);
        let joined = |i: usize| members.iter().map(|&pe| value(pe, i)).reduce(join).expect("a member");
        fill(me);
        on!(team; DST[0..3] = reduce SRC[0..3] with join);
        assert_eq!(local!(DST[0..3]), [joined(0), joined(1), joined(2)]);
        assert_eq!(on!(team; reduce value(me, 5) with |a, b| a.wrapping_mul(3).wrapping_sub(b)), joined(5));

        let all: Vec<i64> = members.iter().map(|&pe| value(pe, 2) % 4).collect();
        let at = |wanted: i64| (wanted, all.iter().position(|one| *one == wanted).expect("it is there"));
        let mine = value(me, 2) % 4;
        assert_eq!(on!(team; minloc mine), at(*all.iter().min().expect("one")));
        assert_eq!(on!(team; maxloc mine), at(*all.iter().max().expect("one")));
        assert_eq!(all.len(), n);
    });
}

/// What one wrote before the barrier, the next one reads after it.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn barriers(world: &World) {
    let me = world.my_pe();
    each_team(world, |team, members| {
        let rank = members.iter().position(|&pe| pe == me).expect("a member runs this");
        let next = members[(rank + 1) % members.len()];
        let last = members[(rank + members.len() - 1) % members.len()];
        for round in 0..3 {
            remote!(ONE[next] = value(me, round));
            on!(team; barrier);
            assert_eq!(local!(ONE), value(last, round));
            on!(team; sync);
        }
    });
}

/// The team may be a reference, a field, or the result of a call; it may live as long as the
/// statement only.
#[shmem::test(npes = [1, 2, 3])]
fn ways_to_name_a_team(world: &World) -> Result<(), shmem::Error> {
    struct Rows {
        team: Team,
    }
    let n = world.n_pes();
    let rows = Rows { team: world.team().split_strided(0, 1, n)?.expect("all are members") };
    let by_reference = &rows.team;
    let boxed: Box<Team> = Box::new(world.team().split_strided(n - 1, -1, n)?.expect("all are members"));
    assert_eq!(collective!(sum 1; on rows.team), n);
    assert_eq!(collective!(sum 1; on &rows.team), n);
    assert_eq!(collective!(sum 1; on by_reference), n);
    assert_eq!(collective!(broadcast world.my_pe() from 0; on boxed), n - 1);
    assert_eq!(collective!(broadcast world.my_pe() from 0; on *boxed), n - 1);
    assert_eq!(collective!(sum 1; on world.team()), n);
    assert_eq!(collective!(sum 1; on if n > 1 { by_reference } else { world.team() }), n);
    assert_eq!(collective!(sum 1; on world.team().split_strided(0, 1, n)?.expect("all are members")), n);
    // Used afterwards: a team is not moved.
    assert_eq!(rows.team.n_pes() + boxed.n_pes(), 2 * n);
    Ok(())
}

/// What is checked at run time names the objects.
#[shmem::test(npes = [1, 3])]
#[should_panic(expected = "in `SRC: [i64; 8]`")]
fn lengths_at_run_time(world: &World) {
    let n = 2 + world.n_pes();
    collective!(DST[0..2] = sum SRC[0..n]);
}

#[shmem::test(npes = [1, 3])]
#[should_panic(expected = "the root of a broadcast is 3, and the team has")]
fn root_outside(_: &World) {
    collective!(DST[..] = broadcast SRC[..] from 3);
}
