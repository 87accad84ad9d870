//! The works of each PE with its neighbours: in a ring, and in a grid.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::yield_now;

use benches::loops::address;
use benches::work::{Operation, Order, Way, Work};
use shmem::prelude::*;

use crate::places::Places;

/// The largest job for which there is a limit.
const MOST: usize = 16;
/// The words of a cache line.
const LINE: usize = 8;

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
        (Way::Language, Operation::Halo) => Some(Box::new(move || halo.refresh())),
        (Way::Limit, _) if n_pes > MOST => None,
        (Way::Limit, Operation::SyncWith | Operation::BarrierWith) => {
            let mut flags = Flags::new(me, n_pes, ring);
            Some(Box::new(move || flags.meet()))
        }
        (Way::Limit, Operation::Halo) => by_hand(places),
        _ => None,
    }
}

/// The same refresh with plain memory operations: each PE stores its borders to the frames of its
/// neighbours, and meets them once. The limit has no second place for a border, so a PE that is late may
/// find newer ones.
fn by_hand<'a>(places: &'a Places<'_>) -> Option<Box<dyn FnMut() + 'a>> {
    let (halo, frame) = (&places.halo, &places.frame);
    let (me, n_pes) = (places.world.my_pe(), places.world.n_pes());
    let [rows, columns] = halo.part_extents();
    let [height, width] = halo.extents();
    // The grid of PEs. All parts are to be equal.
    let [down, across] = [height / rows, width / columns];
    if down * rows != height || across * columns != width || down * across != n_pes {
        return None;
    }
    let [row, column] = [me / across, me % across].map(|place| place as isize);
    let pitch = columns + 2;
    let mine = address(remote!(&frame[me, ..]));
    let mut copies: Vec<Copy> = Vec::new();
    let mut neighbours = Vec::new();
    for (i, j) in (-1..=1).flat_map(|i| (-1..=1).map(move |j| (i, j))).filter(|side| *side != (0, 0)) {
        let inside = |place: isize, many: usize| (0..many as isize).contains(&place);
        if !inside(row + i, down) || !inside(column + j, across) {
            continue;
        }
        let pe = ((row + i) * across as isize + column + j) as usize;
        neighbours.push(pe);
        // My border on this side begins at one place, and the frame on the opposite side of the neighbour
        // at the other. Row and column 0 are of the frame.
        let ends = |side: isize, len: usize| match side {
            -1 => (1, len + 1),
            1 => (len, 0),
            _ => (1, 1),
        };
        let ((i_from, i_to), (j_from, j_to)) = (ends(i, rows), ends(j, columns));
        let (len, step) = match (i, j) {
            (0, _) => (rows, pitch),
            (_, 0) => (columns, 1),
            _ => (1, 1),
        };
        let theirs = address(remote!(&frame[pe, ..]));
        if theirs.is_null() {
            return None;
        }
        copies.push(Copy {
            from: mine.wrapping_add(i_from * pitch + j_from),
            to: theirs.wrapping_add(i_to * pitch + j_to),
            len,
            step,
        });
    }
    let mut flags = Flags::new(me, n_pes, neighbours);
    Some(Box::new(move || {
        for copy in &copies {
            // SAFETY: both sides are inside of a frame of `rows + 2` rows and `columns + 2` columns: a
            // border begins in row and column 1 or in the last one that is not of the frame, and goes
            // along one of them. Each place of a frame is written by one PE.
            unsafe { copy.perform() };
        }
        flags.meet();
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
