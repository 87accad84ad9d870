//! Divisions against words of one index at a time, and reciprocals against divisions.

use std::sync::atomic::Ordering::Relaxed;

use super::axis::Reciprocal;
use super::short::{divides_exactly, factor_of, quotient};
use super::{Distribution, Parts, StaticParts, grid};
use crate::runtime::direct::LISTED;

/// The PE and the place of an index.
fn located<const R: usize>(parts: &Parts, index: [usize; R]) -> (usize, usize) {
    assert!(index.iter().zip(&parts.axes).all(|(index, axis)| *index < axis.extent));
    // SAFETY: each number is below the extent of its axis.
    unsafe { parts.locate(index) }
}

/// Numbers of every size, from a generator with a fixed seed.
fn numbers() -> impl Iterator<Item = usize> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> (state % 63 + 1)) as usize
    })
}

#[test]
fn a_reciprocal_divides_exactly() {
    let divide = |divisor: usize, n: usize| {
        assert_eq!(Reciprocal::of(divisor).quotient(n), n / divisor, "{n} / {divisor}");
    };
    const LAST: usize = isize::MAX as usize;
    let edges = |divisor: usize| {
        // The quotient is as far from its neighbours as it can be at multiples of the divisor,
        // and just before them; the error is largest at the largest number.
        let last = LAST / divisor;
        for multiple in [0, 1, 2, 3, last / 2, last.saturating_sub(1), last] {
            let multiple = multiple.min(last);
            let n = multiple * divisor;
            for n in [n.saturating_sub(1), n, n.saturating_add(1).min(LAST)] {
                divide(divisor, n);
            }
        }
        divide(divisor, LAST);
    };
    (1..5000).for_each(edges);
    for power in 0..63 {
        for divisor in [(1_usize << power) - 1, 1 << power, (1 << power) + 1] {
            if divisor > 0 {
                edges(divisor);
            }
        }
    }
    edges(LAST);
    numbers().filter(|divisor| *divisor > 0).take(20_000).for_each(edges);
    for (divisor, n) in numbers().zip(numbers().skip(7)).filter(|(divisor, _)| *divisor > 0).take(100_000) {
        divide(divisor, n);
    }
}

/// Of every distribution, in words of one index at a time: who holds what, in which order.
fn model(distribution: Distribution, extents: &[usize], n_pes: usize) -> Vec<Vec<[usize; 2]>> {
    let [rows, columns] = [extents[0], extents.get(1).copied().unwrap_or(1)];
    let (down, right) = grid(n_pes);
    let mut parts = vec![Vec::new(); n_pes];
    for row in 0..rows {
        for column in 0..columns {
            let pe = match distribution {
                Distribution::Block => row / rows.div_ceil(n_pes),
                Distribution::Cyclic => row % n_pes,
                Distribution::BlockCyclic(k) => row / k % n_pes,
                Distribution::Block2d => row / rows.div_ceil(down) * right + column / columns.div_ceil(right),
            };
            parts[pe].push([row, column]);
        }
    }
    parts
}

#[test]
fn every_index_has_one_owner_and_one_place() {
    use Distribution::{Block, Block2d, BlockCyclic, Cyclic};
    for n_pes in [1, 2, 3, 4, 5, 6, 7, 8, 12, 16] {
        for rows in (0..30).chain([64, 100]) {
            for columns in [1, 2, 5, 9] {
                for distribution in [Block, Cyclic, BlockCyclic(1), BlockCyclic(3), BlockCyclic(200), Block2d]
                {
                    let parts = Parts::new(distribution, &[rows, columns], n_pes).unwrap();
                    for (pe, indices) in model(distribution, &[rows, columns], n_pes).iter().enumerate() {
                        let held = parts.held(pe);
                        assert_eq!(
                            held[0] * held[1],
                            indices.len(),
                            "{distribution:?} {rows} {columns} {n_pes}"
                        );
                        assert!(held[0] * held[1] <= parts.held(0).iter().product());
                        let coordinates = parts.coordinates(pe);
                        assert_eq!(parts.pe(coordinates), pe);
                        for (element, &index) in indices.iter().enumerate() {
                            let located = located(&parts, index);
                            assert_eq!(located, (pe, element), "{distribution:?} {index:?}");
                            let places = [element / held[1], element % held[1]];
                            let found: [usize; 2] = std::array::from_fn(|axis| {
                                let located = parts.axes[axis].locate(index[axis]);
                                assert_eq!(located, (coordinates[axis], places[axis]));
                                parts.axes[axis].index(coordinates[axis], places[axis])
                            });
                            assert_eq!(found, index);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn the_short_way_divides_exactly() {
    // The largest extent for a divisor, and the largest divisor for an extent.
    let edges = |divisor: usize| {
        let extent = ((1_u128 << 64) / divisor as u128).min(1 << 63) as usize;
        assert!(divides_exactly(divisor, extent) && !divides_exactly(divisor + 1, 1 << 63));
        let factor = factor_of(divisor);
        let last = (extent - 1) / divisor;
        for multiple in [0, 1, 2, 3, last / 2, last.saturating_sub(1), last] {
            let n = multiple.min(last) * divisor;
            for n in [n.saturating_sub(1), n, n + 1, n + (divisor - 1), extent - 1] {
                let n = n.min(extent - 1);
                assert_eq!(quotient(factor, n), n / divisor, "{n} / {divisor}");
            }
        }
    };
    (2..5000).for_each(edges);
    for power in 2..33 {
        [(1_usize << power) - 1, 1 << power, (1 << power) + 1].into_iter().for_each(edges);
    }
    numbers().filter(|divisor| *divisor > 1).take(20_000).for_each(edges);
    for n in numbers().take(1000).chain([0, (1 << 63) - 1]) {
        assert_eq!(quotient(factor_of(1), n), n);
        // Before a job.
        assert_eq!(quotient(0, n), 0);
    }
}

#[test]
fn the_short_way_ends_where_the_long_one_does() {
    const LARGE: usize = 1 << 32;
    for distribution in [Distribution::Block, Distribution::Cyclic] {
        // The last extents that have it, and the first ones that have not: too large for one factor, and with
        // more PEs than the table of heaps has entries.
        let ways =
            [(LARGE, 1), (LARGE + 1, 1), (3 * LARGE, 16), (LARGE, 65_536), (LARGE, 65_537), (65_536, 70_000)];
        let exists = ways.map(|(extent, n_pes)| {
            let parts = Parts::new(distribution, &[extent], n_pes).unwrap();
            for index in numbers().take(500).map(|index| index % extent).chain([0, extent - 1]) {
                let (pe, place) = located(&parts, [index]);
                assert_eq!((pe, place), parts.locate_otherwise(&[index]));
                assert_eq!(parts.axes[0].index(pe, place), index);
            }
            // SAFETY: index 0 of an array that is not empty.
            unsafe { parts.short.locate(0) }.is_some()
        });
        let blocks_of_one = distribution == Distribution::Cyclic;
        assert_eq!(exists, [true, blocks_of_one, true, true, false, true], "{distribution:?}");
    }
}

#[test]
fn a_static_finds_what_its_parts_say() {
    use Distribution::{Block, Block2d, BlockCyclic, Cyclic};
    const SLOT: usize = 24;
    // Before the job all is on PE 0.
    let before = StaticParts::new();
    // SAFETY: of 9.
    let found = unsafe { before.locate(Block, 1, SLOT, [9, 1, 1, 1], [7, 0, 0, 0]) };
    assert_eq!(found, (0, 7 * SLOT));
    for [rows, columns] in [[1, 1], [7, 3], [1000, 1], [65_536, 2], [65_537, 2], [1 << 33, 1]] {
        for n_pes in [1, 2, 3, 64, 65_536, 65_537, 70_001] {
            for distribution in [Block, Cyclic, BlockCyclic(3), Block2d] {
                let parts = Parts::new(distribution, &[rows, columns], n_pes).unwrap();
                let words = StaticParts::new();
                words.set(&parts, SLOT);
                for index in numbers().take(50).chain([0, rows * columns - 1]) {
                    let index = [index % rows, index / 7 % columns, 0, 0];
                    let (pe, element) = parts.locate_otherwise(&index[..2]);
                    // SAFETY: the rests of the divisions by the extents.
                    let find =
                        || unsafe { words.locate(distribution, 2, SLOT, [rows, columns, 1, 1], index) };
                    let found = find();
                    assert_eq!(
                        found,
                        (pe, element * SLOT),
                        "{distribution:?} {index:?} {rows} {columns} {n_pes}"
                    );
                    // What a thread sees that looks while the words are written: a PE that the table of
                    // heaps has an entry for, as the optimiser is told.
                    if matches!(distribution, Block | Cyclic) && words.short[0].load(Relaxed) != 0 {
                        for word in &words.short {
                            let whole = word.swap(0, Relaxed);
                            assert!(find().0 < LISTED, "{distribution:?} {index:?} {rows} {n_pes}");
                            word.store(whole, Relaxed);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn grids_are_as_square_as_can_be() {
    let grids: Vec<_> = [1, 2, 3, 4, 6, 7, 8, 12, 36].map(grid).into();
    assert_eq!(grids, [(1, 1), (2, 1), (3, 1), (2, 2), (3, 2), (7, 1), (4, 2), (4, 3), (6, 6)]);
}

#[test]
fn extents_near_the_largest() {
    const LAST: usize = isize::MAX as usize;
    for distribution in [Distribution::Block, Distribution::Cyclic, Distribution::BlockCyclic(1 << 40)] {
        for n_pes in [1, 3, 4096] {
            let parts = Parts::new(distribution, &[LAST], n_pes).unwrap();
            let held: u128 = (0..n_pes).map(|pe| parts.held(pe)[0] as u128).sum();
            assert_eq!(held, LAST as u128);
            for index in numbers().take(200).chain([0, LAST - 1]) {
                let (pe, element) = located(&parts, [index % LAST]);
                assert!(element < parts.held(pe)[0]);
                assert_eq!(parts.axes[0].index(pe, element), index % LAST);
            }
        }
    }
}

#[test]
fn impossible_distributions() {
    assert!(Parts::new(Distribution::BlockCyclic(0), &[5], 2).unwrap_err().contains("1 or more"));
    assert!(Parts::new(Distribution::Block2d, &[5], 2).unwrap_err().contains("rank 1"));
    assert!(Parts::new(Distribution::Block2d, &[5, 1, 1], 2).unwrap_err().contains("rank 3"));
}
