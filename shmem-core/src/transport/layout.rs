//! What lies where in the runtime's own part at the start of each PE's heap. No object lies there,
//! so no program reaches it.
//!
//! ```text
//! ┌ hash of the statics ┬ two records of a heap call ┬ slot 0 │ slot 1 │ … ┬ flags ┬ mail ┐
//! ```
//!
//! A team has the same slot on each of its members:
//!
//! ```text
//! ┌ the transport's meeting ┬ left ┬ record 0 │ record 1 ┬ cells ┬ eager 0 │ eager 1 ┐
//! ```
//!
//! Records and eager values come in two, used in turns, since nobody waits after reading them: a PE
//! that writes the third has met every member in the second, so all have read the first.

#[cfg(feature = "openshmem")]
use std::{iter, ops::Range};

/// The layout hash of the statics, at the start of a job.
pub(crate) const LAYOUT: usize = 0;
/// What the PE calls on the heap: two records.
pub(crate) const HEAP_CALLS: usize = 64;
/// The slots of teams.
pub(crate) const TEAMS: usize = 4096;
/// The words of `sync_with`, one for each PE.
const FLAGS: usize = TEAMS + SLOTS * SLOT_SIZE;
/// Where the runtime's part ends, and the statics start. What no team has used takes no memory, except for
/// [`zeros`] over a C library.
pub(crate) const END: usize = MAIL + mail::SIZE;
/// The messages of batches.
const MAIL: usize = (FLAGS + FLAG_LINES * FLAG_LINE).next_multiple_of(4096);

/// How many PEs a PE can synchronise with, one by one.
pub(crate) const MOST_PARTNERS: usize = FLAG_LINES * (FLAG_LINE / size_of::<u32>());
/// How many lines the flags have. The flags of two PEs whose numbers are close lie in two lines: two
/// neighbours that write do not take one line from each other.
const FLAG_LINES: usize = 4096;
/// Bytes of a line of flags: a cache line.
const FLAG_LINE: usize = 64;

/// How many teams can exist on a PE at a time.
pub(crate) const MAX_TEAMS: usize = 64;
/// The slot of the team of all PEs.
pub(crate) const WORLD: usize = 0;
/// The slot of the team of PEs that share memory, where these are not all. It is never given to
/// another team.
pub(crate) const SHARED: usize = MAX_TEAMS;
/// The slot of the team of PEs on one host, likewise.
pub(crate) const NODE: usize = MAX_TEAMS + 1;
/// How many slots there are in all.
pub(crate) const SLOTS: usize = MAX_TEAMS + 2;

/// Bytes for the meeting of the transport, at the start of a slot.
pub(crate) const MEETING: usize = 11008;
/// How many members have left teams of this slot; on the PE 0 of the team.
const LEFT: usize = MEETING;
/// What the PE calls on the team: two records.
pub(crate) const TEAM_CALLS: usize = LEFT + 128;
/// Bytes of the record of a call.
pub(crate) const RECORD_SIZE: usize = 640;
/// Where PEs of several nodes leave small broadcasts for each other.
pub(crate) const CELLS: usize = (TEAM_CALLS + 2 * RECORD_SIZE).next_multiple_of(128);
/// Bytes of these.
pub(crate) const CELLS_SIZE: usize = 117 * 128;
/// Values that are small enough to be left in the slot.
pub(crate) const EAGER: usize = CELLS + CELLS_SIZE;
/// The most bytes of one PE in a place for eager values.
pub(crate) const EAGER_SIZE: usize = 4096;
/// Bytes of such a place: room for the values of several PEs side by side.
pub(crate) const EAGER_ROOM: usize = 4 * EAGER_SIZE;
/// Bytes of a slot.
const SLOT_SIZE: usize = EAGER + 2 * EAGER_ROOM;

const _: () = assert!(HEAP_CALLS + 2 * RECORD_SIZE <= TEAMS);
// Counters and cells have cache lines of their own.
const _: () = assert!(SLOT_SIZE.is_multiple_of(128) && CELLS.is_multiple_of(128));

/// What must read as zeros at first: all but the places for eager values, which would take memory for
/// teams that there are not.
#[cfg(feature = "openshmem")]
pub(crate) fn zeros() -> impl Iterator<Item = Range<usize>> {
    let of_slots = (0..SLOTS).map(|number| slot(number)..slot(number) + EAGER);
    iter::once(0..TEAMS).chain(of_slots).chain(iter::once(FLAGS..END))
}

/// Where a slot begins, in the heap of each PE.
pub(crate) const fn slot(slot: usize) -> usize {
    TEAMS + slot * SLOT_SIZE
}

/// Where the members of a team count themselves out, on its PE 0.
pub(crate) const fn left(slot: usize) -> usize {
    TEAMS + slot * SLOT_SIZE + LEFT
}

/// The flag of PE `pe`, of 4 bytes, for its meetings with the PE in whose heap this is. There are [`MOST_PARTNERS`].
pub(crate) const fn flag(pe: usize) -> usize {
    FLAGS + pe % FLAG_LINES * FLAG_LINE + pe / FLAG_LINES * size_of::<u32>()
}

/// What a heap of processes on this machine is aligned to at most, however large it is.
pub(crate) const MAX_ALIGN: usize = 1 << 40;

/// What a heap of `size` bytes starts at a multiple of, in its own PE: so that objects of any
/// alignment that fit into it have theirs.
pub(crate) fn align_of_heap(size: usize) -> usize {
    let page = rustix::param::page_size();
    (1 << size.max(1).ilog2()).clamp(page, MAX_ALIGN)
}

/// Where PEs that are not directly addressable leave messages for each other: see
/// [`batch`](crate::runtime::batch).
///
/// ```text
/// ┌ flags ┬ credits ┬ counts of ended batches: of others ┬ own ones ┬ messages ┬ answers ┐
/// ```
pub(crate) mod mail {
    use super::{MAIL, SLOTS};

    /// The bytes of all of it.
    pub(super) const SIZE: usize = 512 << 10;
    /// The most PEs of a job in which messages are sent: for each of them there are places.
    pub(crate) const MOST_PES: usize = 256;
    /// How many messages of one PE may be under way to another one.
    pub(crate) const PLACES: usize = 2;
    /// The most bytes of a message. Longer ones were no faster.
    const LONGEST: usize = 16 << 10;

    const FLAGS: usize = MAIL;
    const CREDITS: usize = FLAGS + MOST_PES * PLACES * 8;
    const COUNTS: usize = CREDITS + MOST_PES * PLACES * 8;
    const OWN_COUNTS: usize = COUNTS + SLOTS * 8;
    const BODY: usize = (OWN_COUNTS + SLOTS * 8).next_multiple_of(4096);

    /// The word beside a message of PE `sender`.
    pub(crate) const fn flag(sender: usize, place: usize) -> usize {
        FLAGS + (sender * PLACES + place) * 8
    }

    /// The word beside an answer of PE `receiver`.
    pub(crate) const fn credit(receiver: usize, place: usize) -> usize {
        CREDITS + (receiver * PLACES + place) * 8
    }

    /// How many times another PE has ended a batch of the team in a slot.
    pub(crate) const fn done(slot: usize) -> usize {
        COUNTS + slot * 8
    }

    /// Which batch of the team in a slot the PE has ended last. Others read it who wait for that.
    pub(crate) const fn ended(slot: usize) -> usize {
        OWN_COUNTS + slot * 8
    }

    /// The most bytes of a message, and of an answer, among `n_pes` PEs.
    pub(crate) const fn room(n_pes: usize) -> usize {
        let each = (MAIL + SIZE - BODY) / (2 * PLACES * n_pes);
        let each = if each < LONGEST { each } else { LONGEST };
        each / 64 * 64
    }

    /// A message of PE `sender`, in the heap of its receiver.
    pub(crate) const fn inbox(sender: usize, place: usize, n_pes: usize) -> usize {
        BODY + (sender * PLACES + place) * room(n_pes)
    }

    /// An answer of PE `receiver`, in the heap of the sender of the message.
    pub(crate) const fn reply(receiver: usize, place: usize, n_pes: usize) -> usize {
        inbox(n_pes + receiver, place, n_pes)
    }

    const _: () = assert!(room(MOST_PES) >= 256);
    const _: () = assert!(reply(MOST_PES - 1, 1, MOST_PES) + room(MOST_PES) <= MAIL + SIZE);
    const _: () = assert!(reply(1, 1, 2) + room(2) <= MAIL + SIZE);
    // Addresses of words and elements in messages are aligned.
    const _: () = assert!(FLAGS.is_multiple_of(64) && BODY.is_multiple_of(64));
}
