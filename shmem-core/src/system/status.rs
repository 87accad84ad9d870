//! The state of a PE, and the reason of a failure, for its supervisor to read.
//!
//! The record lies in the job's shared memory, so that it survives the PE, whatever killed it.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use super::shared_text::SharedText;

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
    /// This library ended the process, because memory ran out, a phase was broken into, or what was
    /// printed cannot be written; the text says why.
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
    /// Whether the last line on the terminal is a passing one of this PE.
    shows_line: AtomicU32,
    text: SharedText<TEXT>,
}

/// Where this process publishes its state a second time; null where it does not.
static SECOND: AtomicPtr<PeStatus> = AtomicPtr::new(ptr::null_mut());

/// From now on, this process, whose record is `own`, publishes its state in `second` too: over a C
/// library, the process that has started the launcher does not see what the library shares.
#[cfg(feature = "openshmem")]
pub(crate) fn publish_twice(own: &PeStatus, second: &'static PeStatus) {
    second.state.store(own.state() as u32, Ordering::Release);
    SECOND.store(ptr::from_ref(second).cast_mut(), Ordering::Release);
}

fn publish(state: PeState) {
    // SAFETY: null, or a reference that is good for ever.
    if let Some(second) = unsafe { SECOND.load(Ordering::Acquire).as_ref() } {
        second.state.store(state as u32, Ordering::Release);
    }
}

impl PeStatus {
    /// Publishes `state`, and leaves the text unchanged.
    pub(crate) fn set(&self, state: PeState) {
        self.state.store(state as u32, Ordering::Release);
        publish(state);
    }

    /// Publishes `state`, unless the record has a failure already: then another thread of this PE
    /// is ending it.
    pub(crate) fn advance(&self, state: PeState) {
        let before = self.state();
        if !before.is_failure() {
            // A failure that another thread stores in between stays.
            let done =
                self.state.compare_exchange(before as u32, state as u32, Ordering::AcqRel, Ordering::Relaxed);
            if done.is_ok() {
                publish(state);
            }
        }
    }

    /// Replaces the text, cut at a character boundary to the record's capacity.
    pub(crate) fn set_text(&self, text: &str) {
        self.text.set(text);
    }

    /// Says whether the last line on the terminal is a passing one of this PE, which does not end: if
    /// it is killed, the supervisor wipes that.
    pub(crate) fn set_shows_line(&self, shows: bool) {
        self.shows_line.store(shows.into(), Ordering::Relaxed);
    }

    /// Whether the last line on the terminal is a passing one of this PE.
    pub(crate) fn shows_line(&self) -> bool {
        self.shows_line.load(Ordering::Relaxed) != 0
    }

    /// The state of the PE.
    pub(crate) fn state(&self) -> PeState {
        PeState::from_word(self.state.load(Ordering::Acquire))
    }

    /// The last text of the PE.
    pub(crate) fn text(&self) -> String {
        self.text.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> Box<PeStatus> {
        // SAFETY: made of atomic integers, for which zeros are values.
        unsafe { Box::new(std::mem::zeroed()) }
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
}
