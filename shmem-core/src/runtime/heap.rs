//! The places of objects in the symmetric heap.
//!
//! Every PE runs the same allocator over the same sequence of collective calls, so all arrive at
//! the same offsets without communication. First they have to agree on what was freed. Dropping an
//! array is local and never waits, so each PE only lists the array. At the next collective call the
//! PEs compare what they have released. Mostly all have released the same arrays, which one hash
//! shows, however many they are. Otherwise they find in *windows*, sets of bits, which arrays all of
//! them have released. A window in which no PE has released anything since the last call needs no
//! look. An array that all PEs have released is freed on all.
//!
//! The runtime uses the start of the heap (see [`layout`]); then come the statics, then the memory
//! that the allocator hands out.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::agreement::{ComparedCalls, SharedWords, Statement, hash};
use super::objects::NotedObject;
use super::parts::WholeArray;
use super::space::Space;
use super::team::Team;
use crate::system::error::Error;
use crate::transport::{Endpoint, Facts, layout};

/// The alignment of arrays, whose sizes are rounded up to it: no two arrays share a cache line.
const GRANULE: usize = 64;

/// What all PEs know after they have made the same call on the heap.
pub(crate) struct HeapAgreed {
    /// The smallest number of bytes that a PE believes it can still get from the machine.
    pub(crate) available: u64,
    /// The alignment of all heaps.
    pub(crate) align: usize,
}

/// The slots of the arrays that this PE has released since the last call on the heap. `Drop` lists them,
/// from any thread, without waiting for other PEs.
pub(crate) struct Released(Mutex<Vec<u64>>);

impl Released {
    pub(crate) const fn new() -> Released {
        Released(Mutex::new(Vec::new()))
    }

    /// Lists the array in `slot`.
    pub(crate) fn push(&self, slot: usize) {
        self.list().push(slot as u64);
    }

    /// Forgets all entries, for another job.
    pub(crate) fn clear(&self) {
        self.list().clear();
    }

    fn list(&self) -> MutexGuard<'_, Vec<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of free bytes in this PE's heap. It is a separate static, because a collective call
/// keeps the allocator locked while it waits for other PEs, and a query must not wait for them.
static FREE: AtomicUsize = AtomicUsize::new(0);

/// The number of free bytes in this PE's heap.
pub(crate) fn free_bytes() -> usize {
    FREE.load(Ordering::Relaxed)
}

/// An array that some PE has not released.
#[derive(Clone, Copy)]
struct Live {
    offset: usize,
    /// The size in whole granules; 0 for an array without bytes, which takes no memory.
    len: usize,
    /// How many arrays were allocated before it.
    born: u64,
}

impl Live {
    fn place(&self) -> Range<usize> {
        self.offset..self.offset + self.len
    }
}

/// What a checkpoint stores of an array.
#[derive(Clone, Debug)]
pub(crate) enum SavedAs {
    /// The copy of each PE.
    Copies,
    /// The parts of a global array.
    Part(WholeArray),
    /// Nothing, as the program never reads what is in it before it is written.
    Nothing,
}

/// What lies in the memory of an array, in the words of who asked for it: for checkpoints and messages.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    /// What the array is, in two words: `symmetric array`.
    pub(crate) noun: &'static str,
    /// The name of the element's type, without modules.
    pub(crate) element: String,
    /// The size of an element in bytes.
    pub(crate) size: usize,
    pub(crate) extents: Vec<usize>,
    pub(crate) saved: SavedAs,
    /// Where it was allocated or last resized.
    pub(crate) place: &'static Location<'static>,
}

impl Contents {
    /// How messages name the elements of the array in `slot`, at `offset`.
    pub(crate) fn noted(&self, slot: usize, offset: usize) -> NotedObject {
        NotedObject {
            offset: offset as u64,
            elem: self.size as u64,
            extents: self.extents.iter().map(|extent| *extent as u64).collect(),
            // Places in a part are no indices of the whole.
            name: match self.noun {
                "global array" => format!("a part of global array #{slot}"),
                noun => format!("{noun} #{slot}"),
            },
        }
    }
}

/// How many arrays the PEs ask each other about at a time.
const WINDOW: usize = SharedWords::COMMON * u64::BITS as usize;

/// The bits of a window.
type ReleaseWindow = [u64; SharedWords::COMMON];

fn is_set(window: &ReleaseWindow, bit: usize) -> bool {
    window[bit / 64] >> (bit % 64) & 1 == 1
}

/// The slots whose bits are set in the window of this number, in ascending order.
fn slots_of(number: usize, window: ReleaseWindow) -> impl Iterator<Item = usize> {
    let words = window.into_iter().enumerate().filter(|&(_, word)| word != 0);
    let bits = words
        .flat_map(|(i, word)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| i * 64 + bit));
    bits.map(move |bit| number * WINDOW + bit)
}

/// The arrays that a PE has released.
#[derive(Debug, PartialEq, Eq)]
struct PendingReleases {
    /// The slot of each, in any order.
    slots: Vec<usize>,
    /// The sum of the hashes of their births. It is the same on PEs that have released the same arrays.
    hash: u64,
    /// A bit for each window, modulo [`WINDOW`], in which no array was added since the last call.
    untouched: ReleaseWindow,
}

impl Default for PendingReleases {
    fn default() -> PendingReleases {
        PendingReleases { slots: Vec::new(), hash: 0, untouched: [u64::MAX; SharedWords::COMMON] }
    }
}

impl PendingReleases {
    /// Adds the array in `slot`, which is the `born`-th of the job.
    fn add(&mut self, slot: usize, born: u64) {
        self.slots.push(slot);
        self.hash = self.hash.wrapping_add(hash(born));
        let bit = slot / WINDOW % WINDOW;
        self.untouched[bit / 64] &= !(1 << (bit % 64));
    }

    /// The bits of those in the window of this number.
    fn window(&self, number: usize) -> ReleaseWindow {
        let mut window = [0; SharedWords::COMMON];
        for slot in self.slots.iter().filter(|&&slot| slot / WINDOW == number) {
            window[slot % WINDOW / 64] |= 1 << (slot % 64);
        }
        window
    }
}

/// The allocator of the part after the statics.
pub(crate) struct Heap {
    /// The bytes that can be handed out.
    range: Range<usize>,
    space: Space,
    /// The allocated arrays, indexed by slot.
    live: Vec<Option<Live>>,
    /// The empty slots below `live.len()`.
    vacant: BinaryHeap<Reverse<usize>>,
    /// What lies in the allocated arrays, by the order of their allocation: with the slot of each.
    contents: BTreeMap<u64, (usize, Contents)>,
    /// How many arrays were allocated in this job.
    born: u64,
    /// The offset from which on memory was never handed out, and reads as zeros.
    fresh: usize,
    /// The arrays that this PE has released, and not all PEs have.
    pending: PendingReleases,
    calls: ComparedCalls,
}

/// An array's place.
pub(crate) struct Allocated {
    pub(crate) slot: usize,
    pub(crate) offset: usize,
    /// The offset from which on the array's memory was never used, and reads as zeros.
    pub(crate) fresh: usize,
}

/// The free memory of a heap, in bytes.
pub(crate) struct Report {
    /// The size of the part that can be handed out.
    pub(crate) total: usize,
    pub(crate) free: usize,
    /// The largest free piece.
    pub(crate) largest: usize,
    /// The size of the free piece at the end of the heap.
    pub(crate) tail: usize,
}

impl Heap {
    /// An allocator of the bytes from `start` to `size`. `zeroed` means that they read as zeros.
    pub(crate) fn new(start: usize, size: usize, zeroed: bool) -> Heap {
        let end = size - size % GRANULE;
        let start = start.next_multiple_of(GRANULE).min(end);
        let heap = Heap {
            range: start..end,
            space: Space::new(start..end),
            live: Vec::new(),
            vacant: BinaryHeap::new(),
            contents: BTreeMap::new(),
            born: 0,
            fresh: if zeroed { start } else { size },
            pending: PendingReleases::default(),
            calls: ComparedCalls::on_heap(),
        };
        heap.note();
        heap
    }

    /// Forgets all arrays, for another job. Calls and meetings are counted on, and memory that was
    /// handed out once is not taken for zeros.
    pub(crate) fn clear(&mut self) {
        self.space = Space::new(self.range.clone());
        self.live.clear();
        self.vacant.clear();
        self.contents.clear();
        self.pending = PendingReleases::default();
        self.note();
    }

    /// Publishes the number of free bytes in [`FREE`].
    fn note(&self) {
        FREE.store(self.space.free_bytes(), Ordering::Relaxed);
    }

    /// Reports the free memory.
    pub(crate) fn report(&self) -> Report {
        Report {
            total: self.range.len(),
            free: self.space.free_bytes(),
            largest: self.space.largest(),
            tail: self.space.tail(),
        }
    }

    /// Compares `call` with those of all PEs, waits for them, and frees the arrays that all have
    /// released. `available` is the number of bytes that this PE believes it can still get from the
    /// machine; `u64::MAX` where the call takes none from it.
    ///
    /// Collective: every PE gets the same result.
    pub(crate) fn agree(
        &mut self,
        endpoint: &Endpoint,
        team: &Team,
        released: &Released,
        call: &Statement,
        available: u64,
    ) -> Result<HeapAgreed, Error> {
        let Endpoint { transport, facts: Facts { heap_align, .. }, .. } = *endpoint;
        self.calls.begin();
        for slot in released.list().drain(..) {
            let slot = slot as usize;
            let born = self.array(slot).born;
            self.pending.add(slot, born);
        }
        let least = [available, heap_align as u64];
        let agree = |calls: &mut ComparedCalls, alike, common| {
            let agreed = calls.agree(transport, team, call, SharedWords { alike, least, common });
            agreed.map_err(|reason| Error::Disagreement { reason })
        };
        let first = agree(&mut self.calls, self.pending.hash, self.pending.untouched)?;
        if first.are_alike {
            let mut slots = std::mem::take(&mut self.pending.slots);
            slots.sort_unstable();
            slots.drain(..).for_each(|slot| self.free(slot));
            self.pending.slots = slots;
        } else {
            for window in 0..self.live.len().div_ceil(WINDOW) {
                // All PEs have the same answer.
                if is_set(&first.common, window % WINDOW) {
                    continue;
                }
                let all = agree(&mut self.calls, 0, self.pending.window(window))?.common;
                slots_of(window, all).for_each(|slot| self.free(slot));
                self.pending.slots.retain(|&slot| slot / WINDOW != window || !is_set(&all, slot % WINDOW));
            }
        }
        self.pending.untouched = [u64::MAX; SharedWords::COMMON];
        self.note();
        let [available, align] = first.least;
        Ok(HeapAgreed { available, align: align as usize })
    }

    /// Frees the array in `slot`, which all PEs have released. The caller takes it off the pending ones.
    fn free(&mut self, slot: usize) {
        let Live { offset, len, born } = self.live[slot].take().expect("what is released is live");
        self.pending.hash = self.pending.hash.wrapping_sub(hash(born));
        if len > 0 {
            self.space.free(offset, len);
        }
        self.contents.remove(&born);
        self.vacant.push(Reverse(slot));
    }

    /// Allocates `bytes` at a multiple of `align`, which [`check_align`] has accepted; `None` when
    /// there is no room. The result is the same on every PE that made the same calls.
    pub(crate) fn allocate(&mut self, bytes: usize, align: usize) -> Option<Allocated> {
        let len = bytes.checked_next_multiple_of(GRANULE)?;
        let offset = self.place(len, align)?;
        let slot = self.vacant.pop().map_or(self.live.len(), |Reverse(slot)| slot);
        let live = Some(Live { offset, len, born: self.born });
        self.born += 1;
        match self.live.get_mut(slot) {
            Some(vacant) => *vacant = live,
            None => self.live.push(live),
        }
        Some(self.allocated(slot, offset, bytes))
    }

    /// Whether the array in `slot` can be resized to `bytes` without moving.
    pub(crate) fn stays(&self, slot: usize, bytes: usize) -> bool {
        let Live { offset, len, .. } = self.array(slot);
        let wanted = bytes.checked_next_multiple_of(GRANULE);
        wanted.is_some_and(|wanted| len > 0 && wanted > 0 && self.space.can_resize(offset, len, wanted))
    }

    /// How many bytes the array in `slot` needs for `bytes`, beyond the memory that it has.
    pub(crate) fn growth(&self, slot: usize, bytes: usize) -> usize {
        bytes.saturating_sub(self.array(slot).len)
    }

    /// Resizes the array in `slot` to `bytes` at a multiple of `align`, to which its present place
    /// is aligned. It stays in its place if that is possible; else it moves, and then the new place
    /// and the old may overlap. `None` when there is no room, and then nothing is changed. The
    /// result is the same on every PE that made the same calls.
    pub(crate) fn resize(&mut self, slot: usize, bytes: usize, align: usize) -> Option<Allocated> {
        let Live { offset: before, len, born } = self.array(slot);
        let wanted = bytes.checked_next_multiple_of(GRANULE)?;
        let offset = if self.stays(slot, bytes) {
            self.space.resize(before, len, wanted);
            before
        } else {
            if len > 0 {
                self.space.free(before, len);
            }
            let Some(offset) = self.place(wanted, align) else {
                if len > 0 {
                    self.space.take(before, len);
                }
                return None;
            };
            offset
        };
        self.live[slot] = Some(Live { offset, len: wanted, born });
        Some(self.allocated(slot, offset, bytes))
    }

    /// Records what lies in the array in `slot`, after its allocation and after each change of its
    /// size.
    pub(crate) fn describe(&mut self, slot: usize, contents: Contents) {
        let born = self.array(slot).born;
        self.contents.insert(born, (slot, contents));
    }

    /// Says what a checkpoint stores of the array in `slot`.
    pub(crate) fn save_as(&mut self, slot: usize, saved: SavedAs) {
        let born = self.array(slot).born;
        if let Some((_, contents)) = self.contents.get_mut(&born) {
            contents.saved = saved;
        }
    }

    /// The array in `slot` is a `noun` from now on. Returns how its elements are named.
    #[cfg(feature = "gpu")]
    pub(crate) fn rename(&mut self, slot: usize, noun: &'static str) -> NotedObject {
        let Live { offset, born, .. } = self.array(slot);
        let (_, contents) = self.contents.get_mut(&born).expect("the array was described");
        contents.noun = noun;
        contents.noted(slot, offset)
    }

    /// The offsets of the arrays that some PE has not released, and what lies in them, in the order
    /// of their allocation.
    pub(crate) fn arrays(&self) -> impl Iterator<Item = (usize, &Contents)> {
        self.contents.values().map(|(slot, contents)| (self.array(*slot).offset, contents))
    }

    /// The array in which `offset` is, as its elements are named.
    pub(crate) fn object_around(&self, offset: usize) -> Option<NotedObject> {
        let is_around = |slot| self.array(slot).place().contains(&offset);
        let (slot, contents) = self.contents.values().find(|(slot, _)| is_around(*slot))?;
        let object = contents.noted(*slot, self.array(*slot).offset);
        ((offset as u64) < object.end()).then_some(object)
    }

    /// The array in which `offset` is, in whole granules.
    pub(crate) fn around(&self, offset: usize) -> Option<Range<usize>> {
        let mut places = self.live.iter().flatten().map(Live::place);
        places.find(|place| place.contains(&offset))
    }

    fn array(&self, slot: usize) -> Live {
        self.live[slot].expect("the array of a handle is live")
    }

    /// Finds a place for `len` bytes, whole granules. An array of no bytes is at offset 0, which
    /// has every alignment.
    fn place(&mut self, len: usize, align: usize) -> Option<usize> {
        if len == 0 { Some(0) } else { self.space.allocate(len, align) }
    }

    fn allocated(&mut self, slot: usize, offset: usize, bytes: usize) -> Allocated {
        let fresh = self.fresh.max(offset);
        self.fresh = self.fresh.max(offset + bytes);
        self.note();
        Allocated { slot, offset, fresh }
    }
}

/// Fails where no object in the heap can start at a multiple of `align`: the heap itself starts at
/// a multiple of `largest`, so an offset guarantees no larger alignment.
pub(crate) fn check_align(
    facts: &Facts,
    largest: usize,
    align: usize,
    what: impl FnOnce() -> String,
) -> Result<(), Error> {
    let heap_size = facts.heap_size - layout::END;
    let reason = if !align.is_power_of_two() {
        format!("an alignment is a power of two, and {largest} at most")
    } else if align <= largest {
        return Ok(());
    } else {
        let remedy = if heap_size < align && align <= facts.most_align {
            format!("ask for at most that, or set SHMEM_SYMMETRIC_SIZE to {align} or more")
        } else {
            "ask for at most that".to_owned()
        };
        format!("a symmetric heap of {heap_size} bytes starts at a multiple of {largest}; {remedy}")
    };
    Err(Error::Alignment { what: what(), align, largest, reason })
}

/// A value for `SHMEM_SYMMETRIC_SIZE` that gives `missing` bytes more than a heap of `heap_size`.
pub(crate) fn suggest(missing: usize, heap_size: usize) -> String {
    let enough = (heap_size - layout::END).saturating_add(missing);
    format!("{}M", enough.div_ceil(1 << 20))
}
