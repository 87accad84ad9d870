//! Who lies where in the symmetric heap.
//!
//! Every PE runs the same allocator over the same sequence of collective calls, so all arrive at the same offsets
//! without asking each other. What they have to agree on first is what was freed: dropping an array is local and
//! never waits, so each PE only marks it. At the next collective call the PEs publish their marks, and what all
//! have released is freed on all, in the same order.
//!
//! The start of the heap is the runtime's own (see [`internal`]); then come the statics, then what the
//! allocator hands out.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use offset_allocator::{Allocation, Allocator};

use super::allocation::hint_names;
use crate::error::Error;
use crate::transport::{Ctx, Transport};

/// How many arrays may be allocated at one time.
pub(crate) const MAX_LIVE: usize = 8192;
const WORDS: usize = MAX_LIVE / 64;

/// The runtime's own words at the start of each PE's heap. No object lies there, so no program reaches them.
pub(crate) mod internal {
    use super::WORDS;
    use crate::team;

    /// The layout hash of the statics, in the first phase of a job.
    pub(crate) const LAYOUT: usize = 0;
    /// At which synchronisation the PE leaves the job; 0 before it does.
    pub(crate) const LEAVING: usize = 8;
    /// What the PE calls: two slots of a `Call`, 64 bytes each.
    pub(crate) const CALL: usize = 64;
    /// The marks of released arrays: two slots.
    pub(crate) const RELEASED: usize = 192;
    /// Bytes of a slot of marks.
    pub(crate) const MARKS: usize = WORDS * 8;
    /// What teams have on each of their PEs: a slot for each.
    pub(crate) const TEAMS: usize = (RELEASED + 2 * MARKS).next_multiple_of(4096);
    /// Where it ends, and the statics start. What no team has used takes no memory.
    pub(crate) const END: usize = TEAMS + team::slot::SLOTS * team::slot::SIZE;
}

/// A collective call on the heap, as each PE makes it: all must make the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// How many calls came before.
    pub(crate) sequence: u64,
    /// Bytes of the array; [`FREE_ONLY`] allocates none.
    pub(crate) bytes: u64,
    /// Its alignment, as it was asked for.
    pub(crate) align: u64,
    /// A hash of element type and extents. Of a call that frees, the slot of the array plus 1, or 0 for no array in particular.
    pub(crate) kind: u64,
    /// What the allocation shall be good for, as bits.
    pub(crate) hints: u64,
    /// The slot of the array that this one replaces plus 1; 0 where it replaces none.
    pub(crate) replaces: u64,
    /// Bytes of memory that the PE thinks can still be had; `u64::MAX` where the call takes none from the machine.
    pub(crate) available: u64,
}

/// `Call::bytes` of a call that only frees.
pub(crate) const FREE_ONLY: u64 = u64::MAX;

impl Call {
    /// A call that allocates nothing; for `kind` see there.
    pub(crate) fn free_only(kind: u64) -> Call {
        Call { sequence: 0, bytes: FREE_ONLY, align: 0, kind, hints: 0, replaces: 0, available: u64::MAX }
    }

    fn to_words(self) -> [u64; 7] {
        [self.sequence, self.bytes, self.align, self.kind, self.hints, self.replaces, self.available]
    }

    fn from_words([sequence, bytes, align, kind, hints, replaces, available]: [u64; 7]) -> Call {
        Call { sequence, bytes, align, kind, hints, replaces, available }
    }

    /// Whether two PEs are in the same call.
    fn agrees(&self, other: &Call) -> bool {
        Call { available: 0, ..*self } == Call { available: 0, ..*other }
    }
}

/// Marks of released arrays: set by `Drop`, from any thread, without waiting.
pub(crate) struct Released([AtomicU64; WORDS]);

impl Released {
    pub(crate) const fn new() -> Released {
        Released([const { AtomicU64::new(0) }; WORDS])
    }

    /// Marks the array in `slot`.
    pub(crate) fn mark(&self, slot: usize) {
        self.0[slot / 64].fetch_or(1 << (slot % 64), Ordering::Release);
    }

    fn clear(&self, slot: usize) {
        self.0[slot / 64].fetch_and(!(1 << (slot % 64)), Ordering::Release);
    }
}

/// How many bytes of this PE's heap are free. Beside the allocator, which is locked while a collective call waits for the other PEs: who only asks
/// does not wait for them.
static FREE: AtomicUsize = AtomicUsize::new(0);

/// How many bytes of this PE's heap are free.
pub(crate) fn free_bytes() -> usize {
    FREE.load(Ordering::Relaxed)
}

/// The allocator of the part behind the statics.
pub(crate) struct Heap {
    allocator: Allocator,
    /// What is allocated, by slot.
    live: Vec<Option<Allocation>>,
    start: usize,
    size: usize,
    /// Bytes of the allocator's unit.
    granule: usize,
    /// Memory from here on was never handed out, and reads as zeros.
    fresh: usize,
    sequence: u64,
}

/// An array's place.
pub(crate) struct Allocated {
    pub(crate) slot: usize,
    pub(crate) offset: usize,
    /// The array's memory from this offset on was never used, and reads as zeros.
    pub(crate) fresh: usize,
}

impl Heap {
    /// The bytes from `start` to `size` are to be handed out. `zeroed` says whether they read as zeros.
    pub(crate) fn new(start: usize, size: usize, zeroed: bool) -> Heap {
        // The allocator counts in 32 bits: a very large heap is handed out in larger units.
        let mut granule = 64;
        while size / granule > u32::MAX as usize / 2 {
            granule *= 2;
        }
        let start = start.next_multiple_of(granule).min(size);
        let units = u32::try_from((size - start) / granule).unwrap_or(u32::MAX);
        let heap = Heap {
            allocator: Allocator::with_max_allocs(units, u32::try_from(MAX_LIVE * 2).unwrap_or(u32::MAX)),
            live: Vec::new(),
            start,
            size,
            granule,
            fresh: if zeroed { start } else { size },
            sequence: 0,
        };
        heap.note();
        heap
    }

    /// Leaves word of what is free.
    fn note(&self) {
        FREE.store(self.report().1, Ordering::Relaxed);
    }

    /// Bytes that the allocator can hand out in all, those that are free, and those of the largest free piece.
    pub(crate) fn report(&self) -> (usize, usize, usize) {
        let report = self.allocator.storage_report();
        (
            self.size - self.start,
            report.total_free_space as usize * self.granule,
            report.largest_free_region as usize * self.granule,
        )
    }

    /// Publishes `call`, waits for every PE to make one, and frees what all have released.
    ///
    /// Collective: every PE comes to the same result.
    pub(crate) fn meet(
        &mut self,
        transport: &dyn Transport,
        released: &Released,
        mut call: Call,
    ) -> Result<Call, Error> {
        call.sequence = self.sequence;
        self.sequence += 1;
        let words = self.live.len().div_ceil(64);
        let me = transport.my_pe();
        let marks: Vec<u64> = released.0[..words].iter().map(|word| word.load(Ordering::Acquire)).collect();
        // Two slots in turn, as nobody waits behind a call: who writes the third has met everybody in the second, so
        // all have read the first.
        let slot = (call.sequence % 2) as usize;
        let (call_at, marks_at) = (internal::CALL + slot * 64, internal::RELEASED + slot * internal::MARKS);
        put_words(transport, me, call_at, &call.to_words());
        put_words(transport, me, marks_at, &marks);
        transport.barrier_all();

        let mut agreed = marks;
        let mut everybody = call;
        for pe in (0..transport.n_pes()).filter(|&pe| pe != me) {
            let mut words = [0; 7];
            get_words(transport, pe, call_at, &mut words);
            let other = Call::from_words(words);
            if !call.agrees(&other) {
                return Err(disagreement(me, &call, pe, &other));
            }
            everybody.available = everybody.available.min(other.available);
            let mut marks = vec![0; agreed.len()];
            get_words(transport, pe, marks_at, &mut marks);
            for (all, one) in agreed.iter_mut().zip(marks) {
                *all &= one;
            }
        }
        for slot in 0..self.live.len() {
            if agreed[slot / 64] >> (slot % 64) & 1 == 1
                && let Some(allocation) = self.live[slot].take()
            {
                self.allocator.free(allocation);
                released.clear(slot);
            }
        }
        self.note();
        Ok(everybody)
    }

    /// Bytes that an array of alignment `align` may need beyond its own: an allocation starts at a granule.
    pub(crate) fn slack(&self, align: usize) -> usize {
        align.saturating_sub(self.granule)
    }

    /// Whether there are as many arrays as there may be, however small they are.
    pub(crate) fn is_full(&self) -> bool {
        self.live.len() == MAX_LIVE && self.live.iter().all(Option::is_some)
    }

    /// Frees the array in `slot` without asking anybody: every PE does the same at the same place in the sequence of calls.
    ///
    /// It may be marked already: the mark goes with it.
    pub(crate) fn free(&mut self, slot: usize, released: &Released) {
        if let Some(allocation) = self.live[slot].take() {
            self.allocator.free(allocation);
        }
        released.clear(slot);
        self.note();
    }

    /// A place for `bytes` at a multiple of `align`, which [`check_align`] has passed; `None` when there is none. The same on every PE that made the same calls.
    pub(crate) fn allocate(&mut self, bytes: usize, align: usize) -> Option<Allocated> {
        let slot = match self.live.iter().position(Option::is_none) {
            Some(slot) => slot,
            None if self.live.len() < MAX_LIVE => {
                self.live.push(None);
                self.live.len() - 1
            }
            None => return None,
        };
        let units = bytes.max(1).checked_add(self.slack(align))?.div_ceil(self.granule);
        let allocation = self.allocator.allocate(u32::try_from(units).ok()?)?;
        let offset = (self.start + allocation.offset as usize * self.granule).next_multiple_of(align.max(1));
        self.live[slot] = Some(allocation);
        let fresh = self.fresh.max(offset);
        self.fresh = self.fresh.max(offset + bytes);
        self.note();
        Some(Allocated { slot, offset, fresh })
    }
}

/// Fails where no object in the heap can start at a multiple of `align`: the heap itself starts at a smaller one, and an
/// offset from there says nothing about more.
pub(crate) fn check_align(
    transport: &dyn Transport,
    align: usize,
    what: impl FnOnce() -> String,
) -> Result<(), Error> {
    let (largest, heap_size) = (transport.heap_align(), transport.heap_size() - internal::END);
    let reason = if !align.is_power_of_two() {
        format!("an alignment is a power of two, and {largest} at most")
    } else if align <= largest {
        return Ok(());
    } else {
        let enough = 2 << 20;
        let remedy = if heap_size < enough && align <= enough {
            "ask for at most that, or set SHMEM_SYMMETRIC_SIZE to 2M or more"
        } else {
            "ask for at most that"
        };
        format!("a symmetric heap of {heap_size} bytes starts at a multiple of {largest}; {remedy}")
    };
    Err(Error::Alignment { what: what(), align, largest, reason })
}

/// Writes bytes to the runtime's own part of a heap.
pub(crate) fn put_bytes(transport: &dyn Transport, pe: usize, offset: usize, bytes: &[u8]) {
    debug_assert!(offset + bytes.len() <= internal::END);
    // SAFETY: the source is a slice, and the internal part is inside of every heap: `runtime::start` checks its size.
    unsafe { transport.put(Ctx::DEFAULT, pe, offset, bytes.as_ptr(), bytes.len()) }
}

/// Reads bytes from the runtime's own part of a heap.
pub(crate) fn get_bytes(transport: &dyn Transport, pe: usize, offset: usize, bytes: &mut [u8]) {
    debug_assert!(offset + bytes.len() <= internal::END);
    // SAFETY: as in `put_bytes`, with a slice as destination.
    unsafe { transport.get(Ctx::DEFAULT, pe, offset, bytes.as_mut_ptr(), bytes.len()) }
}

/// Writes words to the runtime's own part of a heap.
pub(crate) fn put_words(transport: &dyn Transport, pe: usize, offset: usize, words: &[u64]) {
    debug_assert!(offset + size_of_val(words) <= internal::END);
    // SAFETY: the source is a slice, and the internal part is inside of every heap: `runtime::start` checks its size.
    unsafe { transport.put(Ctx::DEFAULT, pe, offset, words.as_ptr().cast(), size_of_val(words)) }
}

/// Reads words from the runtime's own part of a heap.
pub(crate) fn get_words(transport: &dyn Transport, pe: usize, offset: usize, words: &mut [u64]) {
    debug_assert!(offset + size_of_val(words) <= internal::END);
    // SAFETY: as in `put_words`, with a slice as destination.
    unsafe { transport.get(Ctx::DEFAULT, pe, offset, words.as_mut_ptr().cast(), size_of_val(words)) }
}

fn disagreement(me: usize, mine: &Call, pe: usize, other: &Call) -> Error {
    let say = |call: &Call| match (call.bytes, call.kind) {
        (FREE_ONLY, 0) => "reclaims".to_owned(),
        (FREE_ONLY, kind) => format!("frees symmetric array #{}", kind - 1),
        (bytes, kind) => {
            let what = match call.replaces {
                0 => format!("allocates {bytes} bytes"),
                slot => format!("resizes symmetric array #{} to {bytes} bytes", slot - 1),
            };
            let hints = match call.hints {
                0 => String::new(),
                hints => format!(", hints {}", hint_names(hints)),
            };
            format!("{what} (alignment {}, type and extents #{:04x}{hints})", call.align, kind & 0xffff)
        }
    };
    Error::Disagreement(format!(
        "in collective memory call number {}, PE {me} {}, and PE {pe}, in its call number {}, {}; every PE must allocate and \
         free the same arrays in the same order",
        mine.sequence,
        say(mine),
        other.sequence,
        say(other)
    ))
}
