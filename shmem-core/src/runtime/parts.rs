//! How a global array is divided over the PEs: who holds an index, and where in its part.
//!
//! Each axis is divided on its own ([`AxisParts`]), into *coordinates* that hold some of its
//! indices. The coordinates of the axes together are a PE ([`Parts`]). Nothing here moves data.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::region::MAX_RANK;
use crate::transport::word::load_usize;

/// How the indices of a global array are dealt to the PEs.
///
/// In an array of rank 1 the indices are those of the elements. In an array of a higher rank,
/// `Block`, `Cyclic` and `BlockCyclic` deal the indices of the first axis: whole rows, planes and so
/// on. Variants may be added.
///
/// | | PE of index `i`, of `n` on `p` PEs | suits |
/// |---|---|---|
/// | `Block` | `i / b`, with `b = n.div_ceil(p)` | neighbours that need each other |
/// | `Cyclic` | `i % p` | work that grows or shrinks along the index |
/// | `BlockCyclic(k)` | `i / k % p` | both |
/// | `Block2d` | a grid of PEs, and a block of both axes for each | grids with long borders |
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 3)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let owners = |distribution| -> Result<Vec<usize>, shmem::Error> {
///         let array = world.global_array::<u8, 1>([8], distribution)?;
///         Ok((0..8).map(|i| array.owner(i)).collect())
///     };
///     assert_eq!(owners(Distribution::Block)?, [0, 0, 0, 1, 1, 1, 2, 2]);
///     assert_eq!(owners(Distribution::Cyclic)?, [0, 1, 2, 0, 1, 2, 0, 1]);
///     assert_eq!(owners(Distribution::BlockCyclic(2))?, [0, 0, 1, 1, 2, 2, 0, 0]);
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Distribution {
    /// One block for each PE. The blocks have equal lengths, but for the last: it may be shorter,
    /// and PEs after it have none.
    Block,
    /// One index for each PE in turn.
    Cyclic,
    /// A block of so many indices for each PE in turn. The last block may be shorter.
    BlockCyclic(usize),
    /// A block of rows and columns for each PE, in an array of rank 2. The PEs form a grid whose
    /// sides are as near to each other as their number allows, and which has at least as many rows
    /// as columns: 2 × 2 for 4 PEs, 3 × 2 for 6, 7 × 1 for 7. They are numbered row by row.
    Block2d,
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distribution::Block => write!(f, "in blocks"),
            Distribution::Cyclic => write!(f, "cyclically"),
            Distribution::BlockCyclic(k) => write!(f, "cyclically in blocks of {k}"),
            Distribution::Block2d => write!(f, "in blocks of rows and columns"),
        }
    }
}

/// Division by a number that is known when an array is made, as a multiplication and a shift.
///
/// With the divisor `d`, the smallest `2^l` that is not smaller, and `m` = ⌈2^(63+l) / d⌉, the error
/// `m * d - 2^(63+l)` is smaller than `d`, so not larger than `2^l`. Therefore `⌊n * m / 2^(63+l)⌋`
/// is `⌊n / d⌋` for every `n` below 2^63 (Granlund and Montgomery, 1994, theorem 4.2). `m` has 64
/// bits, because `d` is larger than `2^(l-1)`. A power of two has `m` = 2^63: what is left is the
/// shift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reciprocal {
    factor: u64,
    shift: u32,
}

impl Reciprocal {
    /// Of a divisor from 1 to 2^63.
    pub(crate) const fn of(divisor: usize) -> Reciprocal {
        assert!(divisor > 0 && divisor <= 1 << 63, "a divisor is at least 1");
        let shift = divisor.next_power_of_two().trailing_zeros();
        let factor = (1_u128 << (63 + shift)).div_ceil(divisor as u128);
        Reciprocal { factor: factor as u64, shift }
    }

    /// `n / divisor`, for an `n` below 2^63.
    #[inline(always)]
    pub(crate) const fn quotient(self, n: usize) -> usize {
        let product = (n as u64).wrapping_mul(2) as u128 * self.factor as u128;
        ((product >> 64) as u64 >> self.shift) as usize
    }
}

/// How one axis is dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dealing {
    /// Not at all: its one coordinate holds all indices.
    Whole,
    Blocks,
    Cyclic,
    BlockCyclic,
}

/// One axis of a global array, with its indices and coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisParts {
    pub(crate) dealing: Dealing,
    /// How many indices.
    pub(crate) extent: usize,
    /// How many coordinates.
    pub(crate) coordinates: usize,
    /// How many neighbouring indices a coordinate holds at a time; 1 where they are dealt singly.
    pub(crate) block: usize,
    /// How many places the axis has in the memory of a PE: 0 for as many as the coordinate holds.
    room: usize,
    by_block: Reciprocal,
    by_coordinates: Reciprocal,
}

impl AxisParts {
    fn new(dealing: Dealing, extent: usize, coordinates: usize, block: usize) -> AxisParts {
        let (by_block, by_coordinates) = (Reciprocal::of(block), Reciprocal::of(coordinates));
        AxisParts { dealing, extent, coordinates, block, room: 0, by_block, by_coordinates }
    }

    fn whole(extent: usize) -> AxisParts {
        let unused = Reciprocal { factor: 0, shift: 0 };
        AxisParts {
            dealing: Dealing::Whole,
            extent,
            coordinates: 1,
            block: extent.max(1),
            room: 0,
            by_block: unused,
            by_coordinates: unused,
        }
    }

    fn blocks(extent: usize, coordinates: usize) -> AxisParts {
        AxisParts::new(Dealing::Blocks, extent, coordinates, extent.div_ceil(coordinates).max(1))
    }

    fn cyclic(extent: usize, coordinates: usize) -> AxisParts {
        AxisParts::new(Dealing::Cyclic, extent, coordinates, 1)
    }

    fn block_cyclic(extent: usize, coordinates: usize, block: usize) -> AxisParts {
        // A longer block than the axis is the whole axis.
        AxisParts::new(Dealing::BlockCyclic, extent, coordinates, block.min(extent.max(1)))
    }

    /// The coordinate of index `i`, and its place among what the coordinate holds.
    #[inline(always)]
    pub(crate) fn locate(&self, i: usize) -> (usize, usize) {
        match self.dealing {
            Dealing::Whole => (0, i),
            Dealing::Blocks => self.locate_in_blocks(i),
            Dealing::Cyclic => self.locate_cyclic(i),
            Dealing::BlockCyclic => self.locate_block_cyclic(i),
        }
    }

    #[inline(always)]
    pub(crate) fn locate_in_blocks(&self, i: usize) -> (usize, usize) {
        let coordinate = self.by_block.quotient(i);
        (coordinate, i - coordinate * self.block)
    }

    #[inline(always)]
    pub(crate) fn locate_cyclic(&self, i: usize) -> (usize, usize) {
        let place = self.by_coordinates.quotient(i);
        (i - place * self.coordinates, place)
    }

    #[inline(always)]
    pub(crate) fn locate_block_cyclic(&self, i: usize) -> (usize, usize) {
        let block = self.by_block.quotient(i);
        let round = self.by_coordinates.quotient(block);
        (block - round * self.coordinates, round * self.block + (i - block * self.block))
    }

    /// The index at a place among what a coordinate holds: the inverse of [`locate`](Self::locate).
    #[inline(always)]
    pub(crate) fn index(&self, coordinate: usize, place: usize) -> usize {
        match self.dealing {
            Dealing::Whole => place,
            Dealing::Blocks => coordinate * self.block + place,
            Dealing::Cyclic => place * self.coordinates + coordinate,
            Dealing::BlockCyclic => {
                let round = self.by_block.quotient(place);
                (round * self.coordinates + coordinate) * self.block + (place - round * self.block)
            }
        }
    }

    /// How many places the axis has in the memory of a coordinate's PE: as many as it holds, or more.
    #[inline]
    pub(crate) fn room(&self, coordinate: usize) -> usize {
        if self.room == 0 { self.held(coordinate) } else { self.room }
    }

    /// How many indices a coordinate holds. Coordinate 0 holds as many as any other.
    pub(crate) fn held(&self, coordinate: usize) -> usize {
        match self.dealing {
            Dealing::Whole => self.extent,
            Dealing::Blocks => {
                self.extent.saturating_sub(coordinate.saturating_mul(self.block)).min(self.block)
            }
            Dealing::Cyclic | Dealing::BlockCyclic => {
                // Whole blocks in whole rounds, then the blocks of the last round, whose last one
                // may be shorter.
                let whole = self.extent / self.block;
                let (rounds, left) = (whole / self.coordinates, whole % self.coordinates);
                let last = match coordinate {
                    c if c < left => self.block,
                    c if c == left => self.extent % self.block,
                    _ => 0,
                };
                rounds * self.block + last
            }
        }
    }
}

/// A global array as it is divided over the PEs.
///
/// A PE's *part* has the elements whose indices its coordinates hold on each axis, in row-major
/// order, without gaps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    pub(crate) distribution: Distribution,
    /// The axes; those that there are not have one index. At most the first two are divided.
    pub(crate) axes: [AxisParts; MAX_RANK],
}

impl Parts {
    /// The extents of the whole, of an array of rank `R`.
    #[inline(always)]
    pub(crate) fn extents<const R: usize>(&self) -> [usize; R] {
        std::array::from_fn(|axis| self.axes[axis].extent)
    }

    /// An array of these extents on `n_pes` PEs; or why there can be none.
    pub(crate) fn new(distribution: Distribution, extents: &[usize], n_pes: usize) -> Result<Parts, String> {
        let rank = extents.len();
        let mut axes = [1; MAX_RANK];
        axes[..rank].copy_from_slice(extents);
        let first = extents[0];
        let mut axes = axes.map(AxisParts::whole);
        match distribution {
            Distribution::Block => axes[0] = AxisParts::blocks(first, n_pes),
            Distribution::Cyclic => axes[0] = AxisParts::cyclic(first, n_pes),
            Distribution::BlockCyclic(0) => {
                return Err("the blocks of `Distribution::BlockCyclic(0)` have no indices: write 1 or more"
                    .to_owned());
            }
            Distribution::BlockCyclic(block) => axes[0] = AxisParts::block_cyclic(first, n_pes, block),
            Distribution::Block2d if rank != 2 => {
                return Err(format!(
                    "`Distribution::Block2d` divides two axes, and an array of rank {rank} does not have two: write `Distribution::Block`"
                ));
            }
            Distribution::Block2d => {
                let (rows, columns) = grid(n_pes);
                axes[0] = AxisParts::blocks(first, rows);
                axes[1] = AxisParts::blocks(extents[1], columns);
            }
        }
        Ok(Parts { distribution, axes })
    }

    /// The same, where a row of every part has room for `columns` elements. The caller finds elements by
    /// the axes: [`locate`](Parts::locate) knows of parts without gaps.
    pub(crate) fn with_room(mut self, columns: usize) -> Parts {
        self.axes[1].room = columns;
        self
    }

    /// The coordinates of a PE on each axis.
    pub(crate) fn coordinates(&self, pe: usize) -> [usize; MAX_RANK] {
        let columns = self.axes[1].coordinates;
        [pe / columns, pe % columns, 0, 0]
    }

    /// The PE with these coordinates.
    #[inline(always)]
    pub(crate) fn pe(&self, coordinates: [usize; MAX_RANK]) -> usize {
        coordinates[0] * self.axes[1].coordinates + coordinates[1]
    }

    /// The extents of the part of a PE.
    pub(crate) fn held(&self, pe: usize) -> [usize; MAX_RANK] {
        let coordinates = self.coordinates(pe);
        std::array::from_fn(|axis| self.axes[axis].held(coordinates[axis]))
    }

    /// The PE that holds the element at an index, and which element of its part it is.
    #[inline(always)]
    pub(crate) fn locate<const R: usize>(&self, index: [usize; R]) -> (usize, usize) {
        let (pe, mut element) = match self.distribution {
            Distribution::Block => self.axes[0].locate_in_blocks(index[0]),
            Distribution::Cyclic => self.axes[0].locate_cyclic(index[0]),
            Distribution::BlockCyclic(_) => self.axes[0].locate_block_cyclic(index[0]),
            Distribution::Block2d => return self.locate_2d([index[0], index.get(1).copied().unwrap_or(0)]),
        };
        for (axis, index) in self.axes.iter().zip(index).skip(1) {
            element = element * axis.extent + index;
        }
        (pe, element)
    }

    #[inline(never)]
    fn locate_2d(&self, [row, column]: [usize; 2]) -> (usize, usize) {
        let [rows, columns, ..] = &self.axes;
        let ((down, row), (right, column)) = (rows.locate_in_blocks(row), columns.locate_in_blocks(column));
        (down * columns.coordinates + right, row * columns.held(right) + column)
    }
}

/// How a global static is divided: what the number of PEs determines. All zeros before a job, which
/// places each element on PE 0.
///
/// The words are atomic, because a thread of the program may read them before the job begins, when
/// they are written.
#[derive(Debug)]
pub(crate) struct StaticParts {
    axes: [AxisWords; 2],
}

/// The words of one axis.
#[derive(Debug)]
struct AxisWords {
    coordinates: AtomicUsize,
    block: AtomicUsize,
    /// Factor and shift of the reciprocals.
    by_block: [AtomicUsize; 2],
    by_coordinates: [AtomicUsize; 2],
}

impl AxisWords {
    const fn zeros() -> AxisWords {
        const fn pair() -> [AtomicUsize; 2] {
            [AtomicUsize::new(0), AtomicUsize::new(0)]
        }
        AxisWords {
            coordinates: AtomicUsize::new(0),
            block: AtomicUsize::new(0),
            by_block: pair(),
            by_coordinates: pair(),
        }
    }

    fn set(&self, axis: &AxisParts) {
        let pair = |words: &[AtomicUsize; 2], reciprocal: Reciprocal| {
            words[0].store(reciprocal.factor as usize, Ordering::Relaxed);
            words[1].store(reciprocal.shift as usize, Ordering::Relaxed);
        };
        self.coordinates.store(axis.coordinates, Ordering::Relaxed);
        self.block.store(axis.block, Ordering::Relaxed);
        pair(&self.by_block, axis.by_block);
        pair(&self.by_coordinates, axis.by_coordinates);
    }

    #[inline(always)]
    fn reciprocal(words: &[AtomicUsize; 2]) -> Reciprocal {
        Reciprocal { factor: load_usize(&words[0]) as u64, shift: load_usize(&words[1]) as u32 }
    }

    /// The axis, of which an access reads what it needs.
    #[inline(always)]
    fn axis(&self, dealing: Dealing, extent: usize) -> AxisParts {
        AxisParts {
            dealing,
            extent,
            coordinates: load_usize(&self.coordinates),
            block: load_usize(&self.block),
            room: 0,
            by_block: AxisWords::reciprocal(&self.by_block),
            by_coordinates: AxisWords::reciprocal(&self.by_coordinates),
        }
    }

    #[inline(always)]
    fn locate_in_blocks(&self, i: usize) -> (usize, usize) {
        let coordinate = AxisWords::reciprocal(&self.by_block).quotient(i);
        (coordinate, i.wrapping_sub(coordinate.wrapping_mul(load_usize(&self.block))))
    }

    #[inline(always)]
    fn locate_cyclic(&self, i: usize) -> (usize, usize) {
        let place = AxisWords::reciprocal(&self.by_coordinates).quotient(i);
        (i.wrapping_sub(place.wrapping_mul(load_usize(&self.coordinates))), place)
    }
}

impl StaticParts {
    /// Those of a static before the job.
    pub(crate) const fn new() -> StaticParts {
        StaticParts { axes: [AxisWords::zeros(), AxisWords::zeros()] }
    }

    /// Writes down how the static is divided in this job.
    pub(super) fn set(&self, parts: &Parts) {
        for (words, axis) in self.axes.iter().zip(&parts.axes) {
            words.set(axis);
        }
    }

    /// The whole of it, of a static with this distribution and these extents.
    #[inline]
    pub(crate) fn parts(&self, distribution: Distribution, extents: [usize; MAX_RANK]) -> Parts {
        let mut axes = extents.map(AxisParts::whole);
        let dealing = match distribution {
            Distribution::Block | Distribution::Block2d => Dealing::Blocks,
            Distribution::Cyclic => Dealing::Cyclic,
            Distribution::BlockCyclic(_) => Dealing::BlockCyclic,
        };
        axes[0] = self.axes[0].axis(dealing, extents[0]);
        if distribution == Distribution::Block2d {
            axes[1] = self.axes[1].axis(dealing, extents[1]);
        }
        Parts { distribution, axes }
    }

    /// [`Parts::locate`] of a static with `rank` axes. All but the index are constants, and only what
    /// is needed is read.
    #[inline(always)]
    pub(crate) fn locate(
        &self,
        distribution: Distribution,
        rank: usize,
        extents: [usize; MAX_RANK],
        index: [usize; MAX_RANK],
    ) -> (usize, usize) {
        let (pe, mut element) = match distribution {
            Distribution::Block => self.axes[0].locate_in_blocks(index[0]),
            Distribution::Cyclic => self.axes[0].locate_cyclic(index[0]),
            Distribution::BlockCyclic(_) | Distribution::Block2d => {
                return self.parts(distribution, extents).locate(index);
            }
        };
        let mut axis = 1;
        while axis < rank {
            element = element.wrapping_mul(extents[axis]).wrapping_add(index[axis]);
            axis += 1;
        }
        (pe, element)
    }
}

/// The rows and columns of a grid of `n` PEs: as near to each other as can be, with at least as many
/// rows.
fn grid(n: usize) -> (usize, usize) {
    let columns = (1..=n.isqrt()).rev().find(|columns| n.is_multiple_of(*columns)).unwrap_or(1);
    (n / columns, columns)
}

#[cfg(test)]
mod tests {
    use super::{Distribution, Parts, Reciprocal, grid};

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
        for (divisor, n) in numbers().zip(numbers().skip(7)).filter(|(divisor, _)| *divisor > 0).take(100_000)
        {
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
                    Distribution::Block2d => {
                        row / rows.div_ceil(down) * right + column / columns.div_ceil(right)
                    }
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
                    for distribution in
                        [Block, Cyclic, BlockCyclic(1), BlockCyclic(3), BlockCyclic(200), Block2d]
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
                                assert_eq!(parts.locate(index), (pe, element), "{distribution:?} {index:?}");
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
                    let (pe, element) = parts.locate([index % LAST]);
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
}
