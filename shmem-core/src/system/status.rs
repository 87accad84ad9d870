//! The state of a PE, and the reason of a failure, for its supervisor to read.
//!
//! The record lies in the job's shared memory, so that it survives the PE, whatever killed it.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// The capacity of a record's message in bytes.
pub(crate) const TEXT: usize = 2040 - 8;

/// The state of a PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum PeState {
    /// Spawned; has not joined the job yet.
    Starting = 0,
    /// In the user's function.
    Running = 1,
    /// The user's function returned success and every PE has been waited for.
    Finished = 2,
    /// Joining the job failed; the text says why.
    NoStart = 3,
    /// A panic reached the top; the text is its place and message.
    Panicked = 4,
    /// The user's function returned an error; the text is its `Debug` form, or nothing where it has
    /// none.
    Failed = 5,
    /// This library ended the process, because memory ran out or a phase was broken into; the text
    /// says why.
    Stopped = 6,
    /// The user's function returned success; the PE waits for the others.
    Leaving = 7,
    /// The user's program has ended the job from this PE; the text is the exit status.
    Exited = 8,
    /// This library ended the process because its wait can never end; the text says why.
    Stuck = 9,
    /// Waits for a debugger before it joins the job.
    Debugged = 10,
}

impl PeState {
    /// The state that `word` encodes.
    pub(crate) fn from_word(word: u32) -> PeState {
        match word {
            1 => PeState::Running,
            2 => PeState::Finished,
            3 => PeState::NoStart,
            4 => PeState::Panicked,
            5 => PeState::Failed,
            6 => PeState::Stopped,
            7 => PeState::Leaving,
            8 => PeState::Exited,
            9 => PeState::Stuck,
            10 => PeState::Debugged,
            _ => PeState::Starting,
        }
    }

    /// Whether the PE itself has recorded that it failed, or that the job is to end.
    pub(crate) fn is_failure(self) -> bool {
        matches!(
            self,
            PeState::NoStart
                | PeState::Panicked
                | PeState::Failed
                | PeState::Stopped
                | PeState::Stuck
                | PeState::Exited
        )
    }
}

/// One PE's record.
///
/// All zeros is a fresh record: `Starting`, with no text. Its writers allocate nothing and take no
/// lock, so a signal handler can use them.
#[repr(C, align(64))]
pub(crate) struct PeStatus {
    /// First in the record: over a C library the other PEs read it there.
    state: AtomicU32,
    len: AtomicU32,
    text: [AtomicU8; TEXT],
}

impl PeStatus {
    /// Publishes `state`, and leaves the text unchanged.
    pub(crate) fn set(&self, state: PeState) {
        self.state.store(state as u32, Ordering::Release);
    }

    /// Publishes `state`, unless the record has a failure already: then another thread of this PE
    /// is ending it.
    pub(crate) fn advance(&self, state: PeState) {
        let before = self.state();
        if !before.is_failure() {
            // A failure that another thread stores in between stays.
            let _ =
                self.state.compare_exchange(before as u32, state as u32, Ordering::AcqRel, Ordering::Relaxed);
        }
    }

    /// Replaces the text, cut at a character boundary to the record's capacity.
    pub(crate) fn set_text(&self, text: &str) {
        let mut end = text.len().min(TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.len.store(0, Ordering::Release);
        for (slot, byte) in self.text.iter().zip(text.as_bytes()[..end].iter()) {
            slot.store(*byte, Ordering::Relaxed);
        }
        self.len.store(u32::try_from(end).unwrap_or(0), Ordering::Release);
    }

    /// The state of the PE.
    pub(crate) fn state(&self) -> PeState {
        PeState::from_word(self.state.load(Ordering::Acquire))
    }

    /// The last text of the PE.
    pub(crate) fn text(&self) -> String {
        let len = (self.len.load(Ordering::Acquire) as usize).min(TEXT);
        let bytes: Vec<u8> = self.text[..len].iter().map(|b| b.load(Ordering::Relaxed)).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> PeStatus {
        PeStatus {
            state: AtomicU32::new(0),
            len: AtomicU32::new(0),
            text: [const { AtomicU8::new(0) }; TEXT],
        }
    }

    #[test]
    fn zeros_are_a_fresh_record() {
        let status = fresh();
        assert_eq!(status.state(), PeState::Starting);
        assert_eq!(status.text(), "");
    }

    #[test]
    fn every_state_comes_back() {
        use PeState::{
            Debugged, Exited, Failed, Finished, Leaving, NoStart, Panicked, Running, Starting, Stopped, Stuck,
        };
        let status = fresh();
        let all = [
            Starting, Running, Finished, NoStart, Panicked, Failed, Stopped, Leaving, Exited, Stuck, Debugged,
        ];
        for state in all {
            status.set(state);
            assert_eq!(status.state(), state);
        }
    }

    #[test]
    fn a_failure_is_not_advanced_from() {
        let status = fresh();
        status.advance(PeState::Running);
        status.advance(PeState::Leaving);
        assert_eq!(status.state(), PeState::Leaving);
        status.set(PeState::Panicked);
        status.advance(PeState::Finished);
        assert_eq!(status.state(), PeState::Panicked);
    }

    #[test]
    fn a_text_replaces_the_one_before_and_is_cut_between_characters() {
        let status = fresh();
        status.set_text("the first");
        status.set_text("two");
        assert_eq!(status.text(), "two");
        let long = "é".repeat(TEXT);
        status.set_text(&format!("x{long}"));
        assert_eq!(status.text().len(), TEXT - 1);
        assert!(status.text().starts_with("xé") && status.text().ends_with('é'));
    }
}
