//! Blocks: bytes of the symmetric heap at the same offset on every PE. Collective calls claim,
//! resize and release them.
//!
//! Nothing here writes to the bytes. A caller that fills a block ends with a barrier before any PE
//! uses it. An array of the language is a block and the elements in it.

use std::hash::Hash;
use std::panic::Location;

use super::Runtime;
use super::agreement::Statement;
use super::heap::{self, Allocated, Contents, Report, SavedAs, check_align};
use super::observe;
use super::races::{self, MeetingScope};
use super::recorder;
use crate::system::error::Error;
use crate::system::memory;
use crate::system::place::Shown;
use crate::transport::closed;

/// How memory is going to be used (`shmem_malloc_with_hints`): see
/// [`Allocation::hint`](crate::Allocation::hint).
///
/// ```
/// use shmem::prelude::*;
/// use shmem::Hint;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let counters = world.allocate().hint(Hint::AtomicsRemote).zeros::<Atomic<u64>, 1>([1])?;
///     remote!(counters[0, 0]) += 1;
///     world.barrier_all();
///     assert_eq!(remote!(counters[0, 0]), 2);
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hint {
    /// Other PEs update it atomically (`SHMEM_MALLOC_ATOMICS_REMOTE`).
    #[doc(alias = "SHMEM_MALLOC_ATOMICS_REMOTE")]
    AtomicsRemote,
    /// Other PEs write signals to it (`SHMEM_MALLOC_SIGNAL_REMOTE`).
    #[doc(alias = "SHMEM_MALLOC_SIGNAL_REMOTE")]
    SignalRemote,
}

impl Hint {
    const ALL: [Hint; 2] = [Hint::AtomicsRemote, Hint::SignalRemote];

    pub(crate) fn bit(self) -> u64 {
        1 << self as u32
    }
}

/// The hints of a set of bits, as a user writes them: for messages.
fn hint_names(hints: u64) -> String {
    let names: Vec<String> =
        Hint::ALL.iter().filter(|hint| hints & hint.bit() != 0).map(|hint| format!("{hint:?}")).collect();
    names.join(" and ")
}

/// What is asked for besides a number of bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wishes {
    /// As it was asked for; `None` is that of what will lie in the block.
    pub(crate) align: Option<usize>,
    pub(crate) hints: u64,
}

/// What a PE asks the heap for. All PEs ask for the same.
pub(crate) struct Request {
    /// What will lie in the block, in two words: `symmetric array`, which messages number.
    pub(crate) noun: &'static str,
    /// What will lie in the block, for messages: `SymmetricArray<f64, 2> of 3 × 4`.
    pub(crate) kind: String,
    /// How many bytes, or the error of a number that no memory could hold. The error is returned
    /// only after all PEs have agreed: one that fails alone would leave the others waiting.
    pub(crate) bytes: Result<usize, Error>,
    /// The alignment that what will lie in the block has of itself.
    pub(crate) align: usize,
    /// Whether the caller will write nothing, or zeros alone, so that the memory is committed when
    /// it is touched.
    pub(crate) is_untouched: bool,
    /// The name of the type of an element that will lie there, without modules; its size in bytes,
    /// and the extents: for checkpoints and messages.
    pub(crate) elements: (String, usize, Vec<usize>),
    pub(crate) saved: SavedAs,
    /// Where the program asks.
    pub(crate) caller: &'static Location<'static>,
}

/// Bytes of the symmetric heap, at the same offset on every PE.
///
/// Dropping a block is local and never waits; the bytes are free when every PE has dropped its own,
/// from the next collective call on the heap on.
pub(crate) struct Block {
    offset: usize,
    slot: usize,
    wishes: Wishes,
    noun: &'static str,
}

impl Block {
    /// Claims the bytes of `request` on every PE, without writing to them. Collective.
    ///
    /// All PEs pass the same `identity`, or get an error. Also returns the offset from which on the
    /// memory of the block was never used, and reads as zeros.
    ///
    /// # Errors
    ///
    /// When the PEs do not agree, and when the heap or the machine does not have the memory.
    #[track_caller]
    pub(crate) fn claim(
        runtime: &Runtime,
        request: Request,
        identity: impl Hash,
        wishes: Wishes,
    ) -> Result<(Block, usize), Error> {
        let noun = request.noun;
        let Allocated { slot, offset, fresh } = ask(runtime, request, identity, wishes, None)?;
        Ok((Block { offset, slot, wishes, noun }, fresh))
    }

    /// Gives the block the size of `request` on every PE. Collective.
    ///
    /// The block grows and shrinks in place where the memory after it is free. Otherwise it moves,
    /// to a place that may overlap the old one. The bytes stay where they were: between this call
    /// and a barrier, no other PE accesses the old place or the new one, and the caller
    /// [moves](Runtime::shift) what it keeps. Returns the offset before, and the offset from which
    /// on the memory was never used.
    ///
    /// # Errors
    ///
    /// As [`claim`](Block::claim). Then the block is as it was.
    #[track_caller]
    pub(crate) fn resize(
        &mut self,
        runtime: &Runtime,
        request: Request,
        identity: impl Hash,
    ) -> Result<(usize, usize), Error> {
        let Allocated { offset, fresh, .. } = ask(runtime, request, identity, self.wishes, Some(self.slot))?;
        Ok((std::mem::replace(&mut self.offset, offset), fresh))
    }

    /// Frees the block at once. Collective.
    ///
    /// # Errors
    ///
    /// When the PEs are in different collective memory calls, and when they free different blocks.
    #[track_caller]
    pub(crate) fn release(self, runtime: &Runtime) -> Result<(), Error> {
        let (slot, noun) = (self.slot, self.noun);
        drop(self);
        release(runtime, Some((noun, slot)))
    }

    /// Where it begins, in the heap of each PE.
    #[inline(always)]
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Its number among the live blocks, which is the same on all PEs.
    pub(crate) fn slot(&self) -> usize {
        self.slot
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        super::get().released().push(self.slot);
    }
}

/// Asks all PEs for a block, or for another size of the one in the slot `resized`. Collective.
#[track_caller]
fn ask(
    runtime: &Runtime,
    request: Request,
    identity: impl Hash,
    wishes: Wishes,
    resized: Option<usize>,
) -> Result<Allocated, Error> {
    closed::refuse_call("an allocation");
    let _inside = runtime.team().begin_on_heap(runtime, "an allocation", request.caller);
    let what = if resized.is_none() { "allocate" } else { "resize" };
    let _span = observe::heap(what, &request.kind, request.bytes.as_ref().ok().copied(), request.caller);
    let asked = wishes.align.unwrap_or(request.align);
    let align = asked.max(request.align);
    let endpoint = runtime.endpoint();
    let facts = &endpoint.facts;
    let mut heap = runtime.heap();
    let call = {
        let kind = &request.kind;
        let verb = match resized {
            None => format!("allocates a {kind}"),
            Some(slot) => format!("resizes {} #{slot} to a {kind}", request.noun),
        };
        let size = match request.bytes {
            Ok(bytes) => format!("{bytes} bytes"),
            Err(_) => "more bytes than can be counted".to_owned(),
        };
        let hints = match wishes.hints {
            0 => String::new(),
            hints => format!(", hints {}", hint_names(hints)),
        };
        let identity = (identity, asked, wishes.hints, resized);
        let words = format_args!("{verb} ({size}, alignment {asked}{hints})");
        Statement::new(identity, words, request.caller)
    };
    // Said here, so that all PEs come to one verdict also where only some of them touch the memory.
    let available = if request.is_untouched { u64::MAX } else { memory::available() as u64 };
    let meeting = MeetingScope::on_heap(request.caller);
    let agreed = heap.agree(endpoint, runtime.team(), runtime.released(), &call, available)?;
    drop(meeting);

    // Only now, as all PEs ask for the same: one that fails alone would leave the others waiting.
    let what = || format!("{} at {}", request.kind, Shown(request.caller));
    let bytes = request.bytes?;
    for align in [asked, align] {
        check_align(facts, agreed.align, align, what)?;
    }
    let more = match resized {
        Some(slot) if heap.stays(slot, bytes) => heap.growth(slot, bytes),
        _ => bytes,
    };
    let all_pes = more.saturating_mul(facts.n_pes);
    // What no heap could hold is not a matter of memory.
    if bytes <= facts.heap_size && all_pes as u64 > agreed.available {
        let available = usize::try_from(agreed.available).unwrap_or(usize::MAX);
        return Err(Error::OutOfMemory { what: what(), needed: all_pes, available });
    }
    let given = match resized {
        None => heap.allocate(bytes, align),
        Some(slot) => heap.resize(slot, bytes, align),
    };
    let Some(given) = given else {
        let Report { total, free, largest, tail } = heap.report();
        let (kind, place) = (&request.kind, Shown(request.caller));
        let what = if align > 64 { format!("{kind} at a multiple of {align}, at {place}") } else { what() };
        let missing = bytes.saturating_add(align.saturating_sub(64)).saturating_sub(tail);
        let suggestion = heap::suggest(missing, facts.heap_size);
        return Err(Error::HeapExhausted { what, needed: bytes, free, largest, total, suggestion });
    };
    let (element, size, extents) = request.elements;
    let Request { noun, saved, caller: place, .. } = request;
    let contents = Contents { noun, element, size, extents, saved, place };
    let object = || contents.noted(given.slot, given.offset);
    races::renew(given.offset, bytes, place, object);
    recorder::object(object);
    heap.describe(given.slot, contents);
    Ok(given)
}

/// The object in the block is a `noun` from now on, in all messages.
#[cfg(feature = "gpu")]
pub(crate) fn rename(block: &Block, noun: &'static str) {
    let object = super::get().heap().rename(block.slot, noun);
    races::describe(|| object.clone());
    recorder::object(|| object.clone());
}

/// Frees what every PE has dropped; see [`World::reclaim`](crate::World::reclaim). Collective.
#[track_caller]
pub(crate) fn reclaim(runtime: &Runtime) -> Result<(), Error> {
    release(runtime, None)
}

/// A call that only frees: the block in a slot, by its noun, or none in particular.
#[track_caller]
fn release(runtime: &Runtime, slot: Option<(&str, usize)>) -> Result<(), Error> {
    closed::refuse_call("a collective release of memory");
    let _inside = runtime.team().begin_on_heap(runtime, "a release of memory", Location::caller());
    let _span = observe::heap(if slot.is_some() { "free" } else { "reclaim" }, "", None, Location::caller());
    let what = slot.map_or_else(|| "reclaims".to_owned(), |(noun, slot)| format!("frees {noun} #{slot}"));
    let call = Statement::new(slot.map(|(_, slot)| slot), format_args!("{what}"), Location::caller());
    let _meeting = MeetingScope::on_heap(Location::caller());
    runtime.heap().agree(runtime.endpoint(), runtime.team(), runtime.released(), &call, u64::MAX)?;
    Ok(())
}
