//! Starts the programs that are measured side by side with ours, each as a job of two PEs, and asks for work.
//!
//! That a work does what it says is looked at by a peer itself, when it starts: it ends with an error where
//! it does not. The tests look at what it answers: see `benches/peers/README.md`. Peers whose library is not
//! installed are left out, and the tests say so.

use std::io::{BufRead as _, BufReader, ErrorKind, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{fs, process};

const N_PES: usize = 2;
/// No answer takes so long, on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// Not by `eprintln!`, which a test that passes does not show.
fn not_tested(why: &str) {
    let _ = writeln!(std::io::stderr(), "NOT TESTED: {why}");
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers")
}

/// A peer that waits for work.
struct Job {
    launcher: Child,
    socket: PathBuf,
    /// In their order.
    pes: Vec<Pe>,
}

struct Pe {
    pid: u32,
    answers: BufReader<UnixStream>,
}

impl Job {
    /// Starts the PEs of a program, and has them connect.
    fn start(program: &[&Path]) -> Job {
        let name = format!("peers-{}-{:?}.socket", process::id(), std::thread::current().id());
        let socket = std::env::temp_dir().join(name);
        let listener = UnixListener::bind(&socket).expect("a socket can be made");
        listener.set_nonblocking(true).unwrap();
        let launcher = Command::new("oshrun")
            .args(["-np", &N_PES.to_string()])
            .args(program)
            .env("BENCH_SOCKET", &socket)
            // So much is enough. The second is Open MPI's name for it.
            .envs([("SHMEM_SYMMETRIC_SIZE", "64M"), ("SHMEM_SYMMETRIC_HEAP_SIZE", "64M")])
            // Of Open MPI: as root in a container, with few cores, beside other tests.
            .envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")])
            .envs([
                ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
                ("OMPI_MCA_hwloc_base_binding_policy", "none"),
            ])
            .env("OMPI_MCA_mpi_yield_when_idle", "1")
            .spawn()
            .expect("oshrun can be started");
        let mut job = Job { launcher, socket, pes: Vec::new() };
        let mut came: Vec<(usize, Pe)> = (0..N_PES).map(|_| job.greeting(&listener)).collect();
        came.sort_by_key(|(number, _)| *number);
        assert!(came.iter().map(|(number, _)| *number).eq(0..N_PES), "each PE has its number");
        job.pes.extend(came.into_iter().map(|(_, pe)| pe));
        job
    }

    /// The next PE that connects, and its number.
    fn greeting(&mut self, listener: &UnixListener) -> (usize, Pe) {
        let start = Instant::now();
        let stream = loop {
            match listener.accept() {
                Ok((stream, _)) => break stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => sleep(Duration::from_millis(5)),
                Err(error) => panic!("nothing can connect: {error}"),
            }
            if let Some(status) = self.launcher.try_wait().unwrap() {
                panic!("the peer ended before it connected: {status}");
            }
            assert!(start.elapsed() < PATIENCE, "the peer does not connect");
        };
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut pe = Pe { pid: 0, answers: BufReader::new(stream) };
        let greeting = pe.answer();
        let numbers: Vec<u32> = greeting.split(' ').map(|number| number.parse().expect("a number")).collect();
        let [pid, number, n_pes] = numbers[..] else { panic!("not a pid, a PE, and how many: {greeting:?}") };
        assert_eq!(n_pes as usize, N_PES);
        pe.pid = pid;
        (number as usize, pe)
    }

    /// Has a work done, and returns the nanoseconds that it took; `None` where the peer lacks it.
    fn ask(&mut self, work: &str) -> Option<f64> {
        let start = Instant::now();
        self.tell(work);
        let answers: Vec<String> = self.pes.iter_mut().map(Pe::answer).collect();
        let most = start.elapsed().as_secs_f64() * 1e9;
        if answers[0] == "none" {
            assert!(answers.iter().all(|answer| answer == "none"), "{work}: {answers:?}");
            return None;
        }
        assert!(answers[1..].iter().all(|answer| answer == "0"), "{work}: {answers:?}");
        let took: f64 = answers[0].parse().unwrap_or_else(|_| panic!("{work}: {answers:?}"));
        assert!(took > 0.0 && took <= most, "{work} took {took} ns of {most} ns");
        Some(took)
    }

    fn tell(&mut self, line: &str) {
        for pe in &mut self.pes {
            pe.answers.get_mut().write_all(format!("{line}\n").as_bytes()).expect("the peer listens");
        }
    }

    /// How the job ends when nobody asks any more.
    fn end(&mut self) -> ExitStatus {
        self.pes.clear();
        let start = Instant::now();
        loop {
            if let Some(status) = self.launcher.try_wait().unwrap() {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "the peer does not end");
            sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // The launcher of a test that failed. The PEs end with it.
        let _ = self.launcher.kill();
        let _ = self.launcher.wait();
        let _ = fs::remove_file(&self.socket);
    }
}

impl Pe {
    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the peer answers");
        line.strip_suffix('\n').unwrap_or_else(|| panic!("the peer broke off: {line:?}")).to_owned()
    }

    /// The time that its process has had a processor, in ticks of 10 ms.
    fn ticks(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid)).expect("the PE lives");
        // The name of the program, which may hold blanks, ends with the last parenthesis.
        let (_, rest) = stat.rsplit_once(") ").unwrap();
        rest.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap()).sum()
    }
}

/// Asks a peer for all that there is. It may lack the `lacking`, and nothing else.
fn answers(program: &[&Path], lacking: &[&str]) {
    let mut job = Job::start(program);
    let works = [
        "p 8 1",
        "g 8 1",
        "put 1 1",
        "put 8 1",
        "put 4 64",
        "put 8 64",
        "put 8192 64",
        "put 1048576 8",
        "get 2 1",
        "get 8 1",
        "get 8192 64",
        "get 1048576 8",
        "put_nbi 8 1",
        "put_nbi 4096 1",
        "fetch_add 8 1",
        "add 8 1",
        "compare_swap 8 1",
        "ping_pong 8 1",
        "ping_pong 4096 1",
        "barrier 0 1",
        "sync 0 1",
        "reduce 8 1",
        "reduce 8388608 1",
        "broadcast 4 1",
        "broadcast 8 1",
        "broadcast 1048576 1",
        "fcollect 8 1",
        "fcollect 65536 1",
        "alltoall 8 1",
        "alltoall 65536 1",
    ];
    for work in works {
        let lacks = lacking.contains(&work.split(' ').next().unwrap());
        // Twice, with what the first one left.
        for repeats in [1, 3] {
            assert_eq!(job.ask(&format!("{work} {repeats}")).is_none(), lacks, "{work}");
        }
    }
    // Of an unknown name, with a stride where there is none, of half an element, and too large.
    for work in ["no_such_work 8 1", "barrier 0 2", "reduce 4 1", "put 1048576 64", "fetch_add 16 1"] {
        assert_eq!(job.ask(&format!("{work} 1")), None, "{work}");
    }
    // Of all repeats together, in nanoseconds: no memory takes a terabyte in a second.
    assert!(job.ask("put 1048576 1 64").unwrap() > 64e3);

    // Who is not asked sleeps.
    let ticks = |job: &Job| job.pes.iter().map(Pe::ticks).sum::<u64>();
    let before = ticks(&job);
    sleep(Duration::from_millis(500));
    let during = ticks(&job) - before;
    assert!(during < 10, "two PEs that wait for 500 ms take {during} ticks of 10 ms");

    assert!(job.end().success());
    drop(job);

    // A line that says nothing is an error.
    let mut job = Job::start(program);
    job.tell("put eight");
    assert!(!job.end().success());
}

#[test]
fn the_peer_in_c_answers() {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peer-in-c");
    let compiler = Command::new("oshcc")
        .args(["-O3", "-std=c11", "-Wall", "-Wextra", "-Werror", "-o"])
        .args([&program, &folder().join("c/peer.c")])
        .output();
    match compiler {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return not_tested("there is no oshcc on the PATH, so the peer in C is left out");
        }
        Err(error) => panic!("oshcc cannot be started: {error}"),
        Ok(run) => assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr)),
    }
    answers(&[&program], &[]);
}

#[test]
fn the_peer_in_python_answers() {
    let named = std::env::var_os("BENCH_SHMEM4PY").map(PathBuf::from);
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/peers/shmem4py/bin/python");
    let python = named.unwrap_or(usual);
    if !python.exists() {
        return not_tested(&format!(
            "there is no {}, so the peer in Python is left out: see benches/peers/README.md",
            python.display()
        ));
    }
    answers(&[&python, &folder().join("shmem4py/peer.py")], &["p", "g"]);
}
