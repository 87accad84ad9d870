//! Collectives of private values.

use shmem::prelude::*;
use shmem::reduction::{Max, Min, Prod, Sum, Xor};

use crate::model::{self, Teams, Value, mix};

fn values<T: Value>(seed: u64, pe: usize, len: usize) -> Vec<T> {
    model::values(seed, 0, pe, len)
}

fn bits<T: Value>(values: &[T]) -> Vec<u128> {
    values.iter().map(|value| value.bits()).collect()
}

/// What a loop over PEs makes of their values.
fn folded<T: Value>(all: &[Vec<T>], join: fn(T, T) -> T) -> Vec<T> {
    let mut joined = all[0].clone();
    for other in &all[1..] {
        joined.iter_mut().zip(other).for_each(|(joined, other)| *joined = join(*joined, *other));
    }
    joined
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn reduced(world: &World) {
    let teams = Teams::of(world);
    let me = world.my_pe();
    for (name, team) in teams.each() {
        for len in [0, 1, 2, 511, 512, 513, 1024, 3001] {
            macro_rules! compare {
                ($op:expr, $number:ty, $join:expr) => {
                    let all: Vec<Vec<$number>> =
                        team.world_pes().map(|pe| values(len as u64, pe, len)).collect();
                    let mut mine = values::<$number>(len as u64, me, len);
                    team.reduce_values($op, &mut mine);
                    assert_eq!(bits(&mine), bits(&folded(&all, $join)), "{len} {:?} on {name}", $op);
                };
            }
            compare!(Sum, f64, |a, b| a + b);
            compare!(Prod, f32, |a, b| a * b);
            compare!(Xor, u8, |a, b| a ^ b);
            compare!(Max, i128, Ord::max);
        }
        for round in 0..20 {
            macro_rules! compare {
                ($op:expr, $number:ty, $join:expr) => {
                    let of = |pe: usize| values::<$number>(round, pe, 1)[0];
                    let all = || team.world_pes().map(of);
                    let join: fn($number, $number) -> $number = $join;
                    let rank = team.my_pe();
                    let got = team.reduce_value($op, of(me));
                    assert_eq!(Some(got.bits()), all().reduce(join).map(Value::bits), "{:?} on {name}", $op);
                    let got = team.scan_value($op, of(me));
                    let expected = all().take(rank + 1).reduce(join);
                    assert_eq!(Some(got.bits()), expected.map(Value::bits), "scan {:?} on {name}", $op);
                };
            }
            compare!(Sum, f64, |a, b| a + b);
            compare!(Prod, f32, |a, b| a * b);
            compare!(Min, i8, Ord::min);
            compare!(Xor, u128, |a, b| a ^ b);
            let of = |pe: usize| model::values::<f64>(round, 1, pe, 1)[0];
            let expected = team.world_pes().take(team.my_pe()).fold(0.0, |sum, pe| sum + of(pe));
            assert_eq!(team.exscan_value(of(me)).to_bits(), f64::to_bits(expected), "exscan on {name}");
        }
    }
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn broadcast(world: &World) {
    let teams = Teams::of(world);
    let me = world.my_pe();
    for (name, team) in teams.each() {
        for root in 0..team.n_pes() {
            let owner = team.world_pe(root);
            for len in [0, 1, 2, 511, 512, 513, 5000] {
                let mut mine = values::<u64>(9, me, len);
                team.broadcast_values(&mut mine, root);
                assert_eq!(mine, values(9, owner, len), "{len} from {root} on {name}");
            }
            assert_eq!(team.broadcast_value(me as u16, root), owner as u16);
            // Larger than what is left for the others.
            let large = team.broadcast_value([me as u8; 4000], root);
            assert_eq!(large, [owner as u8; 4000]);
        }
    }
}

/// 0 to 10,000 values, another number on each PE.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn collected(world: &World) {
    let teams = Teams::of(world);
    let me = world.my_pe();
    for (name, team) in teams.each() {
        for round in 0..24_u64 {
            let len = |pe: usize| match mix(round * 64 + pe as u64) % 5 {
                0 => 0,
                1 => 1,
                2 => 512,
                3 => mix(round + 7 * pe as u64) as usize % 2000,
                _ => mix(round + 7 * pe as u64) as usize % 10_001,
            };
            // Nobody gives anything in the last round.
            let len = |pe: usize| if round == 23 { 0 } else { len(pe) };
            let expected: Vec<u64> = team.world_pes().flat_map(|pe| values(round, pe, len(pe))).collect();
            assert_eq!(
                team.collect_values(&values::<u64>(round, me, len(me))),
                expected,
                "round {round} on {name}"
            );
        }
        let small: Vec<u8> = team.world_pes().flat_map(|pe| values(3, pe, 100 * pe)).collect();
        assert_eq!(team.collect_values(&values::<u8>(3, me, 100 * me)), small);
        let nothing = team.collect_values(&vec![[0_u8; 0]; me]);
        assert_eq!(nothing.len(), team.world_pes().sum::<usize>(), "elements without bytes");
    }
}

/// Values that are larger than the place where small ones are left.
#[shmem::test(npes = [1, 2, 3])]
fn large_elements(world: &World) {
    let me = world.my_pe();
    let all = world.team().collect_values(&vec![[me as u16; 3000]; me]);
    let expected: Vec<[u16; 3000]> = (0..world.n_pes()).flat_map(|pe| vec![[pe as u16; 3000]; pe]).collect();
    assert!(all == expected);
    assert!(world.team().broadcast_value([me as u16; 3000], 0) == [0; 3000]);
}

/// Sums in a row: a PE may have all words before another one has counted itself in. On a busy machine each round may take
/// the turn of a process for each PE.
#[shmem::test(npes = [2, 4, 7])]
fn sums_in_a_row(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    for round in 0..20_000 / n {
        assert_eq!(collective!(sum round + me), n * round + n * (n - 1) / 2);
    }
}
