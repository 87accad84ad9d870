//! Global arrays: how their elements are dealt to the PEs, and so to the files.
//!
//! A checkpoint has a file for each PE that wrote it. In the bytes of a global array there, the PE's
//! *part* comes first: the elements whose indices it holds, in row-major order. So the elements of any
//! other number of PEs can be found in these files.

use std::fmt;
use std::ops::Range;

/// How the indices of a global array are dealt to PEs.
///
/// Of an array of a higher rank, all but `Block2d` deal the indices of the first axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dealing {
    /// One block for each PE.
    Block,
    /// One index for each PE in turn.
    Cyclic,
    /// A block of so many indices for each PE in turn.
    BlockCyclic(usize),
    /// A block of rows and columns for each PE of a grid, which is as square as can be and has at least
    /// as many rows as columns.
    Block2d,
}

impl Dealing {
    /// The word in a manifest.
    pub(crate) fn to_word(self) -> String {
        match self {
            Dealing::Block => String::from("block"),
            Dealing::Cyclic => String::from("cyclic"),
            Dealing::BlockCyclic(block) => format!("block-cyclic-{block}"),
            Dealing::Block2d => String::from("block-2d"),
        }
    }

    /// The dealing that a manifest names.
    pub(crate) fn of_word(word: &str) -> Option<Dealing> {
        match word {
            "block" => Some(Dealing::Block),
            "cyclic" => Some(Dealing::Cyclic),
            "block-2d" => Some(Dealing::Block2d),
            _ => {
                let block = word.strip_prefix("block-cyclic-")?.parse().ok()?;
                (block > 0).then_some(Dealing::BlockCyclic(block))
            }
        }
    }
}

impl fmt::Display for Dealing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dealing::Block => f.write_str("in blocks"),
            Dealing::Cyclic => f.write_str("cyclically"),
            Dealing::BlockCyclic(block) => write!(f, "cyclically in blocks of {block}"),
            Dealing::Block2d => f.write_str("in blocks of rows and columns"),
        }
    }
}

/// A global array: its extents as a whole, and how they are dealt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    /// How the indices are dealt.
    pub dealing: Dealing,
    /// How many indices there are along each axis, of all PEs together; at least one axis.
    pub extents: Vec<usize>,
}

/// One axis, dealt to coordinates in blocks, in turn.
#[derive(Clone, Copy)]
struct DealtAxis {
    extent: usize,
    coordinates: usize,
    block: usize,
}

impl DealtAxis {
    /// One block for each coordinate.
    fn blocks(extent: usize, coordinates: usize) -> DealtAxis {
        DealtAxis { extent, coordinates, block: extent.div_ceil(coordinates).max(1) }
    }

    /// The coordinate of an index, its place there, and how many indices follow it there without a gap,
    /// with itself.
    fn locate(self, index: usize) -> (usize, usize, usize) {
        let (number, within) = (index / self.block, index % self.block);
        let place = number / self.coordinates * self.block + within;
        let run = if self.coordinates == 1 { self.extent - index } else { self.block - within };
        (number % self.coordinates, place, run.min(self.extent - index))
    }

    /// The runs of indices of a coordinate, in order.
    fn runs(self, coordinate: usize) -> impl Iterator<Item = Range<usize>> + Clone {
        let (whole, block) = (self.coordinates == 1, self.block);
        let step = if whole { self.extent.max(1) } else { block.saturating_mul(self.coordinates) };
        let len = if whole { self.extent } else { block };
        (coordinate.saturating_mul(block)..self.extent)
            .step_by(step)
            .map(move |first| first..self.extent.min(first.saturating_add(len)))
    }

    /// How many indices a coordinate holds.
    fn held(self, coordinate: usize) -> usize {
        // Not by the runs, which may be many.
        let round = self.block.saturating_mul(self.coordinates);
        let left = (self.extent % round).saturating_sub(coordinate * self.block).min(self.block);
        self.extent / round * self.block + left
    }
}

/// The first two axes as they are dealt to PEs, and how many elements an index of both has.
#[derive(Clone, Copy)]
struct Grid {
    rows: DealtAxis,
    columns: DealtAxis,
    inner: usize,
}

impl Grid {
    /// The extents of the part of a PE, with those of the inner axes as one.
    fn held(&self, pe: usize) -> [usize; 2] {
        let columns = self.columns.coordinates;
        [self.rows.held(pe / columns), self.columns.held(pe % columns)]
    }
}

/// The part of a global array that one PE of a number of PEs has, where it is dealt so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// How the indices are dealt.
    pub dealing: Dealing,
    /// To how many PEs.
    pub n_pes: usize,
    /// Whose part it is.
    pub pe: usize,
}

/// Elements side by side in two shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The first of them in the one share.
    pub here: usize,
    /// The first of them in the other one.
    pub there: usize,
    /// How many.
    pub len: usize,
}

impl Spread {
    fn grid(&self, dealing: Dealing, n_pes: usize) -> Grid {
        let extent = |axis: usize| self.extents.get(axis).copied().unwrap_or(1);
        let (first, second) = (extent(0), extent(1));
        let turns = |block| DealtAxis { extent: first, coordinates: n_pes, block };
        let (rows, across) = match dealing {
            Dealing::Block => (DealtAxis::blocks(first, n_pes), 1),
            Dealing::Cyclic => (turns(1), 1),
            Dealing::BlockCyclic(block) => (turns(block.clamp(1, first.max(1))), 1),
            Dealing::Block2d => {
                let is_side = |side: &usize| n_pes.is_multiple_of(*side);
                let across = (1..=n_pes.isqrt()).rev().find(is_side).unwrap_or(1);
                (DealtAxis::blocks(first, n_pes / across), across)
            }
        };
        let inner = self.extents.iter().skip(2).product();
        Grid { rows, columns: DealtAxis::blocks(second, across), inner }
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.extents.iter().product()
    }

    /// Whether it has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The part that PE `pe` of `n_pes` has.
    #[must_use]
    pub fn share(&self, n_pes: usize, pe: usize) -> Share {
        Share { dealing: self.dealing, n_pes, pe }
    }

    /// How many elements a share has.
    #[must_use]
    pub fn held(&self, share: Share) -> usize {
        let grid = self.grid(share.dealing, share.n_pes);
        let [rows, columns] = grid.held(share.pe);
        rows * columns * grid.inner
    }

    /// What two shares have in common, in the order of both. They may be dealt in different ways, and to
    /// different numbers of PEs.
    pub fn overlaps(&self, here: Share, there: Share) -> impl Iterator<Item = Overlap> + use<> {
        let (ours, theirs) = (self.grid(here.dealing, here.n_pes), self.grid(there.dealing, there.n_pes));
        let across = (ours.columns.coordinates, theirs.columns.coordinates);
        let rows = common(ours.rows, here.pe / across.0, theirs.rows, there.pe / across.1);
        let columns = common(ours.columns, here.pe % across.0, theirs.columns, there.pe % across.1);
        let (width, wide) = (ours.held(here.pe)[1], theirs.held(there.pe)[1]);
        let inner = ours.inner;
        let is_some = !self.is_empty();
        rows.filter(move |_| is_some).flat_map(move |row| {
            // Where both have whole rows, several of them lie side by side.
            let is_whole = width == wide && columns.clone().next().is_some_and(|all| all.len == width);
            let (each, len) = if is_whole { (1, row.len) } else { (row.len, 1) };
            let columns = columns.clone();
            (0..each).flat_map(move |down| {
                columns.clone().map(move |column| Overlap {
                    here: ((row.here + down) * width + column.here) * inner,
                    there: ((row.there + down) * wide + column.there) * inner,
                    len: len * column.len * inner,
                })
            })
        })
    }
}

/// The indices that two coordinates have in common, as places in what each holds.
fn common(
    ours: DealtAxis,
    here: usize,
    theirs: DealtAxis,
    there: usize,
) -> impl Iterator<Item = Overlap> + Clone {
    ours.runs(here)
        .flat_map(move |run| Pieces { run, ours, theirs })
        .filter_map(move |(coordinate, overlap)| (coordinate == there).then_some(overlap))
}

/// A run of indices of one dealing, cut into the runs of another one.
#[derive(Clone)]
struct Pieces {
    run: Range<usize>,
    ours: DealtAxis,
    theirs: DealtAxis,
}

impl Iterator for Pieces {
    /// The coordinate of the other dealing, and the places in both.
    type Item = (usize, Overlap);

    fn next(&mut self) -> Option<(usize, Overlap)> {
        if self.run.is_empty() {
            return None;
        }
        let first = self.run.start;
        let (_, here, _) = self.ours.locate(first);
        let (coordinate, there, run) = self.theirs.locate(first);
        let len = run.min(self.run.len());
        self.run.start += len;
        Some((coordinate, Overlap { here, there, len }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole, in row-major order: the PE of each element.
    fn owners(spread: &Spread, n_pes: usize) -> Vec<usize> {
        let (first, rest) = (spread.extents[0], &spread.extents[1..]);
        let inner: usize = rest.iter().product();
        let columns = rest.first().copied().unwrap_or(1);
        let depth = inner.checked_div(columns).unwrap_or(0);
        let (down, right) = match n_pes {
            1..=3 | 5 | 7 => (n_pes, 1),
            4 => (2, 2),
            6 => (3, 2),
            8 => (4, 2),
            _ => unreachable!(),
        };
        let owner = |row: usize, column: usize| match spread.dealing {
            Dealing::Block => row / first.div_ceil(n_pes),
            Dealing::Cyclic => row % n_pes,
            Dealing::BlockCyclic(block) => row / block % n_pes,
            Dealing::Block2d => row / first.div_ceil(down) * right + column / columns.div_ceil(right),
        };
        (0..first * inner).map(|at| owner(at / inner, at / depth % columns)).collect()
    }

    /// The part of each PE: the numbers of its elements in the whole.
    fn parts(spread: &Spread, n_pes: usize) -> Vec<Vec<usize>> {
        let mut parts = vec![Vec::new(); n_pes];
        for (at, owner) in owners(spread, n_pes).into_iter().enumerate() {
            parts[owner].push(at);
        }
        parts
    }

    #[test]
    fn every_element_is_found_in_the_parts_of_another_number_of_pes() {
        let dealings = [
            Dealing::Block,
            Dealing::Cyclic,
            Dealing::BlockCyclic(3),
            Dealing::BlockCyclic(50),
            Dealing::Block2d,
        ];
        let shapes: [&[usize]; 8] = [&[0], &[1], &[5], &[29], &[6, 5], &[7, 1], &[1, 9], &[5, 4, 3]];
        for dealing in dealings {
            for extents in shapes {
                let spread = Spread { dealing, extents: extents.to_vec() };
                for n_there in [1, 2, 3, 4, 6, 7, 8] {
                    let theirs = parts(&spread, n_there);
                    for n_here in [1, 2, 3, 4, 5, 7] {
                        for (here, ours) in parts(&spread, n_here).into_iter().enumerate() {
                            let what = format!("{spread:?}: PE {here} of {n_here} from {n_there}");
                            assert_eq!(spread.held(spread.share(n_here, here)), ours.len(), "{what}");
                            let mut found = vec![usize::MAX; ours.len()];
                            for (there, part) in theirs.iter().enumerate() {
                                let mut last = 0;
                                for Overlap { here: to, there: from, len } in
                                    spread.overlaps(spread.share(n_here, here), spread.share(n_there, there))
                                {
                                    assert!(from >= last && len > 0, "{what}: in order");
                                    last = from + len;
                                    found[to..to + len].copy_from_slice(&part[from..from + len]);
                                }
                            }
                            assert_eq!(found, ours, "{what}");
                        }
                    }
                }
            }
        }
    }

    /// Neighbours are not read one by one.
    #[test]
    fn overlaps_are_long() {
        let spread = Spread { dealing: Dealing::Block, extents: vec![1000, 10] };
        let overlaps: Vec<_> = spread.overlaps(spread.share(3, 1), spread.share(4, 1)).collect();
        assert_eq!(overlaps, [Overlap { here: 0, there: 840, len: 1660 }]);
        let cyclic = Spread { dealing: Dealing::Cyclic, extents: vec![1000] };
        let whole = cyclic.share(1, 0);
        let in_blocks = Share { dealing: Dealing::Block, n_pes: 2, pe: 1 };
        let all: Vec<_> = cyclic.overlaps(in_blocks, whole).collect();
        assert_eq!(all, [Overlap { here: 0, there: 500, len: 500 }]);
    }

    #[test]
    fn words() {
        for dealing in [Dealing::Block, Dealing::Cyclic, Dealing::BlockCyclic(7), Dealing::Block2d] {
            assert_eq!(Dealing::of_word(&dealing.to_word()), Some(dealing));
        }
        assert!(
            ["", "blocks", "block-cyclic-0", "block-cyclic-"]
                .iter()
                .all(|word| Dealing::of_word(word).is_none())
        );
    }
}
