//! One axis of a global array: which of its coordinates holds an index, and where.

/// Division by a number that is known when an array is made, as a multiplication and a shift.
///
/// With the divisor `d`, the smallest `2^l` that is not smaller, and `m` = ⌈2^(63+l) / d⌉, the error
/// `m * d - 2^(63+l)` is smaller than `d`, so not larger than `2^l`. Therefore `⌊n * m / 2^(63+l)⌋`
/// is `⌊n / d⌋` for every `n` below 2^63 (Granlund and Montgomery, 1994, theorem 4.2). `m` has 64
/// bits, because `d` is larger than `2^(l-1)`. A power of two has `m` = 2^63: what is left is the
/// shift.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reciprocal {
    pub(super) factor: u64,
    pub(super) shift: u32,
}

impl Reciprocal {
    /// Of a divisor from 1 to 2^63.
    pub(super) const fn of(divisor: usize) -> Reciprocal {
        assert!(divisor > 0 && divisor <= 1 << 63, "a divisor is at least 1");
        let shift = divisor.next_power_of_two().trailing_zeros();
        let factor = (1_u128 << (63 + shift)).div_ceil(divisor as u128);
        Reciprocal { factor: factor as u64, shift }
    }

    /// The logarithm of a divisor that is a power of two.
    #[inline]
    fn power(self) -> Option<u32> {
        (self.factor == 1 << 63).then_some(self.shift)
    }

    /// `n / divisor`, for an `n` below 2^63.
    #[inline(always)]
    pub(super) const fn quotient(self, n: usize) -> usize {
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
    pub(super) room: usize,
    pub(super) by_block: Reciprocal,
    pub(super) by_coordinates: Reciprocal,
}

impl AxisParts {
    fn new(dealing: Dealing, extent: usize, coordinates: usize, block: usize) -> AxisParts {
        let (by_block, by_coordinates) = (Reciprocal::of(block), Reciprocal::of(coordinates));
        AxisParts { dealing, extent, coordinates, block, room: 0, by_block, by_coordinates }
    }

    pub(super) fn whole(extent: usize) -> AxisParts {
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

    pub(super) fn blocks(extent: usize, coordinates: usize) -> AxisParts {
        AxisParts::new(Dealing::Blocks, extent, coordinates, extent.div_ceil(coordinates).max(1))
    }

    pub(super) fn cyclic(extent: usize, coordinates: usize) -> AxisParts {
        AxisParts::new(Dealing::Cyclic, extent, coordinates, 1)
    }

    pub(super) fn block_cyclic(extent: usize, coordinates: usize, block: usize) -> AxisParts {
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

    /// The number of bits of the place, where the indices are dealt in blocks of a power of two.
    #[inline]
    pub(crate) fn bits_of_place(&self) -> Option<u32> {
        self.by_block.power().filter(|_| self.dealing == Dealing::Blocks)
    }

    /// The number of bits of the coordinate, where the indices are dealt singly to a power of two of these.
    #[inline]
    pub(crate) fn bits_of_coordinate(&self) -> Option<u32> {
        self.by_coordinates.power().filter(|_| self.dealing == Dealing::Cyclic)
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

    /// How many of `count` neighbouring indices, dealt singly, the coordinate of the first one holds.
    #[inline(always)]
    pub(crate) fn rounds(&self, count: usize) -> usize {
        self.by_coordinates.quotient(count + (self.coordinates - 1))
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
