//! Kills processes of jobs at random moments, while they run the examples, and looks at what is
//! left: one report, and nothing else.
//!
//! `CRASHES` sets the number of PEs that are killed; a sixth of that is the number of supervisors.

#![cfg(target_os = "linux")]

#[path = "../common/mod.rs"]
#[allow(dead_code)] // for the tests of what examples print
mod common;

use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use rustix::process::{Pid, Signal, kill_process};

/// All examples that run without arguments.
const EXAMPLES: [&str; 13] = [
    "bale_histo",
    "bale_ig",
    "gups",
    "hello",
    "histogram",
    "isx",
    "pagerank",
    "prk_stencil",
    "prk_synch_p2p",
    "prk_transpose",
    "readme",
    "sort",
    "stream",
];
/// The numbers of PEs; large jobs are rarer, as they take longer.
const NPES: [usize; 12] = [2, 2, 2, 3, 3, 3, 4, 4, 7, 7, 16, 64];
/// How many PEs are killed, unless `CRASHES` says it.
const CRASHES: usize = 300;
/// A job that has not ended by then hangs. Fewer than ten are at work at once.
const LIMIT: Duration = Duration::from_secs(120);
/// The moment is in the first part of the run, or a little after its end.
const LATEST: Duration = Duration::from_millis(400);
/// In the environment of all processes of a job, and of no others.
const MARK: &str = "MARK_OF_A_CRASH";

/// How many to kill.
fn crashes() -> usize {
    std::env::var("CRASHES").map_or(CRASHES, |text| text.parse().expect("CRASHES is a number"))
}

/// A job that runs an example.
struct Running {
    child: Child,
    what: String,
    npes: usize,
    mark: String,
}

/// How a job has ended.
#[derive(Debug)]
struct Ended {
    status: ExitStatus,
    err: String,
}

impl Running {
    fn start(rng: &mut Rng) -> Running {
        static JOBS: AtomicUsize = AtomicUsize::new(0);
        let example = EXAMPLES[rng.usize(..EXAMPLES.len())];
        let npes = NPES[rng.usize(..NPES.len())];
        let mark = format!("{}-{}", std::process::id(), JOBS.fetch_add(1, Ordering::Relaxed));
        let mut command = Command::new(common::program(example));
        command.env("SHMEM_NPES", npes.to_string()).env("SHMEM_SYMMETRIC_SIZE", "64M");
        command.env(MARK, &mark).env("RUST_BACKTRACE", "0").env_remove("SHMEM_TRANSPORT");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().expect("the example can be started");
        Running { child, what: format!("{example} on {npes} PEs"), npes, mark }
    }

    /// The supervisor.
    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// The processes of the PEs that are not reaped yet, in the order in which they were started.
    fn pes(&self) -> Vec<Pid> {
        let pid = self.pid().as_raw_nonzero();
        // Not there when the supervisor has ended.
        let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        list.split_whitespace().filter_map(|word| Pid::from_raw(word.parse().ok()?)).collect()
    }

    /// Reads standard error to its end: until the last process that has it has ended.
    fn end(mut self) -> Ended {
        let mut stderr = self.child.stderr.take().expect("standard error is piped");
        let reader = thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).expect("examples print text");
            text
        });
        let started = Instant::now();
        while !reader.is_finished() {
            if started.elapsed() > LIMIT {
                let left = self.left();
                let _ = self.child.kill();
                panic!("{}: not over after {LIMIT:?}; processes {left:?} are left", self.what);
            }
            thread::sleep(Duration::from_millis(1));
        }
        let err = reader.join().expect("reading does not panic");
        let status = self.child.wait().expect("the child is ours");
        let left = self.left();
        assert!(left.is_empty(), "{}: processes {left:?} are left", self.what);
        Ended { status, err }
    }

    /// The processes of this job that still run.
    fn left(&self) -> Vec<u32> {
        let mark = format!("{MARK}={}", self.mark);
        let has_mark = |pid: u32| {
            let bytes = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            bytes.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
        };
        let processes = fs::read_dir("/proc").expect("there is a /proc");
        let numbers = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        numbers.filter(|&pid| has_mark(pid)).collect()
    }
}

impl Ended {
    fn reports(&self) -> Vec<&str> {
        self.err.lines().filter(|line| line.starts_with("shmem: ")).collect()
    }
}

/// Runs `crash` for `count` jobs, some at a time.
fn in_parallel(count: usize, crash: impl Fn(&mut Rng) + Sync) {
    common::program("hello"); // builds them all where they are not there
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= count {
                        break;
                    }
                    crash(&mut Rng::with_seed(seed as u64));
                }
            });
        }
    });
}

/// Lets the job run for a random time.
fn wait_a_moment(rng: &mut Rng) {
    thread::sleep(LATEST.mul_f64(rng.f64()));
}

/// The job is over, and the report names the PE.
#[test]
fn a_pe_is_killed() {
    let hits = AtomicUsize::new(0);
    in_parallel(crashes(), |rng| {
        let job = Running::start(rng);
        wait_a_moment(rng);
        let (pes, npes, what) = (job.pes(), job.npes, job.what.clone());
        // Before the first one is there, and after the last has ended, there is nobody to kill.
        let victim = (!pes.is_empty()).then(|| rng.usize(..pes.len()));
        let was_killed = victim.is_some_and(|pe| kill_process(pes[pe], Signal::KILL).is_ok());
        let ended = job.end();
        if ended.status.success() {
            // It had finished, or was not reaped yet.
            assert_eq!(ended.err, "", "{what}: {ended:?}");
            return;
        }
        assert!(was_killed, "{what}: {ended:?}");
        hits.fetch_add(1, Ordering::Relaxed);
        assert_eq!(ended.status.code(), Some(137), "{what}: {ended:?}");
        let reports = ended.reports();
        assert_eq!(reports.len(), 1, "{what}: {ended:?}");
        let told = format!(" of {npes} was killed by signal 9 (SIGKILL)");
        assert!(reports[0].contains(&told), "{what}: {ended:?}");
        if let Some(pe) = victim.filter(|_| pes.len() == npes) {
            assert!(reports[0].starts_with(&format!("shmem: PE {pe} of ")), "{what}: {ended:?}");
        }
    });
    let hits = hits.into_inner();
    assert!(hits > 0, "no PE was killed while it ran");
    println!("{hits} of {} were killed while they ran", crashes());
}

/// Every PE ends with it, and says nothing.
#[test]
fn a_supervisor_is_killed() {
    in_parallel(crashes() / 6, |rng| {
        let job = Running::start(rng);
        wait_a_moment(rng);
        let what = job.what.clone();
        // It may have ended.
        let _ = kill_process(job.pid(), Signal::KILL);
        let ended = job.end();
        assert!(ended.status.success() || ended.status.signal() == Some(9), "{what}: {ended:?}");
        assert_eq!(ended.err, "", "{what}");
    });
}
