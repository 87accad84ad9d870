//! The works of each PE with its neighbours: in a ring, and in a grid.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::yield_now;

use benches::loops::address;
use benches::work::{Operation, Order, Way, Work};
use shmem::prelude::*;

use crate::places::Places;
use crate::together::{LINE, look};

/// The largest job for which there is a limit.
const MOST: usize = 16;

/// How often each PE has come to this one, each word on a line of its own.
#[symmetric]
static CAME: [Atomic<u64>; MOST * LINE] = [Atomic::new(0); MOST * LINE];

/// What one repetition does; `None` if there is no such work in this way.
pub(crate) fn work<'a>(places: &'a Places<'_>, order: Order) -> Option<Box<dyn FnMut() + 'a>> {
    let Order { work: Work { operation, bytes, .. }, way, .. } = order;
    let (world, halo) = (places.world, &places.halo);
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let ring = vec![(me + n_pes - 1) % n_pes, (me + 1) % n_pes];
    // Of a halo, the bytes are those of a row of the whole array.
    let expected = if operation == Operation::Halo { 8 * halo.extents()[1] } else { 0 };
    if bytes != expected || n_pes < 2 {
        return None;
    }
    match (way, operation) {
        (Way::Language, Operation::SyncWith) => Some(Box::new(move || world.sync_with(&ring))),
        (Way::Language, Operation::BarrierWith) => Some(Box::new(move || world.barrier_with(&ring))),
        (Way::Language, Operation::Halo) => refresh(places),
        (Way::Limit, _) if n_pes > MOST => None,
        (Way::Limit, Operation::SyncWith | Operation::BarrierWith) => {
            let mut flags = Flags::new(me, n_pes, ring);
            Some(Box::new(move || flags.meet()))
        }
        (Way::Limit, Operation::Halo) => by_hand(places),
        _ => None,
    }
}

/// The part of this PE of an array in blocks, with a frame of one cell around it.
struct Framed {
    rows: usize,
    columns: usize,
    /// What it shares with each neighbour.
    sides: Vec<Side>,
}

/// One of the eight sides of a part. Places are numbers of cells in the frame, row by row.
struct Side {
    neighbour: usize,
    /// The first cell of this PE's border, and the first one of the frame on the opposite side of the
    /// neighbour, which has as many rows and columns.
    border: usize,
    opposite: usize,
    /// The first cell of this PE's frame.
    ghosts: usize,
    /// How many cells there are on the side, and how far apart they are.
    len: usize,
    step: usize,
}

impl Framed {
    /// `None` if not all parts are equal.
    fn new(places: &Places<'_>) -> Option<Framed> {
        let (halo, me, n_pes) = (&places.halo, places.world.my_pe(), places.world.n_pes());
        let [rows, columns] = halo.part_extents(me);
        let [height, width] = halo.extents();
        // The grid of PEs.
        let [down, across] = [height / rows, width / columns];
        if down * rows != height || across * columns != width || down * across != n_pes {
            return None;
        }
        let [row, column] = [me / across, me % across].map(|place| place as isize);
        let pitch = columns + 2;
        let all = (-1..=1).flat_map(|i| (-1..=1).map(move |j| (i, j))).filter(|side| *side != (0, 0));
        let inside = |place: isize, many: usize| (0..many as isize).contains(&place);
        let there = all.filter(|(i, j)| inside(row + i, down) && inside(column + j, across));
        let sides = there.map(|(i, j)| {
            // Row and column 0 are of the frame.
            let ends = |side: isize, len: usize| match side {
                -1 => [1, len + 1, 0],
                1 => [len, 0, len + 1],
                _ => [1, 1, 1],
            };
            let (of_rows, of_columns) = (ends(i, rows), ends(j, columns));
            let [border, opposite, ghosts] = [0, 1, 2].map(|k: usize| of_rows[k] * pitch + of_columns[k]);
            let (len, step) = match (i, j) {
                (0, _) => (rows, pitch),
                (_, 0) => (columns, 1),
                _ => (1, 1),
            };
            let neighbour = ((row + i) * across as isize + column + j) as usize;
            Side { neighbour, border, opposite, ghosts, len, step }
        });
        Some(Framed { rows, columns, sides: sides.collect() })
    }

    /// Reads a word of each cache line of the ghost cells that neighbours have written: what nobody reads
    /// has not come.
    ///
    /// # Safety
    ///
    /// `frame` is that of this PE: `rows + 2` rows, of `columns + 2` words each.
    unsafe fn look(&self, frame: *const f64) {
        for Side { ghosts, len, step, .. } in &self.sides {
            // SAFETY: cells of the frame.
            unsafe { look(frame.add(*ghosts), *len, *step) };
        }
    }
}

/// The refresh of the language, and a look at what has come.
fn refresh<'a>(places: &'a Places<'_>) -> Option<Box<dyn FnMut() + 'a>> {
    let (halo, me) = (&places.halo, places.world.my_pe());
    let Some(framed) = Framed::new(places) else {
        return Some(Box::new(|| halo.refresh()));
    };
    let first = halo.mine().next()?;
    let (pitch, part) = (framed.columns + 2, address(remote!(&halo[@first[0], first[1]])));
    assert!(framed.rows > 1 && halo.owner([first[0] + 1, first[1]]) == me, "a part has two rows");
    let below = address(remote!(&halo[@first[0] + 1, first[1]]));
    if part.is_null() {
        return Some(Box::new(|| halo.refresh()));
    }
    assert_eq!(below, part.wrapping_add(pitch), "the rows of a part, each with its ghost cells");
    let frame = part.wrapping_sub(pitch + 1).cast_const();
    Some(Box::new(move || {
        halo.refresh();
        // SAFETY: the memory of this PE's part and its ghost cells, whose first row is above the part.
        unsafe { framed.look(frame) };
    }))
}

/// The same with plain memory operations: each PE stores its borders to the frames of its neighbours, and
/// meets them once. The limit has no second place for a border, so a PE that is late may find newer ones.
fn by_hand<'a>(places: &'a Places<'_>) -> Option<Box<dyn FnMut() + 'a>> {
    let (frame, me, n_pes) = (&places.frame, places.world.my_pe(), places.world.n_pes());
    let framed = Framed::new(places)?;
    let mine = address(remote!(&frame[me, ..]));
    let mut copies: Vec<Copy> = Vec::new();
    for &Side { neighbour, border, opposite, len, step, .. } in &framed.sides {
        let theirs = address(remote!(&frame[neighbour, ..]));
        if theirs.is_null() {
            return None;
        }
        copies.push(Copy { from: mine.wrapping_add(border), to: theirs.wrapping_add(opposite), len, step });
    }
    let mut flags = Flags::new(me, n_pes, framed.sides.iter().map(|side| side.neighbour).collect());
    Some(Box::new(move || {
        for copy in &copies {
            // SAFETY: both sides are inside of a frame of `rows + 2` rows and `columns + 2` columns: a
            // border begins in row and column 1 or in the last one that is not of the frame, and goes
            // along one of them. Each place of a frame is written by one PE.
            unsafe { copy.perform() };
        }
        flags.meet();
        // SAFETY: the frame of this PE has so many rows and columns.
        unsafe { framed.look(mine) };
    }))
}

/// A border that is copied.
struct Copy {
    from: *const f64,
    to: *mut f64,
    len: usize,
    /// The distance of two elements, on both sides.
    step: usize,
}

impl Copy {
    /// # Safety
    ///
    /// Both sides have so many elements, and nobody else accesses those of `to` but by copies like this
    /// one.
    unsafe fn perform(&self) {
        let Copy { from, to, len, step } = *self;
        if step == 1 {
            // SAFETY: as this function requires.
            unsafe { black_box(to).copy_from_nonoverlapping(black_box(from), len) };
            return;
        }
        for i in 0..len {
            // SAFETY: as above.
            unsafe { *to.add(i * step) = *from.add(i * step) };
        }
    }
}

/// A flag from each neighbour, and one to each. Each counts the meetings of its two PEs.
struct Flags {
    pairs: Vec<Pair>,
    /// A waiter may have the core that another PE needs.
    wait: fn(),
}

struct Pair {
    theirs: &'static AtomicU64,
    mine: &'static AtomicU64,
    meetings: u64,
}

impl Flags {
    fn new(me: usize, n_pes: usize, mut neighbours: Vec<usize>) -> Flags {
        neighbours.sort_unstable();
        neighbours.dedup();
        let flag = |on: usize, of: usize| {
            let word = address(remote!(&CAME[on, of * LINE]));
            // SAFETY: a static is mapped until the process ends, aligned to its element, and all PEs
            // update it atomically. `together` asks for no limit where not all PEs are mapped.
            unsafe { AtomicU64::from_ptr(word) }
        };
        let pairs = neighbours.into_iter().map(|pe| {
            let theirs = flag(pe, me);
            // Nobody else raises this flag.
            Pair { theirs, mine: flag(me, pe), meetings: theirs.load(Ordering::Relaxed) }
        });
        Flags { pairs: pairs.collect(), wait: if n_pes > 2 { yield_now } else { spin_loop } }
    }

    fn meet(&mut self) {
        for Pair { theirs, meetings, .. } in &mut self.pairs {
            *meetings += 1;
            theirs.store(*meetings, Ordering::Release);
        }
        for Pair { mine, meetings, .. } in &self.pairs {
            while mine.load(Ordering::Acquire) < *meetings {
                (self.wait)();
            }
        }
    }
}
