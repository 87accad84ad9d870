//! Kills and stops processes of jobs at random moments, while they run the examples, and looks at
//! what is left: one report, and nothing else.
//!
//! `CRASHES` sets the number of PEs that are killed; a sixth of that is the number of supervisors, and
//! of PEs that are stopped. With `--nocapture` each test prints how long it took from the signal to
//! the end of the last process of a job.

#![cfg(target_os = "linux")]

#[path = "../common/mod.rs"]
#[allow(dead_code)] // for the tests of what examples print
mod common;

use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use rustix::process::{Pid, Signal, kill_process};

/// All examples that run without arguments.
const EXAMPLES: [&str; 16] = [
    "bale_histo",
    "bale_ig",
    "gups",
    "hello",
    "histogram",
    "isx",
    "kmeans",
    "pagerank",
    "prk_stencil",
    "prk_synch_p2p",
    "prk_transpose",
    "readme",
    "sort",
    "stream",
    "triangles",
    "words",
];
/// The numbers of PEs; large jobs are rarer, as they take longer.
const NPES: [usize; 12] = [2, 2, 2, 3, 3, 3, 4, 4, 7, 7, 16, 64];
/// The limit of a job with a stopped PE, as `SHMEM_TIMEOUT`.
const TIMEOUT: &str = "2s";
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
    /// How long after the signal that should end it.
    took: Duration,
}

/// How long jobs took to end.
#[derive(Default)]
struct Times(Mutex<Vec<Duration>>);

impl Times {
    fn note(&self, ended: &Ended) {
        self.0.lock().expect("no job was wrong so far").push(ended.took);
    }

    /// Prints them. No test depends on them.
    fn print(self, what: &str, jobs: usize) {
        let mut times = self.0.into_inner().expect("no job was wrong");
        times.sort_unstable();
        if times.is_empty() {
            // Few moments may all be wrong.
            assert!(crashes() < CRASHES, "{what}: no job was hit while it ran");
            return;
        }
        let share = |part: f64| times[((times.len() - 1) as f64 * part).round() as usize];
        println!(
            "{what}: {} of {jobs} jobs were hit while they ran; from the signal to the end of the last process: median {:.0?}, \
             99th percentile {:.0?}, longest {:.0?}",
            times.len(),
            share(0.5),
            share(0.99),
            share(1.0)
        );
    }
}

impl Running {
    fn start(rng: &mut Rng) -> Running {
        Running::start_with(rng, &[])
    }

    fn start_with(rng: &mut Rng, variables: &[(&str, &str)]) -> Running {
        static JOBS: AtomicUsize = AtomicUsize::new(0);
        let example = EXAMPLES[rng.usize(..EXAMPLES.len())];
        let npes = NPES[rng.usize(..NPES.len())];
        let mark = format!("{}-{}", std::process::id(), JOBS.fetch_add(1, Ordering::Relaxed));
        let mut command = Command::new(common::program(example));
        command.env("SHMEM_NPES", npes.to_string()).env("SHMEM_SYMMETRIC_SIZE", "64M");
        command.env(MARK, &mark).env("RUST_BACKTRACE", "0").env_remove("SHMEM_TRANSPORT");
        command.envs(variables.iter().copied());
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

    /// Reads standard error to its end: until the last process that has it has ended. The job was
    /// to end from now on.
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
        let took = started.elapsed();
        let err = reader.join().expect("reading does not panic");
        let status = self.child.wait().expect("the child is ours");
        let left = self.left();
        assert!(left.is_empty(), "{}: processes {left:?} are left", self.what);
        Ended { status, err, took }
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

    /// That one report says that `pe`, where it is known, was killed.
    #[track_caller]
    fn assert_killed(&self, pe: Option<usize>, npes: usize, what: &str) {
        assert_eq!(self.status.code(), Some(137), "{what}: {self:?}");
        let reports = self.reports();
        assert_eq!(reports.len(), 1, "{what}: {self:?}");
        let told = format!(" of {npes} was killed by signal 9 (SIGKILL)");
        assert!(reports[0].contains(&told), "{what}: {self:?}");
        if let Some(pe) = pe {
            assert!(reports[0].starts_with(&format!("shmem: PE {pe} of ")), "{what}: {self:?}");
        }
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
    let times = Times::default();
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
        times.note(&ended);
        ended.assert_killed(victim.filter(|_| pes.len() == npes), npes, &what);
    });
    times.print("a PE is killed", crashes());
}

/// Every PE ends with it, and says nothing.
#[test]
fn a_supervisor_is_killed() {
    let times = Times::default();
    in_parallel(crashes() / 6, |rng| {
        let job = Running::start(rng);
        wait_a_moment(rng);
        let what = job.what.clone();
        // It may have ended.
        let _ = kill_process(job.pid(), Signal::KILL);
        let ended = job.end();
        assert!(ended.status.success() || ended.status.signal() == Some(9), "{what}: {ended:?}");
        assert_eq!(ended.err, "", "{what}");
        if !ended.status.success() {
            times.note(&ended);
        }
    });
    times.print("a supervisor is killed", crashes() / 6);
}

/// Whether a process has begun to execute the program: a process that is stopped before keeps the one
/// that starts it waiting.
fn is_a_pe(process: Pid) -> bool {
    let shown = fs::read(format!("/proc/{}/cmdline", process.as_raw_nonzero())).unwrap_or_default();
    String::from_utf8_lossy(&shown).contains("[PE ")
}

/// Stops a process. Returns false if it had ended.
fn stop(process: Pid) -> bool {
    if kill_process(process, Signal::STOP).is_err() {
        return false;
    }
    loop {
        let path = format!("/proc/{}/stat", process.as_raw_nonzero());
        let shown = fs::read_to_string(path).unwrap_or_default();
        match shown.rsplit(") ").next().and_then(|rest| rest.chars().next()) {
            Some('T') => return true,
            None | Some('Z' | 'X') => return false,
            _ => thread::yield_now(),
        }
    }
}

/// What ends the job of a PE that is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// `SHMEM_TIMEOUT`.
    Limit,
    /// The end of the supervisor.
    Supervisor,
    /// The end of another PE.
    AnotherPe,
}

/// A limit takes seconds to pass, so it is rarer.
const ENDS: [End; 4] = [End::Limit, End::Supervisor, End::AnotherPe, End::AnotherPe];

/// A PE that is stopped is reported as such when the time limit ends the job. It does not outlive the
/// job, whatever ends that.
#[test]
fn a_pe_is_stopped() {
    let [limit, supervisor, other] = [Times::default(), Times::default(), Times::default()];
    let jobs = crashes() / 6;
    in_parallel(jobs, |rng| {
        let job = Running::start_with(rng, &[("SHMEM_TIMEOUT", TIMEOUT)]);
        wait_a_moment(rng);
        let (pes, npes, what) = (job.pes(), job.npes, job.what.clone());
        let victim = (!pes.is_empty()).then(|| rng.usize(..pes.len()));
        let is_stopped = victim.is_some_and(|pe| is_a_pe(pes[pe]) && stop(pes[pe]));
        let next = victim.map(|pe| (pe + 1) % pes.len()).filter(|next| victim != Some(*next));
        // The numbers of the PEs, if all of them are there.
        let [victim, other_pe] = [victim, next].map(|pe| pe.filter(|_| pes.len() == npes));
        let end = ENDS[rng.usize(..ENDS.len())];
        let killed = match end {
            End::Limit => None,
            End::Supervisor => Some(job.pid()),
            End::AnotherPe => next.map(|pe| pes[pe]),
        };
        // It may have ended.
        let _ = killed.map(|process| kill_process(process, Signal::KILL));
        let ended = job.end();
        match (ended.status.code(), ended.status.signal()) {
            (Some(0), _) => {
                assert!(!is_stopped, "{what}: {ended:?}");
                assert_eq!(ended.err, "", "{what}");
            }
            (_, Some(9)) => {
                assert!(end == End::Supervisor && ended.err.is_empty(), "{what}: {ended:?}");
                supervisor.note(&ended);
            }
            (Some(137), _) => {
                assert!(end == End::AnotherPe, "{what}: {ended:?}");
                ended.assert_killed(other_pe, npes, &what);
                other.note(&ended);
            }
            (Some(124), _) => {
                assert!(ended.reports().len() == 1, "{what}: {ended:?}");
                assert!(ended.reports()[0].ends_with(" s (SHMEM_TIMEOUT)"), "{what}: {ended:?}");
                if !is_stopped {
                    // So many PEs compute for so long on a busy machine.
                    return;
                }
                let why = ended.err.lines().last().filter(|line| line.starts_with("  why: "));
                let pe = victim.map_or(String::new(), |pe| format!("PE {pe}"));
                let told = format!("{pe} has not moved, is stopped (SIGSTOP)");
                assert!(why.is_some_and(|why| why.contains(&told)), "{what}: {ended:?}");
                limit.note(&ended);
            }
            _ => panic!("{what}: {ended:?}"),
        }
    });
    limit.print(&format!("a PE is stopped (SHMEM_TIMEOUT={TIMEOUT})"), jobs);
    supervisor.print("a PE is stopped, and the supervisor killed", jobs);
    other.print("a PE is stopped, and another one killed", jobs);
}
