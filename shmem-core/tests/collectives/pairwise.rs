//! Reductions in pairs: the order, to the last bit.

use shmem::prelude::*;
use shmem::reduction::{Max, Prod, Sum};

use crate::model::Teams;

/// Joins values as the documentation says: as many as there can be in whole pairs of pairs, and what is left.
pub(crate) fn in_pairs<T: Copy>(values: &[T], join: &impl Fn(T, T) -> T) -> T {
    match values {
        [one] => *one,
        _ => {
            let (left, right) = values.split_at(1 << (values.len() - 1).ilog2());
            join(in_pairs(left, join), in_pairs(right, join))
        }
    }
}

/// The value of PE `pe` at place `i`. In another order, sums of these have other bits.
fn value(pe: usize, i: usize) -> f64 {
    let mixed = (pe * 31 + i * 17 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let part = (mixed >> 12) as f64 / (1_u64 << 52) as f64 + 0.5;
    part * [1e-3, 1.0, -1e4, 1e9][mixed % 4]
}

/// What all PEs of a team get at place `i`.
fn expected(team: &Team, i: usize, join: impl Fn(f64, f64) -> f64) -> f64 {
    in_pairs(&team.world_pes().map(|pe| value(pe, i)).collect::<Vec<_>>(), &join)
}

/// All forms and some operations, of `n` values.
fn check(world: &World, team: &Team, n: usize) -> Result<(), shmem::Error> {
    let me = world.my_pe();
    let sums: Vec<f64> = (0..n).map(|i| expected(team, i, |a, b| a + b)).collect();
    let same = |what: &str, found: &[f64]| {
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(found), bits(&sums), "{what} of {n} on PE {me} of {}", team.n_pes());
    };
    let mut values: Vec<f64> = (0..n).map(|i| value(me, i)).collect();
    team.reduce_pairwise_values(Sum, &mut values);
    same("reduce_pairwise_values", &values);
    let short: Vec<f32> = (0..n).map(|i| value(me, i) as f32).collect();
    let mut joined = short.clone();
    team.reduce_pairwise_values(Prod, &mut joined);
    for (i, joined) in joined.into_iter().enumerate() {
        let all: Vec<f32> = team.world_pes().map(|pe| value(pe, i) as f32).collect();
        assert_eq!(joined.to_bits(), in_pairs(&all, &|a, b| a * b).to_bits());
    }
    if n > 0 {
        assert_eq!(team.reduce_pairwise_value(Sum, value(me, 0)).to_bits(), sums[0].to_bits());
        assert_eq!(team.reduce_pairwise_value(Max, value(me, 0)), expected(team, 0, f64::max));
        assert_eq!(
            team.reduce_pairwise_value(Sum, me as u64 + 1),
            team.world_pes().map(|pe| pe as u64 + 1).sum()
        );
    }
    Ok(())
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn sums(world: &World) -> Result<(), shmem::Error> {
    let teams = Teams::of(world);
    for (_, team) in teams.each() {
        for n in [0, 1, 2, 3, 8, 65, 512, 513, 1300] {
            check(world, team, n)?;
        }
    }
    Ok(())
}

#[symmetric]
static FROM: [f64; 1200] = [0.0; 1200];
#[symmetric]
static TO: [f64; 1200] = [0.0; 1200];

/// More PEs than meet at once, where they are on as many hosts or on half as many: partial results go in rounds, a few
/// values at a time. Longer selections go in blocks. Now and then, a PE comes late.
#[shmem::test(npes = 35)]
fn many_parties_join_in_rounds(world: &World) -> Result<(), shmem::Error> {
    let (me, world_team) = (world.my_pe(), world.team());
    let others = world_team.split_strided(1, 1, world.n_pes() - 1)?;
    let odd = world_team.split_strided(34, -2, 18)?;
    for turn in 0..6 {
        if me == 11 * turn % world.n_pes() {
            std::thread::sleep(std::time::Duration::from_millis(3));
        }
        let one = world_team.reduce_pairwise_value(Sum, value(me, turn));
        assert_eq!(
            one.to_bits(),
            expected(world_team, turn, |a, b| a + b).to_bits(),
            "turn {turn} on PE {me}"
        );
    }
    for team in [Some(world_team), others.as_ref(), odd.as_ref()].into_iter().flatten() {
        for n in [1, 2, 3, 9, 40] {
            check(world, team, n)?;
        }
    }
    for n in [5, 512, 1200] {
        for i in 0..n {
            local!(FROM[i]) = value(me, i);
        }
        collective!(TO[..n] = pairwise sum FROM[..n]);
        collective!(FROM[..n] = pairwise sum FROM[..n]);
        for i in 0..n {
            let expected = expected(world_team, i, |a, b| a + b).to_bits();
            assert_eq!(
                (local!(TO[i]).to_bits(), local!(FROM[i]).to_bits()),
                (expected, expected),
                "place {i} of {n}"
            );
        }
    }
    Ok(())
}
