//! The thread that watches the PEs of one host, in the lowest of them, where the PEs of a C library run
//! on several hosts. What it tells, and to whom, is in [`host_news`](super::host_news).
//!
//! The thread calls nothing of the library, and touches no symmetric memory but the records of the PEs.

#[cfg(target_os = "linux")]
use std::ffi::c_int;
use std::io::{self, Read as _};
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::sync::atomic::AtomicI32;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::host_news::{HostNews, HostQuestion, News};
use super::host_rows::HostRow;
use super::inspect::{Finding, Inspector, PeRecords, Processes};
use super::view::PeView;
#[cfg(target_os = "linux")]
use crate::system::handlers;
use crate::system::status::PeStatus;
use crate::system::trace::TraceRecord;
use crate::transport::node::deadlock::Presence;
use crate::transport::node::traffic::Traffic;
use crate::transport::node::waits;
use crate::transport::openshmem::HostRecords;

/// How often the thread looks whether the PEs move.
const TICK: Duration = Duration::from_millis(100);
/// How long a line may lie in the pipe before the next one follows.
const TO_READ: Duration = Duration::from_millis(200);

/// Where the handler of the signal writes; -1 before.
#[cfg(target_os = "linux")]
static ASKED: AtomicI32 = AtomicI32::new(-1);
/// Whether the job is over for this process. Held while the records are read.
static OVER: Mutex<bool> = Mutex::new(false);

impl PeRecords for HostRecords {
    fn status(&self, pe: usize) -> &PeStatus {
        &self.record(pe).status
    }

    fn presence(&self, pe: usize) -> &Presence {
        &self.record(pe).presence
    }

    fn trace(&self, pe: usize) -> &TraceRecord {
        &self.record(pe).trace
    }

    fn traffic(&self, pe: usize) -> &Traffic {
        &self.record(pe).traffic
    }
}

/// Starts the thread, and returns its number; `None` where there can be none, and nobody watches this
/// host. `timeout` is how long no PE may move.
pub(super) fn begin(records: HostRecords, timeout: Option<Duration>) -> Option<u64> {
    let (ours, theirs) = UnixStream::pair().ok()?;
    ours.set_nonblocking(true).ok()?;
    theirs.set_nonblocking(true).ok()?;
    #[cfg(target_os = "linux")]
    {
        let is_free = |now: libc::sigaction| [libc::SIG_DFL, libc::SIG_IGN].contains(&now.sa_sigaction);
        ASKED.store(theirs.as_raw_fd(), Ordering::Release);
        for signal in HostQuestion::ALL.map(|question| question.signal().as_raw()) {
            if handlers::current(signal).is_some_and(is_free) {
                // SAFETY: see the handler's comment.
                unsafe { handlers::install(signal, take, libc::SA_RESTART) };
                // It would wake a PE that sleeps, and end a system call early.
                block(signal, true);
            }
        }
    }
    let (number, numbers) = std::sync::mpsc::channel();
    let watch = HostWatch {
        host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        pes: records.pes(),
        npes: records.n_pes(),
        records,
        inspector: timeout.map(|timeout| Inspector::new(Some(timeout), false)),
        is_still: false,
        questions: ours,
        _asker: theirs,
    };
    let thread = thread::Builder::new().name("watch".to_owned()).spawn(move || {
        #[cfg(target_os = "linux")]
        HostQuestion::ALL.iter().for_each(|question| block(question.signal().as_raw(), false));
        let _ = number.send(rustix::thread::gettid().as_raw_nonzero().get() as u64);
        watch.run();
    });
    thread.ok()?;
    numbers.recv().ok()
}

/// Has the calling thread, and those that it starts, not take the signal, or take it.
#[cfg(target_os = "linux")]
fn block(signal: c_int, blocks: bool) {
    let how = if blocks { libc::SIG_BLOCK } else { libc::SIG_UNBLOCK };
    // SAFETY: a set of signals is plain data, which the first call fills in; the last one changes the
    // calling thread alone.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, signal);
        libc::pthread_sigmask(how, &raw const set, std::ptr::null_mut());
    }
}

/// The job ends for this process: the records are not read from now on.
pub(super) fn stop() {
    *over() = true;
}

fn over() -> MutexGuard<'static, bool> {
    OVER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Async-signal-safe: it reads an atomic, makes one system call, and preserves `errno`.
#[cfg(target_os = "linux")]
extern "C" fn take(signal: c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // The number of a signal is less than 65.
    let byte = signal as u8;
    // SAFETY: the calling thread has a place for its `errno`. The descriptor is never closed, and the
    // byte is a variable of this function. If the stream is full, the thread has been asked already.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        libc::write(ASKED.load(Ordering::Acquire), (&raw const byte).cast(), 1);
        *errno = before;
    }
}

/// The thread.
struct HostWatch {
    host: String,
    /// The PEs of this host.
    pes: Vec<usize>,
    /// The PEs of the job.
    npes: usize,
    records: HostRecords,
    /// Looks whether they move, where somebody wants to know.
    inspector: Option<Inspector>,
    /// Whether it was told that they do not.
    is_still: bool,
    questions: UnixStream,
    _asker: UnixStream,
}

impl HostWatch {
    fn run(mut self) {
        self.tell(HostNews::There);
        loop {
            let asked = self.wait_for_questions();
            let news = {
                let is_over = over();
                if *is_over {
                    return;
                }
                self.look(&asked)
            };
            // Nobody may read for a while.
            news.into_iter().for_each(|told| self.tell(told));
        }
    }

    /// Waits until it is asked, or a tick. Returns what it was asked.
    fn wait_for_questions(&mut self) -> Vec<HostQuestion> {
        let tick = self.inspector.as_ref().and_then(|_| Timespec::try_from(TICK).ok());
        let mut fds = [PollFd::new(&self.questions, PollFlags::IN)];
        // Interrupted, or out of kernel memory: it is called again.
        let _ = poll(&mut fds, tick.as_ref());
        let (mut asked, mut bytes) = (Vec::new(), [0; 64]);
        while let Ok(read @ 1..) = self.questions.read(&mut bytes) {
            asked.extend_from_slice(&bytes[..read]);
        }
        // What was asked twice is answered once.
        let is_asked = |question: &HostQuestion| asked.contains(&(question.signal().as_raw() as u8));
        HostQuestion::ALL.into_iter().filter(is_asked).collect()
    }

    fn look(&mut self, asked: &[HostQuestion]) -> Vec<HostNews> {
        let mut inspector = self.inspector.take();
        let processes = self.processes();
        let mut news = Vec::new();
        for &question in asked {
            news.extend(self.rows(question, &processes).map(|row| HostNews::Row(question, row)));
            news.push(HostNews::Told(question));
        }
        if let Some(inspector) = &mut inspector {
            let is_still = matches!(inspector.look(&processes), Some(Finding::Still(_)));
            if is_still != self.is_still {
                self.is_still = is_still;
                news.push(if is_still { HostNews::Still } else { HostNews::Moves });
            }
        }
        self.inspector = inspector;
        news
    }

    /// What is known of each PE of this host, as text.
    fn rows(&self, question: HostQuestion, processes: &Processes<'_>) -> impl Iterator<Item = String> {
        let (views, cells) = match question {
            HostQuestion::Table => processes.told_views(),
            HostQuestion::Glance => (processes.glances(), Vec::new()),
        };
        let now = waits::now();
        let row = |(pe, view): (usize, PeView)| HostRow {
            pe,
            view,
            visits: processes.segment.presence(pe).visits.load(Ordering::Acquire),
            processor: processes.processor(pe),
            moved: processes.segment.traffic(pe).read(),
            asked: cells.clone(),
        };
        let ours = views.into_iter().enumerate().filter(|(pe, _)| self.pes.contains(pe));
        let rows: Vec<String> = ours.map(|ours| row(ours).encode(now)).collect();
        rows.into_iter()
    }

    fn processes(&self) -> Processes<'_> {
        let is_there = |process: &u32| Path::new(&format!("/proc/{process}")).exists();
        let process = |pe| self.records.record(pe).trace.process().filter(is_there);
        let pes = (0..self.npes).map(process).collect();
        Processes { segment: &self.records, pes }
    }

    fn tell(&self, told: HostNews) {
        let line = News { host: self.host.clone(), pes: self.pes.clone(), told }.encode();
        // A launcher passes on what it finds in the pipe, in pieces of some kilobytes. Between two of one PE
        // there may be one of another, and that should be no middle of a line.
        let begun = Instant::now();
        while !is_read() && begun.elapsed() < TO_READ {
            thread::sleep(Duration::from_micros(200));
        }
        let mut rest = line.as_bytes();
        // Not by the standard library, whose lock a thread of the program may hold.
        while !rest.is_empty() {
            match rustix::io::write(io::stderr(), rest) {
                Ok(written) => rest = &rest[written..],
                Err(rustix::io::Errno::INTR) => {}
                // Nobody reads.
                Err(_) => return,
            }
        }
    }
}

/// Whether the reader of standard error has read all. Where the system does not say, it has.
fn is_read() -> bool {
    rustix::io::ioctl_fionread(io::stderr()).unwrap_or(0) == 0
}
