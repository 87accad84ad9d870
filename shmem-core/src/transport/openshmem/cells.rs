//! Broadcasts among PEs of several nodes, without a meeting; the words that they give to each other in a meeting without
//! signals; the meetings of those on a host alone; and what neighbours in a lane tell each other of a large reduction.
//!
//! The root of a small broadcast need not wait until the others have read it. Each PE has a few
//! *cells* in the slot of the team. The root puts the bytes into the next cells of some PEs, and then the
//! number of the broadcast, and each of these does the same for some others (a tree). So a PE waits for
//! memory that it reads by loads, and a broadcast takes one transfer for each step of the tree. PEs on one
//! host read the cell of one of them: of the root, or of their lead.
//!
//! Every PE knows which cells these are without asking: all members make the same collective calls, so each
//! counts the broadcasts of the team and the cells that they take, whoever was the root. A cell is written again
//! only after a meeting that came after it was written: a member that has come to that meeting has read its
//! cell, and passed it on. When there is no room left since the last meeting, the members meet.
//!
//! *Ordering.* The bytes come before the number by a fence of the library, for the PE that gets both. A PE that
//! sees the number sees the bytes, as in the library's own waiting, and tells the others on its host. For up to 8
//! bytes, a put takes less time than the fence. So they have *cells for a word*, of two words: each has half of the
//! bytes and half of the number, so neither order is wrong. The library is assumed to write each aligned word of a
//! put whole, as every one does that copies words or has a network card write them. These cells are so small that
//! there are many of them.
//!
//! Numbers begin anew with the next team in the slot, and each member clears its own cells then. No number
//! is under way any more: every member has waited for each broadcast and exchange of the team before, and for each word of
//! those it gave something large to, and has left the team.

use std::ops::Range;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering, fence};

use super::LibraryJob;
use super::steps::{
    BroadcastTree, CELL_SIZE, CELLS, CellUse, GIVEN, IN_CELLS, LARGE_BRANCHES, WORD_CELLS, cell_of,
    cells_for, is_word,
};
use crate::transport::FEW_WORDS;
use crate::transport::copy::copy;
use crate::transport::node::barrier::read_words;
use crate::transport::node::record::Node as _;

/// A place for bytes of a broadcast.
#[repr(C, align(128))]
struct FarCell([AtomicU64; CELL_SIZE / size_of::<u64>()]);

/// A place for a broadcast of a word. The upper halves have the lower half of the number. Zeros are the first
/// state.
type WordCell = [AtomicU64; 2];

/// One broadcast of a team.
#[derive(Clone, Copy, Debug)]
pub(super) struct Broadcast {
    /// How many there have been, with this one.
    pub(super) number: u64,
    /// Its first cell, where it is not in a cell for a word.
    cell: usize,
}

/// What a team has on each of its members, for broadcasts. Zeros are the first state.
#[repr(C)]
pub(super) struct FarCells {
    cells: [FarCell; CELLS],
    /// Which broadcast of the team has written the cells from this one on.
    numbers: [AtomicU64; CELLS],
    word_cells: [WordCell; WORD_CELLS],
    /// The words that members give in an exchange, host by host, on this PE or on the lead of its host. There are two
    /// sets, used in turns: who writes to one has got what all others gave in the exchange before, and they have read
    /// the one before that.
    given: [[WordCell; GIVEN]; 2],
    /// Which relays may write to the destinations of the PEs that this one gives to. A relay has the words of its first
    /// number, as of a cell for a word, so they are written again after a meeting alone.
    ready: [[AtomicU64; LARGE_BRANCHES]; WORD_CELLS],
    /// To how many broadcasts of the team this PE has come. It alone writes the word.
    come: AtomicU64,
    /// The last [exchange](Exchanged) of this PE. It alone writes the word, before it counts the visit.
    exchanged: AtomicU64,
    /// Which broadcast this PE has had last for the other members on its host, of those that it tells them of.
    left: AtomicU64,
    /// How often this PE has come to a meeting of those on its host alone. It alone writes the word.
    met: AtomicU64,
    /// What the neighbours of this PE in its [lane](crate::transport::HostsOfTeam::lanes) have told it, by [`LaneWord`].
    lane: [AtomicU64; LaneWord::COUNT],
}

/// What a neighbour in a lane tells, as a number of pieces of all reductions of the team.
#[derive(Clone, Copy, Debug)]
pub(super) enum LaneWord {
    /// For so many, the destination of the host after this one is ready.
    Ready,
    /// So many have come from the host before, joined there.
    Joined,
    /// The results of so many have come from the host after this one.
    Results,
}

impl LaneWord {
    /// How many words there are.
    const COUNT: usize = 3;
}

/// The last exchange of a PE: which visit it was, which exchange, and of how many words. Of no exchange all are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Exchanged {
    visit: u32,
    /// Its lowest bits.
    exchange: u32,
    words: usize,
}

impl Exchanged {
    /// The bits of the number of an exchange.
    const NUMBERS: u32 = (1 << 28) - 1;

    fn word(self) -> u64 {
        const { assert!(FEW_WORDS < 16) };
        u64::from(self.visit) << 32 | u64::from(self.exchange) << 4 | self.words as u64
    }

    fn of(word: u64) -> Exchanged {
        let low = word as u32;
        Exchanged { visit: (word >> 32) as u32, exchange: low >> 4, words: (low & 15) as usize }
    }

    /// Whether the PE whose last exchange this is has counted this visit, but made another call in it than one that has
    /// come to so many exchanges, with this visit if that gives `words`. A PE is at most one visit ahead of those that are
    /// at the same call. Of others, and where the numbers of visits or exchanges have wrapped around, it says no.
    fn is_of_another(self, visit: u32, exchanges: u32, words: usize) -> bool {
        let more = self.exchange.wrapping_sub(exchanges) & Exchanged::NUMBERS;
        match (words, self.visit.wrapping_sub(visit).cast_signed()) {
            (0, 0) => self.words > 0 && more == 1,
            (0, 1) => more == 2,
            (0, _) => false,
            (_, 0) => self.words != words,
            (_, 1) => more == 0,
            (_, ahead) => ahead < 0 && more == Exchanged::NUMBERS,
        }
    }
}

/// One PE's part in the broadcasts of a team. The calls are collective, so one thread at a time is here.
pub(super) struct FarBroadcasts {
    job: &'static LibraryJob,
    /// Where they lie in the heap of each member.
    offset: usize,
    /// This PE's cells, and their symmetric address.
    mine: &'static FarCells,
    at: AtomicPtr<FarCells>,
    uses: CellUse,
    /// How they go from member to member.
    tree: BroadcastTree,
    /// How many pieces the reductions in this PE's lane have had, with those of the one that goes on.
    pieces: AtomicU64,
}

impl FarBroadcasts {
    /// The part of this PE, whose cells are `mine`, at this offset in the heap and at this symmetric address. All
    /// members must make theirs before any of them comes to a broadcast.
    pub(super) fn new(
        job: &'static LibraryJob,
        offset: usize,
        mine: &'static FarCells,
        at: *mut FarCells,
        tree: BroadcastTree,
    ) -> FarBroadcasts {
        mine.numbers.iter().for_each(|number| number.store(0, Ordering::Relaxed));
        mine.word_cells.iter().flatten().for_each(|word| word.store(0, Ordering::Relaxed));
        mine.given.iter().flatten().flatten().for_each(|word| word.store(0, Ordering::Relaxed));
        mine.ready.iter().flatten().for_each(|word| word.store(0, Ordering::Relaxed));
        mine.exchanged.store(0, Ordering::Relaxed);
        mine.left.store(0, Ordering::Relaxed);
        mine.met.store(0, Ordering::Relaxed);
        mine.lane.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        mine.come.store(0, Ordering::Release);
        let (at, uses, pieces) = (AtomicPtr::new(at), CellUse::default(), AtomicU64::new(0));
        FarBroadcasts { job, offset, mine, at, uses, tree, pieces }
    }

    /// How they go from member to member.
    pub(super) fn tree(&self) -> &BroadcastTree {
        &self.tree
    }

    /// Whether a broadcast of `len` bytes fits into cells.
    pub(super) fn fits(len: usize) -> bool {
        len <= IN_CELLS
    }

    /// Whether there is room for `len` bytes, after the members have met for the time `visit`.
    pub(super) fn has_room(&self, visit: u32, len: usize) -> bool {
        self.uses.has_room(visit, cells_for(len))
    }

    /// This PE comes to the next broadcast, of `len` bytes.
    pub(super) fn begin(&self, visit: u32, len: usize) -> Broadcast {
        let cell = self.uses.take(visit, cells_for(len));
        let number = self.mine.come.load(Ordering::Relaxed) + 1;
        self.mine.come.store(number, Ordering::Release);
        Broadcast { number, cell }
    }

    /// The cells of PE `pe`, which is this one or on its host.
    pub(super) fn of(&self, pe: usize) -> &FarCells {
        if pe == self.job.me {
            return self.mine;
        }
        // SAFETY: `mine` lies at this offset in the heap of this PE, and so in that of every member; it is
        // made of atomics, and mapped until the process ends.
        unsafe { self.job.heap_start(pe).add(self.offset).cast().as_ref() }
    }

    /// This PE tells the other members on its host that it has broadcast `number`.
    pub(super) fn tell(&self, number: u64) {
        self.mine.left.store(number, Ordering::Release);
    }

    /// This PE comes to the next meeting of those on its host. Returns its number.
    pub(super) fn meet_on_host(&self) -> u64 {
        let number = self.mine.met.load(Ordering::Relaxed) + 1;
        self.mine.met.store(number, Ordering::Release);
        number
    }

    /// How often this PE has come to a meeting of those on its host alone.
    pub(super) fn meetings_on_host(&self) -> u64 {
        self.mine.met.load(Ordering::Relaxed)
    }

    /// Leaves a broadcast in cells of this PE, where the others on its host read it.
    pub(super) fn leave(&self, broadcast: Broadcast, goods: &(impl Goods + ?Sized)) {
        let number = broadcast.number;
        if is_word(goods.len()) {
            return write_cell(
                &self.mine.word_cells[cell_of(number, WORD_CELLS)],
                numbered(number, goods.word()),
            );
        }
        goods.write_to(self.mine.words_from(broadcast.cell));
        self.tell(number);
    }

    /// The symmetric address of what `of` finds in the cells.
    fn address<T>(&self, of: impl FnOnce(*mut FarCells) -> *mut T) -> *mut T {
        of(self.at.load(Ordering::Relaxed))
    }

    /// Puts a word into what `of` finds in the cells of PE `pe`.
    ///
    /// # Safety
    ///
    /// `of` returns the address of a word of the cells that it is given. PE `pe` is a member.
    unsafe fn put_word(&self, pe: usize, of: impl FnOnce(*mut FarCells) -> *mut AtomicU64, value: u64) {
        // SAFETY: a word of symmetric memory of a member, which no PE reads otherwise than whole.
        unsafe { self.job.put_word(pe, self.address(of).cast(), value) }
    }

    /// Reads the word that `of` finds in the cells of PE `pe`, maybe of another host.
    ///
    /// # Safety
    ///
    /// As for [`put_word`](FarBroadcasts::put_word).
    unsafe fn read_word(&self, pe: usize, of: impl FnOnce(*mut FarCells) -> *mut AtomicU64) -> u64 {
        let word: *const u64 = self.address(of).cast();
        // SAFETY: a word of symmetric memory of a member, which no PE writes otherwise than whole.
        unsafe { self.job.read_word(word, pe) }
    }

    /// Puts a broadcast into its cells on PE `pe`, with the number if it is a word.
    pub(super) fn put(&self, broadcast: Broadcast, pe: usize, goods: &(impl Goods + ?Sized)) {
        let (Broadcast { number, cell }, len) = (broadcast, goods.len());
        assert!(cell + cells_for(len) <= CELLS);
        fence(Ordering::Release);
        // SAFETY: symmetric memory of a member, with room for the bytes, which was just checked; no
        // member reads it before it has the number. A put writes aligned words as wholes.
        unsafe {
            if is_word(len) {
                let cell = self.address(|cells| &raw mut (*cells).word_cells[cell_of(number, WORD_CELLS)]);
                let words = numbered(number, goods.word());
                let bytes = std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(&words));
                return self.job.put(pe, cell.cast(), bytes);
            }
            let words = self.address(|cells| &raw mut (*cells).cells[cell]);
            self.job.put_from(pe, words.cast(), goods.start(), len);
        }
    }

    /// This visit is this exchange, of so many words. To be called before it is counted.
    pub(super) fn note_exchange(&self, visit: u32, exchange: u32, words: usize) {
        let exchanged = Exchanged { visit, exchange: exchange & Exchanged::NUMBERS, words };
        self.mine.exchanged.store(exchanged.word(), Ordering::Release);
    }

    /// Whether this visit of PE `pe`, which it has counted, is of another kind: not an exchange of so many `words` as
    /// that of this PE, or any if this PE gives none. This PE has come to so many exchanges, with this one.
    pub(super) fn is_of_another(&self, pe: usize, visit: u32, exchanges: u32, words: usize) -> bool {
        // SAFETY: a word of the cells of a member.
        let theirs = unsafe { self.read_word(pe, |cells| &raw mut (*cells).exchanged) };
        Exchanged::of(theirs).is_of_another(visit, exchanges, words)
    }

    /// Puts these places of `cells`, which have words of members for exchange `number`, into those of PE `pe`.
    pub(super) fn give(&self, cells: &FarCells, number: u64, places: Range<usize>, pe: usize) {
        let set = cell_of(number, 2);
        let from = &cells.given[set][places.clone()];
        fence(Ordering::Release);
        // SAFETY: symmetric memory of a member, with these places, as the slice has shown; it reads them when they have
        // the number. A put writes aligned words as wholes.
        unsafe {
            let to = self.address(|cells| &raw mut (*cells).given[set][places.start]);
            self.job.put_from(pe, to.cast(), from.as_ptr().cast(), size_of_val(from));
        }
    }

    /// Puts the number of a broadcast beside its cells on PE `pe`.
    pub(super) fn announce(&self, Broadcast { number, cell }: Broadcast, pe: usize) {
        // SAFETY: a word of the cells of a member.
        unsafe { self.put_word(pe, |cells| &raw mut (*cells).numbers[cell], number) }
    }

    /// Tells PE `pe` by this word that relay `number` may write to the destination of this one.
    pub(super) fn tell_ready(&self, number: u64, (word, pe): (usize, usize)) {
        let cell = cell_of(number, WORD_CELLS);
        // SAFETY: a word of the cells of a member.
        unsafe { self.put_word(pe, |cells| &raw mut (*cells).ready[cell][word], number) }
    }

    /// Whether the PE that writes this word has told that relay `number` may write to its destination.
    pub(super) fn is_ready(&self, number: u64, word: usize) -> bool {
        self.mine.ready[cell_of(number, WORD_CELLS)][word].load(Ordering::Acquire) == number
    }

    /// A reduction of so many pieces begins in this PE's lane. Returns how many there were before.
    pub(super) fn begin_reduction(&self, pieces: u64) -> u64 {
        // The call is collective, so no other thread of this PE is here.
        let before = self.pieces.load(Ordering::Relaxed);
        self.pieces.store(before + pieces, Ordering::Relaxed);
        before
    }

    /// Tells PE `pe`, a neighbour in its lane, of so many pieces.
    pub(super) fn tell_lane(&self, pe: usize, word: LaneWord, pieces: u64) {
        fence(Ordering::Release);
        // SAFETY: a word of the cells of a member.
        unsafe { self.put_word(pe, |cells| &raw mut (*cells).lane[word as usize], pieces) }
    }

    /// Of how many pieces a neighbour in its lane has told this PE.
    pub(super) fn lane(&self, word: LaneWord) -> u64 {
        self.mine.lane[word as usize].load(Ordering::Acquire)
    }

    /// Whether PE `pe`, maybe of another host, has come to so many meetings of those on its host.
    pub(super) fn has_met(&self, pe: usize, number: u64) -> bool {
        // SAFETY: a word of the cells of a member.
        unsafe { self.read_word(pe, |cells| &raw mut (*cells).met) >= number }
    }

    /// Whether PE `pe` has come to broadcast `number`.
    pub(super) fn has_come(&self, pe: usize, number: u64) -> bool {
        // SAFETY: a word of the cells of a member.
        unsafe { self.read_word(pe, |cells| &raw mut (*cells).come) >= number }
    }
}

impl FarCells {
    /// Whether this broadcast, of `len` bytes, is here.
    pub(super) fn have(&self, Broadcast { number, cell }: Broadcast, len: usize) -> bool {
        if is_word(len) {
            return has_number(&self.word_cells[cell_of(number, WORD_CELLS)], number);
        }
        self.numbers[cell].load(Ordering::Acquire) == number
    }

    /// The words of the cells from this one on.
    fn words_from(&self, cell: usize) -> &[AtomicU64] {
        let cells = &self.cells[cell..];
        // SAFETY: cells are arrays of words, without gaps between them.
        unsafe { std::slice::from_raw_parts(cells.as_ptr().cast(), size_of_val(cells) / size_of::<u64>()) }
    }

    /// Whether the PE whose cells these are has told those on its host of broadcast `number`.
    pub(super) fn tell_of(&self, number: u64) -> bool {
        self.left.load(Ordering::Acquire) >= number
    }

    /// A member on the host of the PE whose cells these are gives words in exchange `number`, at these places.
    pub(super) fn leave_words(&self, number: u64, places: Range<usize>, words: &[u64]) {
        let cells = &self.given[cell_of(number, 2)][places];
        cells.iter().zip(words).for_each(|(cell, &word)| write_cell(cell, numbered(number, word)));
    }

    /// Whether the words at these places have been given in exchange `number`.
    pub(super) fn are_given(&self, number: u64, places: Range<usize>) -> bool {
        self.given[cell_of(number, 2)][places].iter().all(|cell| has_number(cell, number))
    }

    /// Reads the words at these places, which are given in exchange `number`.
    pub(super) fn read_given(&self, number: u64, places: Range<usize>, words: &mut [u64]) {
        let cells = &self.given[cell_of(number, 2)][places];
        words.iter_mut().zip(cells).for_each(|(word, cell)| *word = word_in(cell));
    }

    /// Whether the PE whose cells these are has come to this meeting of those on its host.
    pub(super) fn has_met(&self, number: u64) -> bool {
        self.met.load(Ordering::Acquire) >= number
    }

    /// Reads a broadcast, which is here.
    pub(super) fn read(&self, Broadcast { number, cell }: Broadcast, goods: &mut (impl Goods + ?Sized)) {
        if is_word(goods.len()) {
            goods.set_word(word_in(&self.word_cells[cell_of(number, WORD_CELLS)]));
        } else {
            goods.read_from(self.words_from(cell));
        }
    }
}

/// The bytes of a broadcast on one member: private ones, or words of its symmetric memory.
pub(super) trait Goods {
    /// How many bytes they are.
    fn len(&self) -> usize;
    /// The first byte.
    fn start(&self) -> *const u8;
    /// The word that begins with these bytes, of which there are at most 8.
    fn word(&self) -> u64;
    /// Sets the bytes, of which there are at most 8, to those that this word begins with.
    fn set_word(&mut self, word: u64);
    /// Copies the bytes to the first of these words.
    fn write_to(&self, words: &[AtomicU64]);
    /// Copies the bytes from the first of these words.
    fn read_from(&mut self, words: &[AtomicU64]);
}

impl Goods for [u8] {
    fn len(&self) -> usize {
        size_of_val(self)
    }

    fn start(&self) -> *const u8 {
        self.as_ptr()
    }

    fn word(&self) -> u64 {
        word_of(self)
    }

    fn set_word(&mut self, word: u64) {
        self.copy_from_slice(&word.to_ne_bytes()[..self.len()]);
    }

    fn write_to(&self, words: &[AtomicU64]) {
        write_words(self, words);
    }

    fn read_from(&mut self, words: &[AtomicU64]) {
        read_words(words, self);
    }
}

impl Goods for &[AtomicU64] {
    fn len(&self) -> usize {
        size_of_val(*self)
    }

    fn start(&self) -> *const u8 {
        self.as_ptr().cast()
    }

    fn word(&self) -> u64 {
        self[0].load(Ordering::Relaxed)
    }

    fn set_word(&mut self, word: u64) {
        self[0].store(word, Ordering::Relaxed);
    }

    fn write_to(&self, words: &[AtomicU64]) {
        copy_words(self, words);
    }

    fn read_from(&mut self, words: &[AtomicU64]) {
        copy_words(words, self);
    }
}

/// Copies the words that both have, from the first on. They are apart.
pub(super) fn copy_words(from: &[AtomicU64], to: &[AtomicU64]) {
    let len = size_of_val(from).min(size_of_val(to));
    // SAFETY: both have as many bytes. Others may access them, which `copy` is made for.
    unsafe { copy(to.as_ptr().cast_mut().cast(), from.as_ptr().cast(), len) };
}

/// Whether both words of a cell have this number.
fn has_number(cell: &WordCell, number: u64) -> bool {
    cell.iter().all(|word| word.load(Ordering::Acquire) >> 32 == number & u64::from(u32::MAX))
}

/// The word of which a cell has both halves.
fn word_in(cell: &WordCell) -> u64 {
    let [low, high] = [0, 1].map(|half| cell[half].load(Ordering::Relaxed) & u64::from(u32::MAX));
    high << 32 | low
}

/// Writes the two words of a cell that others on this host read.
fn write_cell(cell: &WordCell, words: [u64; 2]) {
    cell.iter().zip(words).for_each(|(word, value)| word.store(value, Ordering::Release));
}

/// The two words of a cell for `word` and broadcast `number`: each has half of both.
fn numbered(number: u64, word: u64) -> [u64; 2] {
    [word, word >> 32].map(|half| number << 32 | half & u64::from(u32::MAX))
}

/// The word that begins with these bytes, of which there are at most 8.
fn word_of(bytes: &[u8]) -> u64 {
    let mut word = [0; size_of::<u64>()];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_ne_bytes(word)
}

/// Writes bytes to the words that there are, from the first on.
fn write_words(bytes: &[u8], words: &[AtomicU64]) {
    for (bytes, word) in bytes.chunks(size_of::<u64>()).zip(words) {
        word.store(word_of(bytes), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The calls of a PE, one for each visit from this number on: of how many words, or 0 for one of another kind.
    /// Returns its last exchange, and how many there were.
    fn after(first: u32, calls: &[usize]) -> (Exchanged, u32) {
        let mut last = (Exchanged::of(0), 0);
        for (visit, &words) in (first..).zip(calls) {
            if words > 0 {
                last = (Exchanged { visit, exchange: last.1 + 1, words }, last.1 + 1);
            }
        }
        last
    }

    #[test]
    fn a_call_of_another_kind_is_told_from_the_same() {
        for before in [&[][..], &[0], &[1], &[2, 0, 0], &[0, 1, 1]] {
            for mine in [0, 1, 2] {
                for theirs in [0, 1, 2] {
                    // They are in the same visit, or in the next one.
                    for next in [None, Some(0), Some(1), Some(2)] {
                        let all = |call| [before, &[call][..]].concat();
                        let visit = 7 + before.len() as u32;
                        let (_, exchanges) = after(7, &all(mine));
                        let mut calls = all(theirs);
                        calls.extend(next);
                        let (last, _) = after(7, &calls);
                        assert_eq!(Exchanged::of(last.word()), last);
                        let differs = last.is_of_another(visit, exchanges, mine);
                        // Of how many words it was, the next exchange does not say.
                        let is_known = mine.min(1) != theirs.min(1) || next.is_none_or(|next| next == 0);
                        assert_eq!(
                            differs,
                            mine != theirs && is_known,
                            "{before:?} {mine} {theirs} {next:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_that_have_wrapped_around_tell_nothing() {
        for visit in [1 << 28, 1 << 31, 3 << 30, u32::MAX] {
            assert!(!Exchanged::of(0).is_of_another(visit, 0, 0));
            let long_ago = Exchanged { visit: 5, exchange: 9, words: 1 };
            assert!(!long_ago.is_of_another(visit, 9, 0) && !long_ago.is_of_another(5, 9, 0));
        }
    }
}
