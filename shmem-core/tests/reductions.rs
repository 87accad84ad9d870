//! `collective!(op value)`: every operation on every type, and what the PEs are told when they
//! disagree.

use std::panic::{AssertUnwindSafe, catch_unwind};

use shmem::prelude::*;
use shmem::reduction::{ReducedBy, Sum};

/// Numbers of each type that wrap around, change sign and differ in every byte.
macro_rules! integers {
    ($($test:ident $int:ident;)*) => {$(
        #[shmem::test(npes = [1, 2, 3, 4, 7])]
        fn $test(world: &World) {
            for round in 0..6_u32 {
                let of = |pe: usize| {
                    let spread = (0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128).rotate_left(11 * round + 7 * pe as u32);
                    match round {
                        0 => pe as $int + 1,
                        1 => <$int>::MAX - pe as $int,
                        2 => <$int>::MIN + pe as $int,
                        _ => spread as $int,
                    }
                };
                let mine = of(world.my_pe());
                let all = || (0..world.n_pes()).map(of);
                assert_eq!(collective!(sum mine), all().fold(0, <$int>::wrapping_add));
                assert_eq!(collective!(prod mine), all().fold(1, <$int>::wrapping_mul));
                assert_eq!(Some(collective!(min mine)), all().min());
                assert_eq!(Some(collective!(max mine)), all().max());
                assert_eq!(Some(collective!(and mine)), all().reduce(|a, b| a & b));
                assert_eq!(Some(collective!(or mine)), all().reduce(|a, b| a | b));
                assert_eq!(Some(collective!(xor mine)), all().reduce(|a, b| a ^ b));
            }
        }
    )*};
}

integers! {
    of_u8 u8;
    of_u16 u16;
    of_u32 u32;
    of_u64 u64;
    of_u128 u128;
    of_usize usize;
    of_i8 i8;
    of_i16 i16;
    of_i32 i32;
    of_i64 i64;
    of_i128 i128;
    of_isize isize;
}

/// Arrays of several lengths one after the other, in place and not, on all PEs and on a team of the last three.
macro_rules! arrays {
    ($($test:ident $number:ident;)*) => {$(
        #[shmem::test(npes = [1, 2, 3, 4, 7])]
        fn $test(world: &World) {
            const MOST: usize = 150_000 / size_of::<$number>();
            let objects = || world.zeros::<$number, 1>([MOST]).expect("there is room");
            let (from, to) = (objects(), objects());
            let last_three: Vec<usize> = (0..world.n_pes()).rev().take(3).collect();
            let some = world.team().split_list(&last_three).expect("there are fewer teams than slots");
            for (round, len) in [67, 2_500, MOST, 5].into_iter().enumerate() {
                let len = len.min(MOST);
                let of = |pe: usize, i: usize| ((7 + pe) * (i % 91 + round)) as u8 as $number;
                for team in [Some(world.team()), some.as_ref()].into_iter().flatten() {
                    let mine: Vec<$number> = (0..len).map(|i| of(world.my_pe(), i)).collect();
                    let sum = |i| team.world_pes().map(|pe| of(pe, i)).reduce(|a, b| ReducedBy::<Sum>::join(a, b));
                    let sums: Vec<$number> = (0..len).map(|i| sum(i).expect("a team has a PE")).collect();
                    local!(from[..len]) = &mine[..];
                    team.reduce(Sum, local!(&to[..len]), local!(&from[..len]));
                    assert_eq!(local!(from[..len]), mine);
                    local!(from[..len]) = 0 as $number;
                    assert_eq!(local!(to[..len]), sums, "of {len}");
                    local!(from[..len]) = &mine[..];
                    team.reduce(Sum, local!(&from[..len]), local!(&from[..len]));
                    assert_eq!(local!(from[..len]), sums, "of {len}, in place");
                }
            }
        }
    )*};
}

arrays! {
    of_arrays_of_u8 u8;
    of_arrays_of_f64 f64;
}

/// Sums are made in the order of the PEs, so they are those of a plain loop to the last bit.
macro_rules! floats {
    ($($test:ident $float:ident;)*) => {$(
        #[shmem::test(npes = [1, 2, 3, 4, 7])]
        fn $test(world: &World) {
            for round in 0..6 {
                let of = |pe: usize| {
                    let sign = if (pe + round) % 2 == 0 { 1.0 } else { -1.0 };
                    sign * (0.1 + pe as $float) * (10.0 as $float).powi(3 * round as i32 - 6 * (pe % 2) as i32)
                };
                let mine = of(world.my_pe());
                let joined = |join: fn($float, $float) -> $float| {
                    (0..world.n_pes()).map(of).reduce(join).map($float::to_bits)
                };
                assert_eq!(Some(collective!(sum mine).to_bits()), joined(|a, b| a + b));
                assert_eq!(Some(collective!(prod mine).to_bits()), joined(|a, b| a * b));
                assert_eq!(Some(collective!(min mine).to_bits()), joined($float::min));
                assert_eq!(Some(collective!(max mine).to_bits()), joined($float::max));
            }
        }
    )*};
}

floats! {
    of_f32 f32;
    of_f64 f64;
}

/// A NaN of one PE makes the sum one on all, and is left out of min and max, as in Rust's own.
#[shmem::test(npes = [2, 3, 4])]
fn of_nan(world: &World) {
    let mine = if world.my_pe() == 1 { f64::NAN } else { 2.0 };
    assert!(collective!(sum mine).is_nan());
    assert_eq!((collective!(min mine), collective!(max mine)), (2.0, 2.0));
}

/// Many in a row: no PE may be a reduction ahead of what another still reads.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn many_in_a_row(world: &World) {
    let n_pes = world.n_pes() as u64;
    for round in 0..1000_u64 {
        let mine = round * 1000 + world.my_pe() as u64;
        assert_eq!(collective!(sum mine), round * 1000 * n_pes + n_pes * (n_pes - 1) / 2);
    }
}

/// The value of one thread at a time, but any thread.
#[shmem::test(npes = 3)]
fn from_another_thread(world: &World) {
    let mine = world.my_pe();
    let max = std::thread::scope(|scope| scope.spawn(|| collective!(max mine)).join());
    assert_eq!(max.ok(), Some(2));
}

/// What `call` panics with.
fn panic_of(call: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("the PEs disagree");
    panic.downcast_ref::<String>().cloned().expect("a text")
}

/// Every PE is told what it does itself and what the other does.
#[shmem::test(npes = [2, 3, 4])]
fn disagreement_names_both_sides(world: &World) {
    let first = world.my_pe() == 0;
    let (me, other) = (world.my_pe(), usize::from(first));
    let sides = |message: &str, zero: &str, others: &str| {
        let (mine, theirs) = if first { (zero, others) } else { (others, zero) };
        assert!(message.contains("the PEs disagree on collective call number"), "{message}");
        assert!(message.contains(&format!("PE {me} is in {mine} at ")), "{message}");
        assert!(message.contains(&format!("PE {other} is in {theirs} at ")), "{message}");
        assert_eq!(message.matches("shmem-core/tests/reductions.rs:").count(), 2, "{message}");
    };
    let operations = panic_of(|| {
        if first {
            collective!(sum 1_i32)
        } else {
            collective!(max 1_i32)
        };
    });
    sides(&operations, "`sum` of 1 i32", "`max` of 1 i32");
    // The ones after it work.
    for round in 2..20 {
        let types = panic_of(|| {
            if first {
                collective!(xor 1_u64);
            } else {
                collective!(xor 1_usize);
            }
        });
        assert!(types.contains(&format!("number {} ", 2 * round - 2)), "{types}");
        sides(&types, "`xor` of 1 u64", "`xor` of 1 usize");
        assert_eq!(collective!(sum 1_usize), world.n_pes());
    }
}

/// One reduces while the others are in a barrier: everybody is told.
#[shmem::test(npes = [2, 3])]
fn a_reduction_that_meets_a_barrier(world: &World) {
    let message = panic_of(|| {
        if world.my_pe() == 0 {
            collective!(sum 1);
        } else {
            world.barrier_all();
        }
    });
    let (sum, barrier) = ("PE 0 is in `sum` of 1 i32 at ", "PE 1 is in `barrier_all` at ");
    assert!(message.contains(sum), "{message}");
    assert!(message.contains(barrier) || world.my_pe() == 2, "{message}");
    world.barrier_all();
}
