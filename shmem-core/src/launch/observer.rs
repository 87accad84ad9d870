//! Tells others what the PEs of a job do: on SIGQUIT, at the socket, and when they do not go on.
//!
//! The [supervisor](super::supervisor) of a job on this machine has an observer, and so has the
//! process that starts a C library's launcher (`starter`).

use std::os::fd::BorrowedFd;
#[cfg(feature = "openshmem")]
use std::time::Duration;
use std::time::Instant;

#[cfg(feature = "openshmem")]
use super::control::Asker;
use super::control::{Control, Question};
use super::inspect::{Finding, Inspector, Processes};
use super::quit::Listening;
use super::supervisor::Failure;
use super::table::table;
use super::top::{self, Sample};
use super::view::PeView;
use super::why::why;
use crate::system::env::Env;
use crate::transport::node::waits;

/// The exit status of a job in which nobody has moved for too long: that of `timeout`.
const TIMED_OUT: u8 = 124;
/// The exit status of a job that was ended from outside: that of SIGTERM.
const ENDED: u8 = 143;

/// In place of a table.
const UNKNOWN: &str = "  what the PEs do is not known: they have not all joined the job\n";

/// What the job is, for those who ask.
pub(super) struct About {
    /// The name in messages.
    pub(super) name: String,
    pub(super) is_test: bool,
    pub(super) npes: usize,
    pub(super) transport: &'static str,
    /// The file of the program.
    pub(super) program: String,
    pub(super) started: Instant,
}

/// Watches the PEs of a job for those who ask.
pub(super) struct Observer {
    about: About,
    inspector: Inspector,
    control: Control,
    listening: Option<Listening>,
    /// See [`Observer::new`].
    proves: bool,
    /// Those who get the table when it is there.
    #[cfg(feature = "openshmem")]
    waiting: Vec<Asker>,
    /// Those who get the answer to `top` when it is there.
    #[cfg(feature = "openshmem")]
    glancing: Vec<Asker>,
}

impl About {
    /// The job, for the heading of a table.
    fn heading(&self) -> String {
        let About { name, npes, .. } = self;
        let what = if self.is_test { "test" } else { "job" };
        let pes = if *npes == 1 { "PE" } else { "PEs" };
        format!("{what} {name} ({npes} {pes}, {} s)", self.started.elapsed().as_secs())
    }
}

impl Observer {
    /// Begins to listen. `proves` says whether waits can be proved to be hopeless: where a transfer may
    /// arrive after its PE has begun to wait, they cannot.
    pub(super) fn new(about: About, env: &Env, proves: bool) -> Observer {
        // The harness of a test is not this library's.
        let listening = if about.is_test { None } else { Listening::new() };
        Observer {
            about,
            inspector: Inspector::new(env.timeout, proves),
            control: Control::open(),
            listening,
            proves,
            #[cfg(feature = "openshmem")]
            waiting: Vec::new(),
            #[cfg(feature = "openshmem")]
            glancing: Vec::new(),
        }
    }

    /// Whether SIGQUIT has come since the last call.
    fn is_asked(&self) -> bool {
        self.listening.is_some() && Listening::was_asked()
    }

    /// Prints the table, if SIGQUIT has come since the last call.
    pub(super) fn answer_the_signal<'p>(&self, processes: impl FnOnce() -> Option<Processes<'p>>) {
        if self.is_asked() {
            let processes = processes();
            let text = self.where_all_are(processes.as_ref());
            processes.as_ref().inspect(|processes| processes.wipe_line());
            eprint!("shmem: {text}");
        }
    }

    /// The descriptors to poll.
    pub(super) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.control.fds()
    }

    /// Answers those who have asked at the socket. Returns why the job is to be ended, if one of them
    /// wants that.
    pub(super) fn answer(&mut self, processes: Option<&Processes<'_>>) -> Option<Failure> {
        self.answer_what_is_known(processes, false)
    }

    /// As [`answer`](Observer::answer); `is_later` says that what the PEs do is still to come.
    fn answer_what_is_known(&mut self, processes: Option<&Processes<'_>>, is_later: bool) -> Option<Failure> {
        #[cfg(not(feature = "openshmem"))]
        let _ = is_later;
        let mut ended = None;
        for (question, asker) in self.control.hear() {
            match question {
                #[cfg(feature = "openshmem")]
                Question::Where if is_later => self.waiting.push(asker),
                Question::Where => asker.answer(&self.where_all_are(processes)),
                Question::Info => asker.answer(&self.info()),
                #[cfg(feature = "openshmem")]
                Question::Top if is_later => self.glancing.push(asker),
                Question::Top => {
                    asker.answer(&self.top(&processes.map(Processes::samples).unwrap_or_default()));
                }
                Question::End => {
                    asker.answer(&format!("{} is being ended\n", self.about.heading()));
                    let text = format!("{} was ended from outside", self.about.heading());
                    ended = Some(Failure { text, status: ENDED });
                }
            }
        }
        ended
    }

    /// Looks whether the PEs go on. To be called from time to time. Returns why the job is to be
    /// ended, where nobody has moved for too long, or some PEs never can.
    pub(super) fn inspect(&mut self, processes: &Processes<'_>) -> Option<Failure> {
        let finding = self.inspector.look(processes)?;
        let views = processes.views();
        let (reason, why, status) = match finding {
            Finding::Still(limit) => {
                let limit = limit.as_secs();
                (
                    format!("nobody has moved for {limit} s (SHMEM_TIMEOUT)"),
                    why(&views, self.proves),
                    TIMED_OUT,
                )
            }
            Finding::Stuck(stuck) => {
                if !stuck.holds(&views) || stuck.is_explained(processes.segment, views.len()) {
                    return None;
                }
                let (title, why) = stuck.verdict(&views);
                (title, Some(why), 1)
            }
        };
        let text = format!("{}: {reason}\n{}", self.about.heading(), explained(&views, why));
        Some(Failure { text: text.trim_end().to_owned(), status })
    }

    /// The table of what each PE does, and why they do not go on.
    pub(super) fn table_with_reason(&self, processes: &Processes<'_>) -> String {
        let views = processes.views();
        explained(&views, why(&views, self.proves))
    }

    /// The table with its heading and the reason.
    fn where_all_are(&self, processes: Option<&Processes<'_>>) -> String {
        let table =
            processes.map_or_else(|| UNKNOWN.to_owned(), |processes| self.table_with_reason(processes));
        format!("{}\n{table}", self.about.heading())
    }

    /// The answer to `top`.
    fn top(&self, samples: &[Sample]) -> String {
        top::line(&self.about.name, self.about.started.elapsed(), samples)
    }

    /// The answer to `info`.
    fn info(&self) -> String {
        let About { name, npes, transport, program, started, .. } = &self.about;
        format!(
            "name: {name}\npid: {}\npes: {npes}\nseconds: {}\ntransport: {transport}\nprogram: {program}\n",
            std::process::id(),
            started.elapsed().as_secs(),
        )
    }
}

/// Where what the PEs do is not there at once: they run on several hosts.
#[cfg(feature = "openshmem")]
impl Observer {
    /// As [`answer`](Observer::answer). Those who want the table get it [later](Observer::tell), and so do
    /// [those](Observer::tell_samples) who ask for `top`.
    pub(super) fn answer_later(&mut self) -> Option<Failure> {
        self.answer_what_is_known(None, true)
    }

    /// Whether somebody has begun to wait for the table since the last call: at the socket, or by
    /// SIGQUIT.
    pub(super) fn is_wanted(&mut self) -> bool {
        if self.is_asked() {
            self.waiting.push(Asker::at_the_terminal());
        }
        !self.waiting.is_empty()
    }

    /// Tells the table to those who wait for it.
    pub(super) fn tell(&mut self, table: &str) {
        let text = format!("{}\n{table}", self.about.heading());
        self.waiting.drain(..).for_each(|asker| asker.answer(&text));
    }

    /// Whether somebody waits for the answer to `top`.
    pub(super) fn is_glance_wanted(&self) -> bool {
        !self.glancing.is_empty()
    }

    /// Tells what the PEs do to those who have asked for `top`.
    pub(super) fn tell_samples(&mut self, samples: &[Sample]) {
        let line = self.top(samples);
        self.glancing.drain(..).for_each(|asker| asker.answer(&line));
    }

    /// Why the job is to be ended: no PE has moved for the time of `SHMEM_TIMEOUT`, and this is what
    /// they do.
    pub(super) fn still(&self, limit: Duration, table: &str) -> Failure {
        let text = format!(
            "{}: nobody has moved for {} s (SHMEM_TIMEOUT)\n{}",
            self.about.heading(),
            limit.as_secs(),
            table.trim_end()
        );
        Failure { text, status: TIMED_OUT }
    }
}

/// The table, and the reason.
fn explained(views: &[PeView], why: Option<String>) -> String {
    let why = why.map(|why| format!("  why: {why}\n")).unwrap_or_default();
    table(views, waits::now()) + &why
}
