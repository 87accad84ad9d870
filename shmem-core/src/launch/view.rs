//! What is known of one PE at one time.

use super::history::History;
use super::report::signal_name;
use crate::system::status::PeState;
#[cfg(feature = "openshmem")]
use crate::system::told::Counted;
use crate::system::told::Told;
use crate::transport::node::waits::WaitEntry;

/// What the system says of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activity {
    /// It uses a processor, or is about to.
    Runs,
    /// It waits for something that this library does not know.
    Sleeps,
    /// A signal has stopped it: this one, where it is known.
    Stopped(Option<i32>),
    /// A debugger has stopped it.
    Traced,
    /// It has ended.
    Ended,
}

/// What is known of one PE.
#[derive(Clone, Debug)]
pub(super) struct PeView {
    pub(super) state: PeState,
    /// The last wait that was written down.
    pub(super) wait: Option<WaitEntry>,
    pub(super) activity: Activity,
    /// What it tells of itself, if it was asked.
    pub(super) told: Told,
    /// Who has updated the cells that it waits for.
    pub(super) history: Option<History>,
}

impl PeView {
    pub(super) fn new(state: PeState, activity: Activity, wait: Option<WaitEntry>) -> PeView {
        PeView { state, wait, activity, told: Told::default(), history: None }
    }

    /// Changes each time in it.
    #[cfg(feature = "openshmem")]
    pub(super) fn change_times(&mut self, change: impl Fn(u64) -> u64) {
        let wait = self.wait.iter_mut();
        let of_wait = wait.flat_map(|wait| [&mut wait.since, &mut wait.ended, &mut wait.seen_since]);
        let counted = self.told.counted.iter_mut();
        let of_told = counted.flat_map(|Counted { last_write, updates }| {
            let updates = updates.iter_mut().flatten().map(|updates| &mut updates.last);
            last_write.iter_mut().map(|last| &mut last.at).chain(updates)
        });
        of_wait.chain(of_told).for_each(|time| *time = change(*time));
    }

    /// The wait that the PE is in.
    pub(super) fn waits(&self) -> Option<&WaitEntry> {
        self.wait.as_ref().filter(|wait| wait.is_live && !self.has_ended())
    }

    /// How it was stopped, to be read after the name of the PE.
    pub(super) fn stopped(&self) -> Option<String> {
        match self.activity {
            Activity::Stopped(signal) => Some(format!("is stopped{}", signal.map_or("", signal_name))),
            Activity::Traced => Some("is stopped by a debugger".to_owned()),
            _ => None,
        }
    }

    /// What it does, in one word.
    pub(super) fn does(&self) -> Does {
        match (self.state, self.activity) {
            (PeState::Running, Activity::Stopped(_) | Activity::Traced) => Does::Stopped,
            (PeState::Running, Activity::Runs | Activity::Sleeps) if self.waits().is_some() => Does::Waits,
            (PeState::Running, Activity::Runs) => Does::Computes,
            (PeState::Running, Activity::Sleeps) => Does::Sleeps,
            _ => Does::Other,
        }
    }

    /// The PEs that it waits for, as far as they are known.
    pub(super) fn awaited(&self) -> Vec<usize> {
        match self.waits() {
            Some(wait) if wait.kind.is_meeting() && wait.other.is_none() => wait.listed.clone(),
            Some(wait) => wait.other.into_iter().collect(),
            None => Vec::new(),
        }
    }

    fn has_ended(&self) -> bool {
        self.activity == Activity::Ended && !self.state.is_failure()
    }

    /// Whether it can tell what it has done.
    pub(super) fn can_answer(&self) -> bool {
        matches!(self.state, PeState::Running | PeState::Leaving)
            && matches!(self.activity, Activity::Runs | Activity::Sleeps)
    }

    /// Whether a backtrace would say more.
    pub(super) fn computes(&self) -> bool {
        self.state == PeState::Running
            && self.waits().is_none()
            && matches!(self.activity, Activity::Runs | Activity::Sleeps)
    }
}

/// What a PE does, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    Computes,
    Waits,
    /// Outside of this library, or it waits there.
    Sleeps,
    Stopped,
    /// It has not begun, or has come to its end.
    Other,
}

impl Does {
    pub(super) fn word(self) -> &'static str {
        match self {
            Does::Computes => "computes",
            Does::Waits => "waits",
            Does::Sleeps => "sleeps",
            Does::Stopped => "stopped",
            Does::Other => "other",
        }
    }
}
