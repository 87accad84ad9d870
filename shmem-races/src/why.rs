//! What is said of a race: which accesses, what is missing, and what the PEs have learned of each
//! other before.

use super::batches::Batches;
use super::clock::Stream;
use super::event::{Access, Kind};
use super::history::Record;
use super::pe::{Learned, Pe};

/// Two accesses that are not ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The access that came first in the events.
    pub first: Side,
    /// The other one.
    pub second: Side,
    /// Whose copy it is.
    pub pe: u16,
    /// The first of the bytes that both accessed.
    pub offset: u64,
    /// How many bytes of this word both accessed.
    pub len: u32,
    /// What is missing.
    pub missing: Missing,
    /// How the PE of the second access has learned last of what the first PE did, if it has.
    pub news: Option<Synchronisation>,
}

/// One of two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The PE that did it.
    pub pe: u16,
    /// What it did.
    pub kind: Kind,
    /// The context.
    pub ctx: u32,
    /// The line of the program.
    pub place: u32,
    /// The last synchronisation of its PE before it.
    pub after: Option<Synchronisation>,
    /// Whether this PE has been at this line before, and the other one knows of that.
    pub is_again: bool,
}

/// A call in which a PE may learn of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synchronisation {
    /// It was in a meeting.
    Meeting {
        /// The call.
        place: u32,
        /// The PE of which the others learn, if it is one alone.
        root: Option<u16>,
        /// Whether the PE of the other access is a member.
        is_common: bool,
    },
    /// It read an atomic cell.
    Read {
        /// The line of the program.
        place: u32,
        /// Whose copy it was.
        pe: u16,
        /// Where the cell is.
        offset: u64,
        /// The last update of the cell that the PE has seen.
        update: Option<Update>,
    },
}

/// An update of an atomic cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Update {
    /// The PE that did it.
    pub pe: u16,
    /// The context.
    pub ctx: u32,
    /// The line of the program.
    pub place: u32,
}

/// What would order the two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Missing {
    /// The PE of the second access knows nothing that the first PE did after its access.
    Synchronisation,
    /// The two PEs have met, but the first access may still be under way: a quiet or a barrier.
    Quiet,
    /// A flag was updated after the first access, and may arrive before it: a fence or a quiet.
    Fence,
    /// The same, and no fence orders the two, because the flag is on another PE, or was updated by
    /// another context or another PE: a quiet.
    QuietBeforeFlag,
    /// The first access was on a context, and another one was completed.
    QuietOfContext,
    /// The operations on another PE were completed.
    QuietOfPe,
    /// One PE did both, and the first may still be under way: a quiet.
    OwnQuiet,
    /// One PE wrote twice, and the second may arrive before the first: a fence or a quiet.
    OwnFence,
    /// The memory was given to a new object while the first access was under way.
    QuietBeforeFree,
}

/// Why an earlier access is not ordered before one that PE `me` is about to do.
pub(crate) fn missing(
    pes: &[Pe],
    batches: &Batches,
    earlier: &Record,
    me: usize,
    access: &Access,
) -> Missing {
    let from = usize::from(earlier.pe);
    if from == me {
        let writes = access.kind.is_ordered_by_fences() && earlier.kind.is_ordered_by_fences();
        return if writes { Missing::OwnFence } else { Missing::OwnQuiet };
    }
    let known = pes[me].clock.times[from];
    let Some(batch) = batches.get(earlier.batch).filter(|_| known >= earlier.time) else {
        return Missing::Synchronisation;
    };
    let Stream { ctx, target, .. } = batch.stream;
    let quiets = || pes[from].quiets().filter(|(time, ..)| (earlier.time..=known).contains(time));
    if quiets().any(|(_, of, pe)| of == ctx && pe.is_some_and(|pe| pe != target)) {
        return Missing::QuietOfPe;
    }
    if quiets().any(|(_, of, _)| of != ctx) {
        return Missing::QuietOfContext;
    }
    match pes[me].learned_of(from) {
        Some(Learned::Read { cell: (pe, _), update: Some(update), .. })
            if (pe, update.pe, update.ctx) == (target, earlier.pe, ctx)
                && earlier.kind.is_ordered_by_fences() =>
        {
            Missing::Fence
        }
        Some(Learned::Read { .. }) => Missing::QuietBeforeFlag,
        _ => Missing::Quiet,
    }
}
