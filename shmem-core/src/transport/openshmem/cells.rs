//! Small broadcasts among PEs of several nodes, without a meeting.
//!
//! The root of a small broadcast need not wait until the others have read it. Each PE has a few
//! *cells* in the slot of the team. The root puts the bytes into the next cell of some PEs, and then the
//! number of the broadcast, and each of these does the same for some others (a tree). So a PE waits for
//! its own memory, and a broadcast takes one transfer for each step of the tree.
//!
//! Every PE knows which cell it is without asking: all members make the same collective calls, so each
//! counts the broadcasts of the team, whoever was the root. A cell is written again only after a
//! meeting that came after it was written: a member that has come to that meeting has read its cell,
//! and passed it on. When all cells have been written since the last meeting, the members meet.
//!
//! *Ordering.* The bytes come before the number by a fence of the library. A PE that sees the number sees
//! the bytes, as in the library's own waiting.
//!
//! Numbers begin anew with the next team in the slot, and each member clears its own cells then. No number
//! is under way any more: every member has waited for each broadcast of the team before.

use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering, fence};

use super::LibraryJob;
use super::steps::{CELLS, CellUse, cell_of};
use crate::system::sync::CELL_WORDS;
use crate::transport::node::barrier::{CELL, read_words};

/// A place for the bytes of a broadcast: with the number they fill two cache lines. Zeros are the first
/// state.
#[repr(C, align(128))]
struct FarCell {
    /// Which broadcast of the team has written it.
    number: AtomicU64,
    words: [AtomicU64; CELL_WORDS],
}

/// What a team has on each of its members, for broadcasts. Zeros are the first state.
#[repr(C)]
pub(super) struct FarCells {
    cells: [FarCell; CELLS],
    /// To how many broadcasts of the team this PE has come. It alone writes the word.
    come: AtomicU64,
}

/// One PE's part in the broadcasts of a team. The calls are collective, so one thread at a time is here.
pub(super) struct FarBroadcasts {
    job: &'static LibraryJob,
    /// This PE's cells, and their symmetric address.
    mine: &'static FarCells,
    at: AtomicPtr<FarCells>,
    uses: CellUse,
}

impl FarBroadcasts {
    /// The part of this PE, whose cells are `mine`. All members must make theirs before any of them
    /// comes to a broadcast.
    pub(super) fn new(job: &'static LibraryJob, mine: &'static FarCells, at: *mut FarCells) -> FarBroadcasts {
        mine.cells.iter().for_each(|cell| cell.number.store(0, Ordering::Relaxed));
        mine.come.store(0, Ordering::Release);
        FarBroadcasts { job, mine, at: AtomicPtr::new(at), uses: CellUse::default() }
    }

    /// Whether a broadcast of `len` bytes fits into a cell.
    pub(super) fn fits(len: usize) -> bool {
        len <= CELL
    }

    /// Whether a cell may be written, after the members have met for the time `visit`.
    pub(super) fn has_cell(&self, visit: u32) -> bool {
        self.uses.has_cell(visit)
    }

    /// This PE comes to the next broadcast. Returns its number, which is not 0.
    pub(super) fn begin(&self, visit: u32) -> u64 {
        self.uses.take(visit);
        let number = self.mine.come.load(Ordering::Relaxed) + 1;
        self.mine.come.store(number, Ordering::Release);
        number
    }

    /// Whether broadcast `number` is here.
    pub(super) fn is_here(&self, number: u64) -> bool {
        self.mine.cells[cell_of(number)].number.load(Ordering::Acquire) == number
    }

    /// Reads broadcast `number`, which is here.
    pub(super) fn read(&self, number: u64, bytes: &mut [u8]) {
        read_words(&self.mine.cells[cell_of(number)].words, bytes);
    }

    /// The symmetric address of the cell of broadcast `number`.
    fn cell(&self, number: u64) -> *mut FarCell {
        // SAFETY: the cell is one of those that there are; only its address is computed.
        unsafe { &raw mut (*self.at.load(Ordering::Relaxed)).cells[cell_of(number)] }
    }

    /// Puts the bytes of broadcast `number` into its cell on PE `pe`.
    pub(super) fn put(&self, number: u64, pe: usize, bytes: &[u8]) {
        assert!(bytes.len() <= CELL);
        fence(Ordering::Release);
        // SAFETY: symmetric memory of a member, with room for the bytes, which was just checked; no
        // member reads it before it has the number.
        unsafe {
            let words = &raw mut (*self.cell(number)).words;
            self.job.put(pe, words.cast(), bytes);
        }
    }

    /// Puts the number of broadcast `number` into its cell on PE `pe`.
    pub(super) fn announce(&self, number: u64, pe: usize) {
        // SAFETY: a word of symmetric memory of a member, which no PE reads otherwise than whole.
        unsafe {
            let word = &raw mut (*self.cell(number)).number;
            self.job.put_word(pe, word.cast(), number);
        }
    }

    /// Whether PE `pe` has come to broadcast `number`.
    pub(super) fn has_come(&self, pe: usize, number: u64) -> bool {
        // SAFETY: only an address is computed; a word of symmetric memory of every member.
        let theirs = unsafe {
            let word: *const u32 = (&raw const (*self.at.load(Ordering::Relaxed)).come).cast();
            // Its low half.
            self.job.read_word(word.wrapping_add(usize::from(cfg!(target_endian = "big"))), pe)
        };
        theirs.wrapping_sub(number as u32).cast_signed() >= 0
    }
}
