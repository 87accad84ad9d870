//! The statics of the program without their types: where each lies, and the bytes of its initial
//! value.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::runtime::agreement::hash;
use crate::runtime::heap::check_align;
use crate::runtime::parts::{Dealing, Distribution, GhostRoom, Halo, Parts, StaticParts, WholeArray};
use crate::runtime::region::MAX_RANK;
use crate::system::error::Error;
use crate::transport::Facts;

/// The description of a symmetric object in a message.
#[doc(hidden)]
#[derive(Debug)]
pub struct ObjectInfo {
    pub(crate) name: Cow<'static, str>,
    pub(crate) kind: Cow<'static, str>,
    pub(crate) module: &'static str,
    pub(crate) file: &'static str,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl ObjectInfo {
    /// The description of a static; `kind` is its type as written, or nothing where it has none.
    pub const fn new(
        name: &'static str,
        module: &'static str,
        file: &'static str,
        line: u32,
        column: u32,
        kind: &'static str,
    ) -> ObjectInfo {
        ObjectInfo { name: Cow::Borrowed(name), kind: Cow::Borrowed(kind), module, file, line, column }
    }

    /// The same description.
    pub(crate) fn same(&self) -> ObjectInfo {
        ObjectInfo { name: self.name.clone(), kind: self.kind.clone(), ..*self }
    }
}

impl fmt::Display for ObjectInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind.is_empty() {
            return write!(f, "`{}`", self.name);
        }
        write!(f, "`{}: {}` ({}:{})", self.name, self.kind, self.file, self.line)
    }
}

/// What lies in a static, for checkpoints and messages.
#[derive(Clone, Copy)]
pub(crate) struct StaticSlots {
    /// The name of the type of a slot.
    pub(crate) element: fn() -> &'static str,
    /// The size of a slot in bytes.
    pub(crate) size: usize,
    /// How many axes it has.
    pub(crate) rank: usize,
    /// The extents; `None` is the number of PEs.
    pub(crate) extents: [Option<usize>; MAX_RANK],
    /// Whether the slots are locks.
    pub(crate) are_locks: bool,
    /// Whether they are a part of a global static.
    pub(crate) are_part: bool,
}

/// How a global static is divided.
#[derive(Clone, Copy)]
pub(crate) struct DividedStatic {
    /// Where that is written down, of one without ghost cells.
    pub(crate) parts: Option<&'static StaticParts>,
    pub(crate) distribution: Distribution,
    /// Its ghost cells, if it has any.
    pub(crate) halo: Option<&'static Halo>,
    /// Whether the initial value is repeated from the first element to the last. Otherwise it is that of
    /// the whole.
    pub(crate) is_repeated: bool,
}

/// A static that is laid out.
pub(crate) struct LaidStatic {
    pub(crate) info: &'static ObjectInfo,
    pub(crate) offset: usize,
    pub(crate) slots: StaticSlots,
    /// What a global static is as a whole.
    pub(crate) whole: Option<WholeArray>,
}

/// The statics of the program in a job of so many PEs, in the order in which they are laid out, after
/// that was done.
pub(crate) fn all(n_pes: usize) -> Vec<LaidStatic> {
    in_order().into_iter().map(|entry| entry.laid(n_pes)).collect()
}

/// The static in which `offset` is, in a job of so many PEs.
pub(crate) fn laid_around(offset: usize, n_pes: usize) -> Option<LaidStatic> {
    entry_around(offset, n_pes).map(|entry| entry.laid(n_pes))
}

/// Where the static is in which `offset` is, in a job of so many PEs.
pub(crate) fn around(offset: usize, n_pes: usize) -> Option<Range<usize>> {
    entry_around(offset, n_pes)?.place(n_pes)
}

fn entry_around(offset: usize, n_pes: usize) -> Option<&'static StaticEntry> {
    let is_around = |entry: &&StaticEntry| entry.place(n_pes).is_some_and(|place| place.contains(&offset));
    inventory::iter::<StaticEntry>.into_iter().find(is_around)
}

/// A registered static.
#[doc(hidden)]
pub struct StaticEntry {
    info: &'static ObjectInfo,
    offset: &'static AtomicUsize,
    init: *const u8,
    /// Bytes of the initial value; of one slot, where there is one slot for each PE.
    bytes: usize,
    align: usize,
    contents: StaticSlots,
    divided: Option<DividedStatic>,
}

// SAFETY: the pointer is to a static that nothing writes to (see `Init`); the rest is shared
// references to `Sync` data.
unsafe impl Sync for StaticEntry {}
// SAFETY: as above; no part of it belongs to a thread.
unsafe impl Send for StaticEntry {}

inventory::collect!(StaticEntry);

impl StaticEntry {
    /// Registers an object with its initial value: `bytes` bytes at `init`, aligned to `align`, of
    /// which the object holds one copy, or one for each PE where that is its first extent.
    ///
    /// # Safety
    ///
    /// `init` is a static of `bytes` bytes that nothing writes to and that are all initialised. Of what
    /// is divided it is the whole array, or where `is_repeated` says so a number of slots.
    pub(crate) const unsafe fn new(
        info: &'static ObjectInfo,
        offset: &'static AtomicUsize,
        init: *const u8,
        bytes: usize,
        align: usize,
        contents: StaticSlots,
        divided: Option<DividedStatic>,
    ) -> StaticEntry {
        StaticEntry { info, offset, init, bytes, align, contents, divided }
    }

    /// How it is laid out over so many PEs.
    fn laid(&self, n_pes: usize) -> LaidStatic {
        let (mut slots, mut whole) = (self.contents, None);
        if let Some(parts) = self.parts(n_pes) {
            let extents = slots.extents[..slots.rank].iter().copied().flatten().collect();
            let halo = self.divided.and_then(|divided| divided.halo.copied());
            whole = Some(WholeArray { distribution: parts.distribution, extents, halo });
            if let Some(room) = self.ghosts(&parts) {
                // With the inboxes.
                slots.extents = [room.all(), Some(1), Some(1), Some(1)];
                slots.rank = 1;
            } else {
                slots.extents = parts.held(0).map(Some);
            }
            slots.are_part = true;
        }
        LaidStatic { info: self.info, offset: self.offset.load(Ordering::Relaxed), slots, whole }
    }

    /// Where each PE has it.
    fn place(&self, n_pes: usize) -> Option<Range<usize>> {
        let start = self.offset.load(Ordering::Relaxed);
        Some(start..start + self.bytes_on_each(n_pes)?)
    }

    /// How it is divided over so many PEs, if it is a global static.
    fn parts(&self, n_pes: usize) -> Option<Parts> {
        let divided = self.divided?;
        let mut extents = [1; MAX_RANK];
        for (extent, known) in extents.iter_mut().zip(self.contents.extents) {
            *extent = known.expect("the extents of a global static are constant");
        }
        // The expansion of the static has checked it.
        let parts = Parts::new(divided.distribution, &extents[..self.contents.rank], n_pes);
        Some(parts.unwrap_or_else(|reason| panic!("{}: {reason}", self.info)))
    }

    /// The room for its parts and their ghost cells, if it has any.
    fn ghosts(&self, parts: &Parts) -> Option<GhostRoom> {
        let halo = self.divided?.halo?;
        Some(GhostRoom::of(parts, self.contents.rank, halo.width()))
    }

    /// How many bytes each PE has of it.
    fn bytes_on_each(&self, n_pes: usize) -> Option<usize> {
        match self.parts(n_pes) {
            Some(parts) => {
                let slots = match self.ghosts(&parts) {
                    Some(room) => room.all()?,
                    None => parts.held(0).iter().product(),
                };
                self.contents.size.checked_mul(slots)
            }
            None => self.bytes.checked_mul(self.slots(n_pes)),
        }
    }

    /// The number of copies of the initial value in the object.
    fn slots(&self, n_pes: usize) -> usize {
        if self.contents.extents[0].is_none() { n_pes } else { 1 }
    }
}

/// Where the static with this description lies in the heaps, and the bytes of one slot; `None` for
/// what is no static.
pub(crate) fn place_of(info: &ObjectInfo) -> Option<(usize, usize)> {
    let is_it = |other: &ObjectInfo| {
        (other.line, other.column, other.file, &other.name) == (info.line, info.column, info.file, &info.name)
    };
    let entry = inventory::iter::<StaticEntry>.into_iter().find(|entry| is_it(entry.info))?;
    // Places in a part are no indices of the whole.
    if entry.divided.is_some() {
        return None;
    }
    Some((entry.offset.load(Ordering::Relaxed), entry.bytes))
}

/// A static and where it will lie.
pub(crate) struct Laid {
    entry: &'static StaticEntry,
    at: usize,
    slots: usize,
}

/// The statics of the program, in the one order that all PEs use.
fn in_order() -> Vec<&'static StaticEntry> {
    let mut entries: Vec<&'static StaticEntry> = inventory::iter::<StaticEntry>.into_iter().collect();
    // The linker decides the order of registration; the source is the same for every PE.
    entries.sort_by_key(|e| (e.info.module, &e.info.name, e.info.file, e.info.line, e.info.column));
    entries
}

/// The statics of the program from `start` on, in the one order that all PEs use; and the first
/// byte after them.
///
/// `None` when they do not fit into the address space.
pub(crate) fn lay_out(start: usize, n_pes: usize) -> Option<(Vec<Laid>, usize)> {
    let entries = in_order();
    let mut end = start;
    let mut laid = Vec::with_capacity(entries.len());
    for entry in entries {
        let slots = entry.slots(n_pes);
        // At least a cache line: neighbours that different PEs write do not slow each other down,
        // and copies avoid the misalignments that some processors are slow at.
        let at = end.checked_next_multiple_of(entry.align.max(64))?;
        end = at.checked_add(entry.bytes_on_each(n_pes)?)?;
        laid.push(Laid { entry, at, slots });
    }
    Some((laid, end))
}

/// Fails where a static's type has an alignment that no object in this heap can have.
pub(crate) fn check_alignments(laid: &[Laid], facts: &Facts) -> Result<(), Error> {
    laid.iter().try_for_each(|object| {
        let what = || format!("symmetric {}", object.entry.info);
        check_align(facts, facts.heap_align, object.entry.align, what)
    })
}

/// Writes the offsets into the statics, and their initial values into the heap of this PE, which is
/// `me` of `n_pes`. Where the heap `is_zero`, zeros in the initial values are not written.
///
/// # Safety
///
/// `heap` is the start of this PE's symmetric heap, which reaches at least to the end that
/// [`lay_out`] returned, and which no other code accesses yet.
pub(crate) unsafe fn initialise(laid: &[Laid], heap: *mut u8, is_zero: bool, (me, n_pes): (usize, usize)) {
    for object in laid {
        object.entry.offset.store(object.at, Ordering::Relaxed);
        if let (Some(divided), Some(parts)) = (object.entry.divided, object.entry.parts(n_pes)) {
            if let Some(words) = divided.parts {
                words.set(&parts, object.entry.contents.size);
            }
            // SAFETY: `lay_out` gave this object room for the largest part, and the caller promises
            // that the heap reaches there; the source is the initial value.
            unsafe { initialise_part(object.entry, divided, &parts, heap.add(object.at), is_zero, me) };
            continue;
        }
        for slot in 0..object.slots {
            // SAFETY: `lay_out` gave this object `bytes * slots` bytes from `at` on, and the caller
            // promises that the heap reaches there; the source is the initial value, of `bytes`
            // bytes.
            unsafe {
                let to = heap.add(object.at + slot * object.entry.bytes);
                if is_zero {
                    copy_non_zero(to, object.entry.init, object.entry.bytes);
                } else {
                    std::ptr::copy_nonoverlapping(object.entry.init, to, object.entry.bytes);
                }
            }
        }
    }
}

/// Writes the initial values of the part of PE `me` of a global static.
///
/// # Safety
///
/// `to` has room for the part, and nobody else accesses it.
unsafe fn initialise_part(
    entry: &StaticEntry,
    divided: DividedStatic,
    parts: &Parts,
    to: *mut u8,
    is_zero: bool,
    me: usize,
) {
    let size = entry.contents.size;
    let (held, coordinates) = (parts.held(me), parts.coordinates(me));
    let write = |at: usize, from: usize, len: usize| {
        // SAFETY: places in the part, and in the initial value.
        unsafe {
            let (to, from) = (to.add(at * size), entry.init.add(from * size));
            if is_zero {
                copy_non_zero(to, from, len * size);
            } else {
                std::ptr::copy_nonoverlapping(from, to, len * size);
            }
        }
    };
    let all: usize = held.iter().product();
    if size == 0 {
        return;
    }
    let ghosts = entry.ghosts(parts);
    if let (Some(room), false) = (ghosts, is_zero) {
        // SAFETY: the memory of all cells, which `lay_out` has counted.
        unsafe { std::ptr::write_bytes(to, 0, room.all().unwrap_or(0) * size) };
    }
    if all == 0 {
        return;
    }
    // Neighbours on the second axis are neighbours in its block. Those of the first are, in blocks.
    let [rows, columns, ..] = &parts.axes;
    let inner: usize = held[2..].iter().product();
    let piece = held[1] * inner;
    let (start, pitch) = ghosts.map_or((0, piece), |room| (room.first(), room.pitch()));
    if divided.is_repeated && entry.bytes == size {
        // SAFETY: the initial value is one slot, whose bytes are all initialised.
        let value = unsafe { std::slice::from_raw_parts(entry.init, size) };
        if !(is_zero && value.iter().all(|&byte| byte == 0)) {
            for row in 0..held[0] {
                (0..piece).for_each(|column| write(start + row * pitch + column, 0, 1));
            }
        }
        return;
    }
    let first = columns.index(coordinates[1], 0);
    let from = |row: usize| (rows.index(coordinates[0], row) * columns.extent + first) * inner;
    if divided.is_repeated {
        let slots = entry.bytes / size;
        for row in 0..held[0] {
            (0..piece).for_each(|at| write(start + row * pitch + at, (from(row) + at) % slots, 1));
        }
    } else if rows.dealing == Dealing::Blocks && columns.dealing == Dealing::Whole && pitch == piece {
        write(start, from(0), all);
    } else {
        (0..held[0]).for_each(|row| write(start + row * pitch, from(row), piece));
    }
}

/// Copies `len` bytes onto memory that reads as zeros, and leaves out pages of zeros, so that those
/// pages stay uncommitted.
///
/// # Safety
///
/// As for [`std::ptr::copy_nonoverlapping`].
unsafe fn copy_non_zero(dst: *mut u8, src: *const u8, len: usize) {
    const PAGE: usize = 4096;
    // Compared by `memcmp`, which a build without optimisation calls too.
    static ZEROS: [u8; PAGE] = [0; PAGE];
    let mut done = 0;
    while done < len {
        let part = PAGE.min(len - done);
        // SAFETY: `done + part <= len`, so both sides are inside what the caller promised; the
        // bytes of an initial value are all initialised, because slots have no padding.
        unsafe {
            let from = std::slice::from_raw_parts(src.add(done), part);
            if from != &ZEROS[..part] {
                std::ptr::copy_nonoverlapping(src.add(done), dst.add(done), part);
            }
        }
        done += part;
    }
}

/// A number that two PEs share only when their statics have the same names, types and places.
pub(crate) fn layout_hash(laid: &[Laid], end: usize) -> u64 {
    let of = |object: &Laid| {
        let info = object.entry.info;
        let divided = object.entry.divided.map(|divided| (divided.distribution, divided.halo));
        (info.module, &info.name, &info.kind, object.at, object.entry.bytes, object.slots, divided)
    };
    hash((end, laid.iter().map(of).collect::<Vec<_>>()))
}
