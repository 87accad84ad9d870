//! Global arrays: how their elements are dealt to the PEs, and so to the files.
//!
//! A checkpoint has a file for each PE that wrote it. In the bytes of a global array there, the PE's
//! *part* comes first: the elements whose indices it holds, in row-major order. So the elements of any
//! other number of PEs can be found in these files.
//!
//! With ghost cells, the bytes are the part and the ghost cells around it. A ghost cell is read from where
//! its element is, so it is as a refresh makes it. One beyond the ends of the whole has no element. It
//! is read from the ghost cells of the PE that has the nearest element.

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

/// The ghost cells around each part of a global array in blocks, of one or two axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ghosts {
    /// How many there are on each side.
    pub width: usize,
    /// Whether the cells beyond an end of the array are those of the other end.
    pub is_periodic: bool,
}

impl fmt::Display for Ghosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Halo::{}({})", if self.is_periodic { "periodic" } else { "fixed" }, self.width)
    }
}

/// A global array: its extents as a whole, and how they are dealt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    /// How the indices are dealt.
    pub dealing: Dealing,
    /// How many indices there are along each axis, of all PEs together; at least one axis.
    pub extents: Vec<usize>,
    /// The ghost cells around each part, if there are any.
    pub ghosts: Option<Ghosts>,
}

/// One axis, dealt to coordinates in blocks, in turn. With ghost cells there is one block for each.
#[derive(Clone, Copy)]
struct DealtAxis {
    extent: usize,
    coordinates: usize,
    block: usize,
    /// How many ghost cells are on each side, and whether they go around.
    width: usize,
    is_periodic: bool,
}

/// Neighbouring indices in the memory of a coordinate.
#[derive(Clone)]
struct Run {
    /// The place of the first one there.
    place: usize,
    of: Indices,
}

#[derive(Clone)]
enum Indices {
    /// Of the axis.
    Inside(Range<usize>),
    /// So many before the first index.
    Before(usize),
    /// So many after the last one.
    After(usize),
}

impl DealtAxis {
    /// In blocks, in turn.
    fn turns(extent: usize, coordinates: usize, block: usize) -> DealtAxis {
        DealtAxis { extent, coordinates, block, width: 0, is_periodic: false }
    }

    /// One block for each coordinate.
    fn blocks(extent: usize, coordinates: usize) -> DealtAxis {
        DealtAxis::turns(extent, coordinates, extent.div_ceil(coordinates).max(1))
    }

    fn with(self, ghosts: Ghosts) -> DealtAxis {
        DealtAxis { width: ghosts.width, is_periodic: ghosts.is_periodic, ..self }
    }

    /// The coordinate of an index, its place there, and how many indices follow it there without a gap,
    /// with itself.
    fn locate(self, index: usize) -> (usize, usize, usize) {
        let (number, within) = (index / self.block, index % self.block);
        let place = number / self.coordinates * self.block + within;
        let run = if self.coordinates == 1 { self.extent - index } else { self.block - within };
        (number % self.coordinates, self.width + place, run.min(self.extent - index))
    }

    /// The runs of indices of a coordinate, in order, without ghost cells.
    fn own_runs(self, coordinate: usize) -> impl Iterator<Item = Range<usize>> + Clone {
        let (whole, block) = (self.coordinates == 1, self.block);
        let step = if whole { self.extent.max(1) } else { block.saturating_mul(self.coordinates) };
        let len = if whole { self.extent } else { block };
        (coordinate.saturating_mul(block)..self.extent)
            .step_by(step)
            .map(move |first| first..self.extent.min(first.saturating_add(len)))
    }

    /// The runs of a coordinate with its ghost cells, in the order of their places.
    fn runs(self, coordinate: usize) -> impl Iterator<Item = Run> + Clone {
        let (width, extent) = (self.width, self.extent);
        let mut place = 0;
        let own = self.own_runs(coordinate).filter(move |_| width == 0).map(move |run| {
            place += run.len();
            Run { place: place - run.len(), of: Indices::Inside(run) }
        });
        let mut around = Vec::new();
        let part = self.own_runs(coordinate).next().filter(|part| width > 0 && !part.is_empty());
        if let Some(part) = part {
            let end = part.len() + 2 * width;
            let mut place = 0;
            while place < end {
                let of = match (part.start + place).checked_sub(width) {
                    None if !self.is_periodic => Indices::Before(width - part.start),
                    Some(index) if !self.is_periodic && index >= extent => Indices::After(end - place),
                    _ => {
                        // Some times around, so that the difference is not negative.
                        let index = (part.start + place + width.next_multiple_of(extent) - width) % extent;
                        Indices::Inside(index..extent.min(index + end - place))
                    }
                };
                let len = match &of {
                    Indices::Inside(indices) => indices.len(),
                    Indices::Before(len) | Indices::After(len) => *len,
                };
                around.push(Run { place, of });
                place += len;
            }
        }
        own.chain(around)
    }

    /// How many indices a coordinate holds.
    fn held(self, coordinate: usize) -> usize {
        // Not by the runs, which may be many.
        let round = self.block.saturating_mul(self.coordinates);
        let left = (self.extent % round).saturating_sub(coordinate * self.block).min(self.block);
        self.extent / round * self.block + left
    }

    /// How many places a coordinate has in memory, if they can be counted.
    fn room(self, coordinate: usize) -> Option<usize> {
        match self.width {
            0 => Some(self.held(coordinate)),
            // All have as much as the first, which holds as much as any other.
            width => self.held(0).checked_add(width.checked_mul(2)?),
        }
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
    /// How many rows and columns of a PE are in its memory, with their ghost cells, and how many elements
    /// that is, with those of the inner axes; if they can be counted.
    fn room(&self, pe: usize) -> Option<([usize; 2], usize)> {
        let columns = self.columns.coordinates;
        let (rows, columns) = (self.rows.room(pe / columns)?, self.columns.room(pe % columns)?);
        Some(([rows, columns], rows.checked_mul(columns)?.checked_mul(self.inner)?))
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
    /// The ghost cells around it, if there are any.
    pub ghosts: Option<Ghosts>,
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
    fn grid(&self, Share { dealing, n_pes, ghosts, .. }: Share) -> Grid {
        let extent = |axis: usize| self.extents.get(axis).copied().unwrap_or(1);
        let (first, second) = (extent(0), extent(1));
        let turns = |block| DealtAxis::turns(first, n_pes, block);
        let (mut rows, across) = match dealing {
            Dealing::Block => (DealtAxis::blocks(first, n_pes), 1),
            Dealing::Cyclic => (turns(1), 1),
            Dealing::BlockCyclic(block) => (turns(block.clamp(1, first.max(1))), 1),
            Dealing::Block2d => {
                let is_side = |side: &usize| n_pes.is_multiple_of(*side);
                let across = (1..=n_pes.isqrt()).rev().find(is_side).unwrap_or(1);
                (DealtAxis::blocks(first, n_pes / across), across)
            }
        };
        let mut columns = DealtAxis::blocks(second, across);
        if let Some(ghosts) = ghosts {
            rows = rows.with(ghosts);
            if self.extents.len() > 1 {
                columns = columns.with(ghosts);
            }
        }
        let inner = self.extents.iter().skip(2).product();
        Grid { rows, columns, inner }
    }

    /// Whether an array can be so, on so many PEs: ghost cells are those of one or two axes in blocks, and
    /// they can be counted.
    pub(crate) fn is_possible(&self, n_pes: usize) -> bool {
        let in_blocks = matches!(self.dealing, Dealing::Block | Dealing::Block2d);
        (self.ghosts.is_none() || in_blocks && self.extents.len() <= 2)
            && self.grid(self.share(n_pes, 0)).room(0).is_some()
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
        Share { dealing: self.dealing, n_pes, pe, ghosts: self.ghosts }
    }

    /// For how many elements along each axis a share has places: for those that it holds, or with ghost
    /// cells for those of the largest part and its ghost cells.
    ///
    /// # Panics
    ///
    /// When they cannot be counted. Those of a manifest can.
    #[must_use]
    pub fn room(&self, share: Share) -> Vec<usize> {
        let ([rows, columns], _) = self.room_of(share);
        [rows, columns]
            .into_iter()
            .chain(self.extents.iter().copied().skip(2))
            .take(self.extents.len())
            .collect()
    }

    /// For how many elements a share has places.
    ///
    /// # Panics
    ///
    /// As [`room`](Spread::room).
    #[must_use]
    pub fn places(&self, share: Share) -> usize {
        self.room_of(share).1
    }

    fn room_of(&self, share: Share) -> ([usize; 2], usize) {
        self.grid(share).room(share.pe).expect("the places can be counted")
    }

    /// The places of one share, and where their elements are in another one. They may be dealt in
    /// different ways, and to different numbers of PEs. Without ghost cells here, the overlaps are in the
    /// order of both.
    pub fn overlaps(&self, here: Share, there: Share) -> impl Iterator<Item = Overlap> + use<> {
        let (ours, theirs) = (self.grid(here), self.grid(there));
        let across = (ours.columns.coordinates, theirs.columns.coordinates);
        let rows = common(ours.rows, here.pe / across.0, theirs.rows, there.pe / across.1);
        let (([_, width], _), ([_, wide], _)) = (self.room_of(here), self.room_of(there));
        let mut columns: Vec<Overlap> = Vec::new();
        for next in common(ours.columns, here.pe % across.0, theirs.columns, there.pe % across.1) {
            match columns.last_mut() {
                Some(Overlap { here, there, len })
                    if (*here + *len, *there + *len) == (next.here, next.there) =>
                {
                    *len += next.len;
                }
                _ => columns.push(next),
            }
        }
        let inner = ours.inner;
        // Where both have whole rows, several of them lie side by side.
        let is_whole = width == wide && columns.first().is_some_and(|all| all.len == width);
        let is_some = !self.is_empty();
        rows.filter(move |_| is_some).flat_map(move |row| {
            let (each, len) = if is_whole { (1, row.len) } else { (row.len, 1) };
            let columns = columns.clone();
            (0..each).flat_map(move |down| {
                columns.clone().into_iter().map(move |column| Overlap {
                    here: ((row.here + down) * width + column.here) * inner,
                    there: ((row.there + down) * wide + column.there) * inner,
                    len: len * column.len * inner,
                })
            })
        })
    }
}

/// The places of one coordinate whose elements another coordinate has.
fn common(
    ours: DealtAxis,
    here: usize,
    theirs: DealtAxis,
    there: usize,
) -> impl Iterator<Item = Overlap> + Clone {
    ours.runs(here)
        .flat_map(move |run| Pieces { run, theirs })
        .filter_map(move |(coordinate, overlap)| (coordinate == there).then_some(overlap))
}

/// A run of one dealing, cut into the runs of another one.
#[derive(Clone)]
struct Pieces {
    run: Run,
    theirs: DealtAxis,
}

impl Iterator for Pieces {
    /// The coordinate of the other dealing, and the places in both.
    type Item = (usize, Overlap);

    fn next(&mut self) -> Option<(usize, Overlap)> {
        let Pieces { run: Run { place: here, of }, theirs } = self;
        let done = Indices::Inside(0..0);
        match of {
            Indices::Inside(indices) if indices.start == indices.end => None,
            Indices::Inside(indices) => {
                let (coordinate, there, run) = theirs.locate(indices.start);
                let overlap = Overlap { here: *here, there, len: run.min(indices.len()) };
                indices.start += overlap.len;
                *here += overlap.len;
                Some((coordinate, overlap))
            }
            // The ghost cells next to the first index, and to the last one.
            &mut Indices::Before(len) => {
                *of = done;
                let (coordinate, first, _) = theirs.locate(0);
                Some((coordinate, Overlap { here: *here, there: first.checked_sub(len)?, len }))
            }
            &mut Indices::After(len) => {
                *of = done;
                let (coordinate, last, _) = theirs.locate(theirs.extent - 1);
                (len <= theirs.width).then_some((coordinate, Overlap { here: *here, there: last + 1, len }))
            }
        }
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
                let spread = Spread { dealing, extents: extents.to_vec(), ghosts: None };
                for n_there in [1, 2, 3, 4, 6, 7, 8] {
                    let theirs = parts(&spread, n_there);
                    for n_here in [1, 2, 3, 4, 5, 7] {
                        for (here, ours) in parts(&spread, n_here).into_iter().enumerate() {
                            let what = format!("{spread:?}: PE {here} of {n_here} from {n_there}");
                            assert_eq!(spread.places(spread.share(n_here, here)), ours.len(), "{what}");
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
        let spread = Spread { dealing: Dealing::Block, extents: vec![1000, 10], ghosts: None };
        let overlaps: Vec<_> = spread.overlaps(spread.share(3, 1), spread.share(4, 1)).collect();
        assert_eq!(overlaps, [Overlap { here: 0, there: 840, len: 1660 }]);
        let cyclic = Spread { dealing: Dealing::Cyclic, extents: vec![1000], ghosts: None };
        let whole = cyclic.share(1, 0);
        let in_blocks = Share { dealing: Dealing::Block, n_pes: 2, pe: 1, ghosts: None };
        let all: Vec<_> = cyclic.overlaps(in_blocks, whole).collect();
        assert_eq!(all, [Overlap { here: 0, there: 500, len: 500 }]);
        // Rows with their ghost cells lie side by side.
        let ghosts = Some(Ghosts { width: 1, is_periodic: false });
        let spread = Spread { ghosts, ..spread };
        let overlaps: Vec<_> = spread.overlaps(spread.share(2, 1), spread.share(4, 2)).collect();
        assert_eq!(overlaps, [Overlap { here: 12, there: 12, len: 3000 },]);
    }

    /// The first index of a PE along each axis, how many it has, and how many the first PE has.
    fn block_of(spread: &Spread, n_pes: usize, pe: usize) -> [[usize; 3]; 2] {
        let across = if spread.dealing == Dealing::Block2d && n_pes == 4 { 2 } else { 1 };
        let axis = |extent: usize, count: usize, number: usize| {
            let most = extent.div_ceil(count).max(1);
            let first = (number * most).min(extent);
            [first, extent.min(first + most) - first, most.min(extent)]
        };
        let columns = spread.extents.get(1).copied().unwrap_or(1);
        [axis(spread.extents[0], n_pes / across, pe / across), axis(columns, across, pe % across)]
    }

    /// The memory of a PE with ghost cells: `cell` has what is at these places of the whole, beyond its
    /// ends too; `None` is a place of no cell.
    fn memory(
        spread: &Spread,
        n_pes: usize,
        pe: usize,
        cell: impl Fn([isize; 2]) -> usize,
    ) -> Vec<Option<usize>> {
        let width = spread.ghosts.unwrap().width;
        let [rows, columns] = block_of(spread, n_pes, pe);
        let across = if spread.extents.len() == 1 { 0 } else { width };
        let is_empty = rows[1] * columns[1] == 0;
        let mut memory = Vec::new();
        for i in 0..rows[2] + 2 * width {
            for j in 0..columns[2] + 2 * across {
                let is_cell = !is_empty && i < rows[1] + 2 * width && j < columns[1] + 2 * across;
                let at =
                    [(rows[0] + i) as isize - width as isize, (columns[0] + j) as isize - across as isize];
                memory.push(is_cell.then(|| cell(at)));
            }
        }
        memory
    }

    /// On another number of PEs, ghost cells are as a refresh makes them. Those beyond the ends are the
    /// ones that the PE of the nearest element had.
    #[test]
    fn ghost_cells_are_found_as_a_refresh_makes_them() {
        let shapes: [&[usize]; 9] = [&[0], &[1], &[5], &[13], &[6, 5], &[7, 1], &[1, 9], &[0, 3], &[8, 8]];
        let counts = [1, 2, 3, 4, 7];
        for (dealing, extents) in [Dealing::Block, Dealing::Block2d]
            .into_iter()
            .flat_map(|dealing| shapes.map(|extents| (dealing, extents)))
            .filter(|(dealing, extents)| *dealing == Dealing::Block || extents.len() == 2)
        {
            for (width, is_periodic) in
                [1, 2, 9].into_iter().flat_map(|width| [(width, false), (width, true)])
            {
                let ghosts = Some(Ghosts { width, is_periodic });
                let spread = Spread { dealing, extents: extents.to_vec(), ghosts };
                let whole = [extents[0] as isize, extents.get(1).map_or(1, |extent| *extent as isize)];
                let is_inside = |at: [isize; 2]| (0..2).all(|axis| (0..whole[axis]).contains(&at[axis]));
                let element = |at: [isize; 2]| (at[0] * whole[1] + at[1]) as usize;
                for n_there in counts {
                    let owner = |at: [isize; 2]| {
                        let mut pes = 0..n_there;
                        pes.find(|pe| {
                            let block = block_of(&spread, n_there, *pe);
                            (0..2).all(|axis| {
                                let [first, held, _] = block[axis].map(|number| number as isize);
                                (first..first + held).contains(&at[axis])
                            })
                        })
                    };
                    // A cell beyond the ends, as a PE has it.
                    let beyond = |pe: usize, at: [isize; 2]| {
                        10_000 * (pe + 1) + 100 * (at[0] + 20) as usize + (at[1] + 20) as usize
                    };
                    // Nothing reads the ghost cells of these that are copies.
                    let theirs: Vec<_> = (0..n_there)
                        .map(|pe| {
                            memory(&spread, n_there, pe, |at| match is_inside(at) {
                                true if owner(at) == Some(pe) => element(at),
                                true => 1_000_000,
                                false => beyond(pe, at),
                            })
                        })
                        .collect();
                    for n_here in counts {
                        for here in 0..n_here {
                            let what = format!("{spread:?}: PE {here} of {n_here} from {n_there}");
                            let share = spread.share(n_here, here);
                            let expected = memory(&spread, n_here, here, |at| {
                                let near = [0, 1].map(|axis| match is_periodic {
                                    true => at[axis].rem_euclid(whole[axis]),
                                    false => at[axis].clamp(0, whole[axis] - 1),
                                });
                                match is_periodic || is_inside(at) {
                                    true => element(near),
                                    false => beyond(owner(near).unwrap(), at),
                                }
                            });
                            assert_eq!(spread.places(share), expected.len(), "{what}");
                            assert_eq!(
                                spread.room(share).iter().product::<usize>(),
                                expected.len(),
                                "{what}"
                            );
                            let mut found = vec![None; expected.len()];
                            for (there, memory) in theirs.iter().enumerate() {
                                for Overlap { here: to, there: from, len } in
                                    spread.overlaps(share, spread.share(n_there, there))
                                {
                                    for at in 0..len {
                                        assert_eq!(found[to + at], None, "{what}: twice");
                                        found[to + at] = memory[from + at];
                                    }
                                }
                            }
                            assert_eq!(found, expected, "{what}");
                            // The elements alone, as tools read them.
                            let plain = Share { ghosts: None, ..share };
                            let mut found = vec![None; spread.places(plain)];
                            for (there, memory) in theirs.iter().enumerate() {
                                for Overlap { here: to, there: from, len } in
                                    spread.overlaps(plain, spread.share(n_there, there))
                                {
                                    found[to..to + len].copy_from_slice(&memory[from..from + len]);
                                }
                            }
                            let [rows, columns] = block_of(&spread, n_here, here);
                            let elements: Vec<_> = (rows[0]..rows[0] + rows[1])
                                .flat_map(|i| (columns[0]..columns[0] + columns[1]).map(move |j| [i, j]))
                                .map(|at| Some(element(at.map(|index| index as isize))))
                                .collect();
                            assert_eq!(found, elements, "{what}: without ghost cells");
                        }
                    }
                }
            }
        }
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
