//! What the PEs are told when they do not call the same.
//!
//! The jobs are ignored tests, which `checked` runs in a copy of this binary: whether calls are
//! compared is for it to say.

use std::process::Command;

/// Runs the ignored tests whose names begin with `name`, with calls compared: what was printed.
fn checked(name: &str) -> String {
    let mut command = Command::new(std::env::current_exe().expect("the path of this binary"));
    command.args([&format!("disagreement::jobs::{name}"), "--ignored", "--show-output"]);
    let output =
        command.env("SHMEM_CHECK", "1").env("RUST_BACKTRACE", "0").output().expect("the binary starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && !text.contains("running 0 tests"), "{text}");
    text
}

#[test]
fn both_sides_are_named_on_every_pe() {
    checked("named");
}

#[test]
fn other_steps_and_shapes_are_named() {
    checked("shapes");
}

#[test]
fn the_teams_own_numbers_are_used() {
    checked("on_a_team");
}

#[test]
fn other_places_of_a_program_are_a_warning() {
    let text = checked("places");
    let warnings: Vec<&str> = text.lines().filter(|line| line.contains("shmem: warning: ")).collect();
    // From one PE, for each pair of places.
    assert_eq!(warnings.len(), 2, "{text}");
    for warning in warnings {
        assert!(warning.contains("the same collective call from two places of the program"), "{warning}");
        assert_eq!(warning.matches("/collectives/disagreement.rs:").count(), 2, "{warning}");
        assert!(warning.contains("PE 0 is in `sum` of 1 i32 at "), "{warning}");
    }
}

mod jobs {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use shmem::prelude::*;
    use shmem::reduction::{Max, Min, Sum};

    #[symmetric]
    static A: [u64; 64] = [0; 64];
    #[symmetric]
    static B: [u64; 64] = [0; 64];
    #[symmetric]
    static C: [i64; 64] = [0; 64];

    fn panic_of(call: impl FnOnce()) -> String {
        let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("the PEs disagree");
        panic.downcast_ref::<String>().cloned().expect("a text")
    }

    /// What one PE of the team calls, and what the others do; and how each is called in the
    /// message.
    type Sides = ((fn(&Team), &'static str), (fn(&Team), &'static str));

    const SIDES: &[Sides] = &[
        (
            (|team| team.reduce(Sum, local!(&A[..]), local!(&A[..])), "`sum` of 64 u64"),
            (|team| team.reduce(Max, local!(&A[..]), local!(&A[..])), "`max` of 64 u64"),
        ),
        (
            (|team| team.scan(Sum, local!(&A[..]), local!(&A[..])), "`scan` with `sum` of 64 u64"),
            (|team| team.scan(Min, local!(&A[..]), local!(&A[..])), "`scan` with `min` of 64 u64"),
        ),
        (
            (|team| assert!(team.scan_value(Sum, 1) > 0), "`scan` with `sum` of 1 i32"),
            (|team| assert!(team.scan_value(Max, 1) > 0), "`scan` with `max` of 1 i32"),
        ),
        (
            (|team| team.reduce(Sum, local!(&A[..]), local!(&A[..])), "`sum` of 64 u64"),
            (
                |team| team.reduce_pairwise(Sum, local!(&A[..]), local!(&A[..])),
                "`pairwise` with `sum` of 64 u64",
            ),
        ),
        (
            (|team| assert!(team.reduce_pairwise_value(Sum, 1.0) > 0.0), "`pairwise` with `sum` of 1 f64"),
            (|team| assert!(team.reduce_pairwise_value(Max, 1.0) > 0.0), "`pairwise` with `max` of 1 f64"),
        ),
        (
            (scattered::<Sum>, "`reduce_scatter` with `sum` of "),
            (scattered::<Min>, "`reduce_scatter` with `min` of "),
        ),
        (
            (|team| team.reduce(Sum, local!(&A[0..3]), local!(&B[0..3])), "`sum` of 3 u64"),
            (|team| team.reduce(Sum, local!(&A[0..4]), local!(&B[0..4])), "`sum` of 4 u64"),
        ),
        (
            (|team| team.reduce(Sum, local!(&A[..]), local!(&A[..])), "`sum` of 64 u64"),
            (|team| team.reduce(Sum, local!(&C[..]), local!(&C[..])), "`sum` of 64 i64"),
        ),
        (
            (|team| team.scan(Sum, local!(&A[0..9]), local!(&B[0..9])), "`scan` with `sum` of 9 u64"),
            (|team| team.scan(Sum, local!(&A[0..9]), local!(&B[1..10])), "`scan` with `sum` of 9 u64"),
        ),
        (
            (|team| team.exscan(local!(&A[0..9]), local!(&B[0..9])), "`exscan` of 9 u64"),
            (|team| team.scan(Sum, local!(&A[0..9]), local!(&B[0..9])), "`scan` with `sum` of 9 u64"),
        ),
        (
            (|team| team.broadcast(local!(&A[..]), local!(&A[..]), 0), "`broadcast` of 64 u64 from PE 0"),
            (|team| team.broadcast(local!(&A[..]), local!(&A[..]), 1), "`broadcast` of 64 u64 from PE 1"),
        ),
        (
            (|team| team.broadcast_values(&mut [0_u8; 3], 1), "`broadcast` of 3 u8 from PE 1"),
            (|team| team.broadcast_values(&mut [0_u8; 4], 1), "`broadcast` of 4 u8 from PE 1"),
        ),
        (
            (|team| team.reduce_values(Sum, &mut [0_u8; 3]), "`sum` of 3 u8"),
            (|team| team.reduce_values(Sum, &mut [0_u8; 5]), "`sum` of 5 u8"),
        ),
        (
            (|team| assert!(team.collect_values(&[1_u8]).is_empty()), "`collect` of u8"),
            (|team| assert!(team.collect_values(&[1_u16]).is_empty()), "`collect` of u16"),
        ),
        (
            (|team| assert!(team.collect(local!(&A[..]), local!(&B[0..1])) < 9), "`collect` of u64"),
            (|team| assert!(team.collect(local!(&A[1..]), local!(&B[0..1])) < 9), "`collect` of u64"),
        ),
        (
            (|team| team.barrier(), "`barrier` at "),
            (|team| assert!(team.reduce_value(Sum, 1) < 0), "`sum` of 1 i32 at "),
        ),
        ((|team| team.barrier(), "`barrier` at "), (|team| team.sync(), "`sync` at ")),
        (
            (|team| team.sync(), "`sync` at "),
            (|team| assert!(team.split_strided(0, 1, 1).is_err()), "`split_strided` at "),
        ),
        (
            (|team| team.alltoall(local!(&A[0..12]), local!(&B[0..12])), "`alltoall` of 12 u64"),
            (
                |team| team.fcollect(local!(&A[0..4 * team.n_pes()]), local!(&B[0..four()])),
                "`fcollect` of 4 u64",
            ),
        ),
        (
            (|team| team.alltoall(local!(&A[0..12]), local!(&B[0..12])), "`alltoall` of 12 u64 ("),
            (
                |team| team.alltoall_to_ready(local!(&A[0..12]), local!(&B[0..12])),
                "`alltoall` of 12 u64 to ready (",
            ),
        ),
    ];

    /// What the compiler does not see, so that the selection has the form of the other.
    fn four() -> usize {
        std::hint::black_box(4)
    }

    fn scattered<O>(team: &Team)
    where
        u64: shmem::reduction::ReducedBy<O>,
        O: Made,
    {
        let n = team.n_pes();
        team.reduce_scatter(O::new(), local!(&A[0..n]), local!(&B[0..n * n]));
    }

    /// An operation from its type.
    trait Made {
        fn new() -> Self;
    }
    impl Made for Sum {
        fn new() -> Sum {
            Sum
        }
    }
    impl Made for Min {
        fn new() -> Min {
            Min
        }
    }

    fn every_side(team: &Team) {
        for (number, (odd, others)) in SIDES.iter().enumerate() {
            for who in 0..team.n_pes() {
                let rank = team.my_pe();
                let ((mine, said), (_, theirs)) = if rank == who { (odd, others) } else { (others, odd) };
                let message = panic_of(|| mine(team));
                let other = if rank == who { usize::from(who == 0) } else { who };
                assert!(message.contains("the PEs disagree on collective call number"), "{message}");
                assert!(message.contains(&format!("PE {rank} is in {said}")), "{number}: {said}: {message}");
                assert!(
                    message.contains(&format!("PE {other} is in {theirs}")),
                    "{number}: {theirs}: {message}"
                );
                assert_eq!(message.matches("/collectives/disagreement.rs:").count(), 2, "{message}");
                // The next one works.
                assert_eq!(team.reduce_value(Sum, 1), team.n_pes());
            }
        }
    }

    #[shmem::test(npes = [2, 3, 4])]
    #[ignore = "checked"]
    fn named(world: &World) {
        every_side(world.team());
    }

    #[symmetric]
    static GRID: [[u64; 8]; 8] = [[0; 8]; 8];
    #[symmetric]
    static ONE: u64 = 0;

    /// As many elements from the same place on, with other steps or on other axes, and from other places.
    #[shmem::test(npes = [2, 3])]
    #[ignore = "checked"]
    fn shapes(world: &World) {
        let (team, me) = (world.team(), world.my_pe());
        let (step, rows) = (2 + me.min(1), [2, 4][me.min(1)]);
        let (steps, columns) = (4 * step, 8 / rows);
        let array = world.zeros::<u64, 2>([4, 8]).expect("there is room");
        let calls: &[(&dyn Fn(), [&str; 2])] = &[
            (
                &|| team.reduce(Sum, local!(&B[0..4]), local!(&A[0..steps;step])),
                [
                    " (from A[0] on, 4 in a row and 16 bytes apart, to B[0] on) at ",
                    " (from A[0] on, 4 in a row and 24 bytes apart, to B[0] on) at ",
                ],
            ),
            (
                &|| team.reduce(Max, local!(&GRID[0..rows, 0..columns]), local!(&A[0..8])),
                [
                    "[0, 0] on, 4 in a row and 8 bytes apart, 2 rows 64 bytes apart) at ",
                    "[0, 0] on, 2 in a row and 8 bytes apart, 4 rows 64 bytes apart) at ",
                ],
            ),
            (
                &|| team.reduce(Max, local!(&GRID[0..2 * step - 2;step - 1, 0..2]), local!(&A[0..4])),
                [
                    "[0, 0] on, 2 in a row and 8 bytes apart, 2 rows 64 bytes apart) at ",
                    "[0, 0] on, 2 in a row and 8 bytes apart, 2 rows 128 bytes apart) at ",
                ],
            ),
            (
                &|| {
                    let _ = team.scatterv(local!(&B[0..step]), local!(&A[..]), &vec![1; team.n_pes()], 0);
                },
                [
                    "`scatterv` of 2 u64 from PE 0 (from A[0] on, to B[0] on) at ",
                    "`scatterv` of 3 u64 from PE 0 ",
                ],
            ),
            (
                &|| team.reduce(Sum, local!(&ONE), local!(&GRID[3, step])),
                [" (from GRID[3, 2] on, to ONE) at ", " (from GRID[3, 3] on, to ONE) at "],
            ),
            (
                &|| team.reduce(Sum, local!(&A[63]), local!(&array[step, 7])),
                [
                    " (from symmetric array #0[2, 7] on, to A[63] on) at ",
                    " (from symmetric array #0[3, 7] on, to A[63] on) at ",
                ],
            ),
        ];
        for (call, said) in calls {
            let message = panic_of(call);
            for said in said {
                assert!(message.contains(said), "{said}: {message}");
            }
            assert_eq!(team.reduce_value(Sum, 1), team.n_pes());
        }
        // An index, and a range of this index alone.
        let two = std::hint::black_box(2);
        local!(GRID[1, ..]) = 1;
        match me {
            0 => team.reduce(Sum, local!(&B[0..4]), local!(&GRID[1, ..;2])),
            _ => team.reduce(Sum, local!(&B[0..4]), local!(&GRID[1..two, ..;2])),
        }
        assert_eq!(local!(B[0..4]), [team.n_pes() as u64; 4]);
    }

    /// The number of a PE is that in the team, and the world does not hear of it.
    #[shmem::test(npes = [3, 4, 7])]
    #[ignore = "checked"]
    fn on_a_team(world: &World) -> Result<(), shmem::Error> {
        if let Some(reversed) = world.team().split_strided(world.n_pes() - 1, -1, world.n_pes() - 1)? {
            every_side(&reversed);
        }
        world.barrier_all();
        let (row, column) = world.team().split_2d(2)?;
        for team in [row, column] {
            if team.n_pes() > 1 {
                every_side(&team);
            }
        }
        Ok(())
    }

    type Sums = fn(&Team);
    type SumsOf = fn(&Team, usize);

    #[shmem::test(npes = 3)]
    #[ignore = "checked"]
    fn places(world: &World) {
        for round in 0..10 {
            let (one, others): (Sums, Sums) = (
                |team| assert_eq!(team.reduce_value(Sum, 1), 3),
                |team| assert_eq!(team.reduce_value(Sum, 1), 3),
            );
            let call = if world.my_pe() == 0 { one } else { others };
            call(world.team());
            let (one, others): (SumsOf, SumsOf) = (
                |team, round| team.reduce_values(Sum, &mut vec![1; 1 + round]),
                |team, round| team.reduce_values(Sum, &mut vec![1; 1 + round]),
            );
            let call = if world.my_pe() == 1 { one } else { others };
            call(world.team(), round);
        }
    }
}
