//! What a PE adds up in shared memory while it is [recorded](super::journal), so that the supervisor
//! can read it at the end, whatever ended the PE.

use std::sync::atomic::{AtomicU64, Ordering};

use super::journal::Entry;

/// How many things a PE can be doing.
pub(crate) const ACTIVITIES: usize = 7;

/// The sums of one PE. Zeros are its first state.
#[repr(C, align(128))]
pub(crate) struct Ledger {
    /// When the PE joined the job and left it, in nanoseconds; 0 before that.
    begun: AtomicU64,
    ended: AtomicU64,
    /// What its first thread does, and since when.
    doing: AtomicU64,
    since: AtomicU64,
    /// How long that thread has done what.
    times: [AtomicU64; ACTIVITIES],
    /// How many operations, spans, and values of cells were not written down.
    left_out: [AtomicU64; 3],
    /// An entry that still grows. Its first word is 0 where there is none.
    growing: [AtomicU64; 8],
}

/// What went from one PE to another one.
#[repr(C)]
pub(crate) struct PairTraffic {
    operations: AtomicU64,
    bytes: AtomicU64,
}

/// The sums of a PE at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LedgerSums {
    pub(crate) begun: u64,
    pub(crate) ended: u64,
    pub(crate) times: [u64; ACTIVITIES],
    pub(crate) operations_left_out: u64,
    pub(crate) spans_left_out: u64,
    pub(crate) cells_left_out: u64,
}

impl Ledger {
    /// The PE has joined the job, and does `activity`.
    pub(crate) fn begin(&self, activity: usize, now: u64) {
        if self.begun.load(Ordering::Relaxed) == 0 {
            self.begun.store(now, Ordering::Relaxed);
            self.since.store(now, Ordering::Relaxed);
        }
        self.ended.store(0, Ordering::Relaxed);
        self.turn_to(activity, now);
    }

    /// The first thread does `activity` from now on. What it did before has taken the time since then.
    pub(crate) fn turn_to(&self, activity: usize, now: u64) {
        let since = self.since.load(Ordering::Relaxed);
        let before = self.doing.load(Ordering::Relaxed) as usize % ACTIVITIES;
        self.add(before, now.saturating_sub(since));
        self.doing.store(activity as u64, Ordering::Relaxed);
        self.since.store(now, Ordering::Relaxed);
    }

    fn add(&self, activity: usize, time: u64) {
        let times = &self.times[activity];
        times.store(times.load(Ordering::Relaxed) + time, Ordering::Relaxed);
    }

    /// The PE has left the job.
    pub(crate) fn end(&self, now: u64) {
        self.turn_to(self.doing.load(Ordering::Relaxed) as usize, now);
        self.ended.store(now, Ordering::Relaxed);
    }

    pub(crate) fn leave_out_operation(&self) {
        self.left_out[0].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn leave_out_span(&self) {
        self.left_out[1].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn leave_out_cell(&self) {
        self.left_out[2].fetch_add(1, Ordering::Relaxed);
    }

    /// Replaces the entry that grows.
    pub(crate) fn grow(&self, entry: &Entry) {
        self.growing.iter().zip(entry).for_each(|(slot, word)| slot.store(*word, Ordering::Relaxed));
    }

    /// The entry has become one of the journal.
    pub(crate) fn grown(&self) {
        self.growing[0].store(0, Ordering::Relaxed);
    }

    /// The entry that grew when the PE ended.
    pub(crate) fn unfinished(&self) -> Option<Entry> {
        let entry = self.growing.each_ref().map(|word| word.load(Ordering::Relaxed));
        (entry[0] != 0).then_some(entry)
    }

    /// The sums, at the time `now`; for a PE that did not leave the job, it is the time of its end.
    pub(crate) fn sums(&self, now: u64) -> LedgerSums {
        let load = |word: &AtomicU64| word.load(Ordering::Relaxed);
        let mut times = self.times.each_ref().map(load);
        let (begun, mut ended) = (load(&self.begun), load(&self.ended));
        if begun != 0 && ended == 0 {
            ended = now;
            times[load(&self.doing) as usize % ACTIVITIES] += now.saturating_sub(load(&self.since));
        }
        let [operations_left_out, spans_left_out, cells_left_out] = self.left_out.each_ref().map(load);
        LedgerSums { begun, ended, times, operations_left_out, spans_left_out, cells_left_out }
    }
}

impl PairTraffic {
    /// Adds operations and their bytes.
    pub(crate) fn add(&self, operations: u64, bytes: u64) {
        self.operations.fetch_add(operations, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Takes back what was added.
    pub(crate) fn take_back(&self, operations: u64, bytes: u64) {
        self.operations.fetch_sub(operations, Ordering::Relaxed);
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// How many operations, and how many bytes.
    pub(crate) fn read(&self) -> (u64, u64) {
        (self.operations.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> Box<Ledger> {
        // SAFETY: made of atomic integers, for which zeros are values.
        unsafe { Box::new(std::mem::zeroed()) }
    }

    #[test]
    fn all_time_is_somewhere() {
        let ledger = fresh();
        assert_eq!(ledger.sums(50), LedgerSums::default());
        ledger.begin(0, 100);
        ledger.turn_to(3, 110);
        ledger.turn_to(0, 150);
        let sums = ledger.sums(160);
        assert_eq!((sums.begun, sums.ended, sums.times), (100, 160, [20, 0, 0, 40, 0, 0, 0]));
        ledger.end(170);
        let sums = ledger.sums(1000);
        assert_eq!((sums.begun, sums.ended, sums.times), (100, 170, [30, 0, 0, 40, 0, 0, 0]));
    }

    #[test]
    fn an_entry_grows_until_it_is_written() {
        let ledger = fresh();
        assert_eq!(ledger.unfinished(), None);
        ledger.grow(&[7; 8]);
        assert_eq!(ledger.unfinished(), Some([7; 8]));
        ledger.grown();
        assert_eq!(ledger.unfinished(), None);
    }
}
