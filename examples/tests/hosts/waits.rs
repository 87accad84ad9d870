//! A program that stands still on two hosts, and what is said of it.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use shmem::prelude::*;

use super::cluster;

/// Started with this argument, the binary is this program. The next argument is a file.
pub(crate) const PROGRAM: &str = "--stands-still";
/// No job here takes as long, however busy the machine is.
const LIMIT: Duration = Duration::from_secs(120);

#[symmetric]
static GO: [Atomic<i64>; 4] = [Atomic::new(-6); 4];

/// PE 0 waits for a cell that PE 3, on the other host, writes when there is the file. The others wait
/// for both.
#[shmem::main]
pub(crate) fn stands_still(world: &World) {
    println!("begins");
    if world.my_pe() == 0 {
        wait!(GO[3] >= 7); // in PE 0
    } else if world.my_pe() == 3 {
        let file = std::env::args().nth(2).expect("the name of a file");
        while !Path::new(&file).exists() {
            thread::sleep(Duration::from_millis(20)); // in PE 3
        }
        remote!(GO[0, 3]) += 13;
    }
    world.barrier_all(); // of all
    println!("ends");
}

/// The line of this file that has this text, once.
fn line(text: &str) -> String {
    let lines = include_str!("waits.rs").lines().zip(1..);
    let found: Vec<_> = lines.filter(|(line, _)| line.contains(text) && !line.contains("line(")).collect();
    assert_eq!(found.len(), 1, "{text:?} is there once");
    format!("waits.rs:{}", found[0].1)
}

/// Whether each host says what its PEs do.
fn is_complete(text: &str) -> bool {
    let Some((_, parts)) = text.rsplit_once("\nhost near\n") else { return false };
    let Some((near, far)) = parts.split_once("\nhost far\n") else { return false };
    let has = |part: &str, pe: &str, what: &str, place: &str| {
        part.lines().any(|line| line.starts_with(pe) && line.contains(what) && line.contains(place))
    };
    has(near, "  PE 0 ", "  waits for GO[3] >= 7 (is -6) since ", &line("// in PE 0"))
        && has(near, "  PE 1 ", "  in barrier_all since ", &line("// of all"))
        && has(far, "  PE 2 ", "  in barrier_all since ", &line("// of all"))
        // It may be about to look again.
        && ["  sleeps, or waits outside of this library", "  computes"]
            .iter()
            .any(|what| has(far, "  PE 3 ", what, &line("// in PE 3")))
}

/// A job whose streams are read.
pub(super) struct Job {
    child: Child,
    out: Arc<Mutex<String>>,
    err: Arc<Mutex<String>>,
    started: Instant,
}

impl Job {
    pub(super) fn start(command: &mut Command) -> Job {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a command can be started");
        let out = collect(child.stdout.take().expect("it is piped"));
        let err = collect(child.stderr.take().expect("it is piped"));
        Job { child, out, err, started: Instant::now() }
    }

    /// Waits until there is something.
    #[track_caller]
    pub(super) fn until<T>(&mut self, mut look: impl FnMut(&mut Job) -> Option<T>) -> T {
        loop {
            if let Some(found) = look(self) {
                return found;
            }
            assert!(self.started.elapsed() < LIMIT, "{}\n{}", self.out(), self.err());
            thread::sleep(Duration::from_millis(20));
        }
    }

    pub(super) fn out(&self) -> String {
        self.out.lock().expect("nobody panics with it").clone()
    }

    pub(super) fn err(&self) -> String {
        self.err.lock().expect("nobody panics with it").clone()
    }

    /// Its exit status.
    #[track_caller]
    pub(super) fn status(&mut self) -> Option<i32> {
        self.until(|job| job.child.try_wait().expect("the child is ours")).code()
    }

    /// The same, when nothing of it is left that could print.
    #[track_caller]
    pub(super) fn end(&mut self) -> Option<i32> {
        let status = self.status();
        // The streams end with the last process.
        let streams = [self.out.clone(), self.err.clone()];
        self.until(|_| streams.iter().all(|stream| Arc::strong_count(stream) == 2).then_some(()));
        status
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn collect(stream: impl Read + Send + 'static) -> Arc<Mutex<String>> {
    let text = Arc::<Mutex<String>>::default();
    let theirs = text.clone();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            *theirs.lock().expect("nobody panics with it") += &format!("{line}\n");
        }
    });
    text
}

pub(crate) fn a_limit_ends_a_job_on_two_hosts() {
    let cluster = cluster();
    let mut command = cluster.starting(&[2, 2], std::env::current_exe().expect("the test has a path"));
    command.args([PROGRAM, "/nonexistent"]).env("SHMEM_TIMEOUT", "2s");
    let mut job = Job::start(&mut command);
    let status = job.end();
    let err = job.err();
    assert_eq!(status, Some(124), "{err}");
    let reports = err.lines().filter(|line| line.starts_with("shmem: ")).count();
    assert!(reports == 1 && err.contains(" (4 PEs, "), "{err}");
    assert!(err.contains(": nobody has moved for 2 s (SHMEM_TIMEOUT)\nhost near\n"), "{err}");
    assert!(is_complete(&err), "{err}");
}

/// Then the job goes on.
pub(crate) fn a_quit_signal_shows_the_parts_of_both_hosts() {
    let cluster = cluster();
    let folder = std::env::temp_dir();
    let file = folder.join(format!("stands-still-{}", std::process::id()));
    let mut command = cluster.starting(&[2, 2], std::env::current_exe().expect("the test has a path"));
    // Races are looked for on one host.
    command.arg(PROGRAM).arg(&file).env("SHMEM_RACES", "1");
    let mut job = Job::start(&mut command);
    job.until(|job| (job.out().matches("begins").count() == 4).then_some(()));
    let number = job.out().lines().next().map(str::to_owned).expect("it tells its number first");
    job.until(|job| {
        let mut kill = cluster.near().command("sh");
        assert!(kill.args(["-c", &format!("kill -QUIT {number}")]).status().expect("a shell").success());
        is_complete(&job.err()).then_some(())
    });
    fs::write(&file, "").expect("the folder of temporary files is writable");
    let status = job.end();
    fs::remove_file(&file).expect("it was just made");
    let err = job.err();
    assert_eq!((status, job.out().matches("ends").count()), (Some(0), 4), "{err}");
    let unused = "shmem: SHMEM_RACES=1 is not used: over a C library, races are looked for where all PEs run on the host on \
                  which the program was started, and PE 2 does not\n";
    assert_eq!(err.matches("SHMEM_RACES").count(), 1, "{err}");
    assert!(err.contains(unused), "{err}");
}
