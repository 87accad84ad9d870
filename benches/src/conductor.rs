//! Programs that work in turns: jobs of different libraries are started at the same time, and one
//! works at a time.
//!
//! The speed of a machine changes, and a second run has other cores and another clock. So all
//! programs run at the same time, and in each round, each program takes a sample of a fraction of a
//! millisecond. Between its samples a program sleeps. PE n of each program is bound to core n, so
//! that no program has better cores than another. If there are more PEs than cores, the numbering
//! starts again with the first core.

mod fortran;

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_setaffinity};

use crate::work::{Order, Way, Work};

/// The variable with the path of the socket of the conductor.
pub const SOCKET: &str = "BENCH_SOCKET";
/// The environment variable with which a program asks for a library that any thread may call.
pub const THREADS: &str = "BENCH_THREADS";
/// The symmetric memory of each PE of a job.
const HEAP: &str = "64M";
/// The time limit for the start of a job, and for a sample.
const PATIENCE: Duration = Duration::from_secs(120);
/// The time limit for the end of a job.
const TO_END: Duration = Duration::from_secs(60);
/// The shortest time of a sample: long enough for the clock, and short enough to be seldom
/// interrupted.
const SAMPLE: Duration = Duration::from_micros(100);
/// The same with more PEs than cores: long against the time in which all PEs leave the barrier that it
/// begins after, and longer than a turn that the system gives to a process.
const SAMPLE_OVERSUBSCRIBED: Duration = Duration::from_millis(5);
/// The time limit of a program for one work. A slow program has fewer rounds than others, but at
/// least [`FEWEST`].
const PATIENCE_WITH_SLOW: Duration = Duration::from_secs(1);
/// The rounds that every program has.
const FEWEST: usize = 5;
/// The largest number of repetitions in one sample.
const MOST: usize = 1 << 20;

/// The programs that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Program {
    /// Plain memory operations on the mappings of [`Ours`](Program::Ours): the limit.
    Limit,
    /// The calls of the transport of shared memory.
    Raw,
    /// This crate, on shared memory.
    Ours,
    /// This crate, over the C library.
    Library,
    /// This crate, over the C library, as if each PE were on another host.
    Far,
    /// The same, where any thread may call.
    FarThreads,
    /// A C program over the C library.
    C,
    /// The same, where any thread may call.
    Threads,
    /// The C program over this project's own C library.
    OwnC,
    /// shmem4py over the C library.
    Shmem4py,
    /// shmem4py over this project's own C library.
    OwnShmem4py,
    /// Lamellar.
    Lamellar,
    /// Coarray Fortran, over OpenCoarrays.
    Fortran,
}

impl Program {
    /// Its name in tables and charts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Program::Limit => "limit (plain memory)",
            Program::Raw => "transport call",
            Program::Ours => "shmem, shared memory",
            Program::Library => "shmem, C library",
            Program::Far => "shmem, C library, far",
            Program::FarThreads => "shmem, C library, far, any thread",
            Program::C => "C",
            Program::Threads => "C, any thread",
            Program::OwnC => "C on this library",
            Program::Shmem4py => "shmem4py",
            Program::OwnShmem4py => "shmem4py on this library",
            Program::Lamellar => "Lamellar",
            Program::Fortran => "Coarray Fortran",
        }
    }

    /// The job that does its works, and the way: our program works in three ways.
    fn job(self) -> (Program, Way) {
        match self {
            Program::Limit => (Program::Ours, Way::Limit),
            Program::Raw => (Program::Ours, Way::Raw),
            program => (program, Way::Language),
        }
    }
}

/// The programs that a run can have, and their commands.
pub struct Peers {
    /// This project's own program.
    ours: PathBuf,
    /// Whether it is built to run over the C library.
    library: bool,
    /// The C program, where there is a C library to compile it with.
    c: Option<PathBuf>,
    /// Where this project's own C library is installed, and the C program over it.
    own_c: Option<(PathBuf, PathBuf)>,
    /// The interpreter that has shmem4py.
    shmem4py: Option<PathBuf>,
    /// The interpreter that has shmem4py over this project's own C library.
    own_shmem4py: Option<PathBuf>,
    /// The program over Lamellar.
    lamellar: Option<PathBuf>,
    /// The Fortran program, where there are a compiler and OpenCoarrays to compile it with.
    fortran: Option<PathBuf>,
}

impl Peers {
    /// Finds the installed programs, and prints which are not. `ours` is this project's program,
    /// and `scratch` is a folder for programs that are compiled here.
    #[must_use]
    pub fn find(ours: &Path, library: bool, scratch: &Path) -> Peers {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let installed = |variable, usual: &str| {
            let place =
                env::var_os(variable).map_or_else(|| here.join("../target/peers").join(usual), PathBuf::from);
            place.exists().then_some(place)
        };
        let peers = Peers {
            shmem4py: installed("BENCH_SHMEM4PY", "shmem4py/bin/python"),
            own_shmem4py: installed("BENCH_OWN_SHMEM4PY", "own-shmem4py/venv/bin/python"),
            lamellar: installed("BENCH_LAMELLAR", "lamellar/release/peer"),
            fortran: fortran::compile(scratch).map_err(|why| eprintln!("not measured: Fortran ({why})")).ok(),
            own_c: own_c(ours, scratch)
                .map_err(|why| eprintln!("not measured: {} ({why})", Program::OwnC.name()))
                .ok(),
            ..Peers::ours_and_c(ours, library, scratch)
        };
        for (program, missing) in [
            (Program::Shmem4py, peers.shmem4py.is_none()),
            (Program::OwnShmem4py, peers.own_shmem4py.is_none()),
            (Program::Lamellar, peers.lamellar.is_none()),
        ] {
            if missing {
                let name = program.name();
                eprintln!("not measured: {name} (benches/peers/README.md says how it is installed)");
            }
        }
        peers
    }

    /// This project's program, and the C program of the same name, alone.
    #[must_use]
    pub fn ours_and_c(ours: &Path, library: bool, scratch: &Path) -> Peers {
        let c = compile(&oshcc(), &source_in_c(ours), scratch);
        if let Err(why) = &c {
            eprintln!("not measured: C ({why})");
        }
        if c.is_ok() && !library {
            eprintln!("not measured: this crate over the C library (add --features openshmem)");
        }
        Peers {
            ours: ours.to_owned(),
            library,
            c: c.ok(),
            own_c: None,
            shmem4py: None,
            own_shmem4py: None,
            lamellar: None,
            fortran: None,
        }
    }

    /// The command that starts a program on `n_pes` PEs; `None` if it is not installed. Lamellar is
    /// started once for each PE, with the number of the PE.
    #[must_use]
    pub fn command(&self, program: Program, n_pes: usize) -> Option<Command> {
        let alone = |program: &Path| command(program, n_pes, HEAP);
        let over_c = self.c.as_deref().filter(|_| self.library).map(|_| self.ours.as_path());
        let mut command = match program {
            Program::Limit | Program::Raw | Program::Ours => alone(&self.ours),
            Program::Library | Program::Far | Program::FarThreads => alone(over_c?),
            Program::C | Program::Threads => launched(self.c.as_deref()?, n_pes, HEAP),
            Program::OwnC => self.launched_by_own(&self.own_c.as_ref()?.1, n_pes)?,
            Program::Shmem4py => launched(self.shmem4py.as_deref()?, n_pes, HEAP),
            Program::OwnShmem4py => self.launched_by_own(self.own_shmem4py.as_deref()?, n_pes)?,
            Program::Lamellar => alone(self.lamellar.as_deref()?),
            Program::Fortran => fortran::launched(self.fortran.as_deref()?, n_pes, HEAP),
        };
        match program {
            Program::Limit | Program::Raw | Program::Ours => command.env("SHMEM_TRANSPORT", "smp"),
            Program::Library => command.env("SHMEM_TRANSPORT", "openshmem"),
            Program::Far | Program::FarThreads => {
                command.env("SHMEM_TRANSPORT", "openshmem").env("SHMEM_DIRECT", "own")
            }
            Program::C | Program::Threads | Program::OwnC | Program::Fortran => &mut command,
            Program::Shmem4py | Program::OwnShmem4py => {
                command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/shmem4py/peer.py"))
            }
            Program::Lamellar => command.env("LAMELLAR_NUM_PES", n_pes.to_string()),
        };
        if matches!(program, Program::Threads | Program::FarThreads) {
            command.env(THREADS, "1");
        }
        command.stdin(Stdio::null()).stdout(Stdio::null());
        Some(command)
    }

    /// The same, of a program that the launcher of this project's own C library starts.
    fn launched_by_own(&self, program: &Path, n_pes: usize) -> Option<Command> {
        let mut command = command(&self.own_c.as_ref()?.0.join("bin/oshrun"), n_pes, HEAP);
        command.arg("-np").arg(n_pes.to_string()).arg(program);
        Some(command)
    }
}

/// The source in C of the program with the name of ours.
fn source_in_c(ours: &Path) -> PathBuf {
    let name = ours.file_stem().expect("a program has a name");
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/c").join(name).with_extension("c")
}

/// Where this project's own C library is installed, and the C program over it.
fn own_c(ours: &Path, scratch: &Path) -> Result<(PathBuf, PathBuf), String> {
    let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/peers/own-c");
    let prefix = env::var_os("BENCH_OWN_C").map_or_else(usual, PathBuf::from);
    let program = compile(&prefix.join("bin/oshcc"), &source_in_c(ours), &scratch.join("own"))?;
    Ok((prefix, program))
}

/// The compiler wrapper of the C library that is measured.
#[must_use]
pub fn oshcc() -> PathBuf {
    env::var_os("OSHCC").map_or_else(|| "oshcc".into(), PathBuf::from)
}

/// Compiles a C program over a C library, by the library's compiler wrapper.
///
/// # Errors
///
/// When it cannot be compiled; the text says why.
pub fn compile(compiler: &Path, source: &Path, scratch: &Path) -> Result<PathBuf, String> {
    fs::create_dir_all(scratch).map_err(|error| format!("cannot make {}: {error}", scratch.display()))?;
    let program = scratch.join(source.file_stem().expect("a source has a name"));
    let mut command = Command::new(compiler);
    command
        .args(["-O3", "-std=c11", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(source)
        .arg("-lm");
    match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(format!("there is no {}: no OpenSHMEM library is installed", compiler.display()))
        }
        Err(error) => Err(format!("cannot start {}: {error}", compiler.display())),
        Ok(output) if output.status.success() => Ok(program),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!("{} does not compile:\n{}", source.display(), said.trim_end()))
        }
    }
}

/// A program on `n_pes` PEs, each with a heap of `heap`. The variables of the user must not change
/// the measurement.
#[must_use]
pub fn command(program: &Path, n_pes: usize, heap: &str) -> Command {
    let mut command = Command::new(program);
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SHMEM_")) {
        command.env_remove(name);
    }
    command.env("SHMEM_NPES", n_pes.to_string()).env("SHMEM_CHECK", "0");
    // It is address space: unused parts take no memory.
    command.env("SHMEM_SYMMETRIC_SIZE", heap);
    // The rest is for jobs of Open MPI; others do not read it.
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1").env("OMPI_MCA_hwloc_base_binding_policy", "none");
    // Otherwise every program crashes at its end: the memory hooks of Open MPI outlive the library
    // that has them.
    command.env("OMPI_MCA_opal_common_ucx_opal_mem_hooks", "0");
    if n_pes > cores() {
        // Waiters must yield.
        command.env("OMPI_MCA_mpi_yield_when_idle", "1");
    }
    if rustix::process::geteuid().is_root() {
        // oshrun refuses to run as root without these two variables. It starts only programs of
        // this project.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
    command
}

/// The same, of a program that the launcher of the C library starts.
#[must_use]
pub fn launched(program: &Path, n_pes: usize, heap: &str) -> Command {
    let mut command = command(Path::new("oshrun"), n_pes, heap);
    // The name of the size in Open MPI.
    command.env("SHMEM_SYMMETRIC_HEAP_SIZE", heap);
    command.arg("-np").arg(n_pes.to_string()).arg(program);
    command
}

/// How many there are for all PEs.
#[must_use]
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Tells the conductor at `socket` that PE `pe` of `n_pes` has started, and returns the connection.
///
/// # Errors
///
/// When no conductor listens there.
pub fn report_to(socket: &OsStr, pe: usize, n_pes: usize) -> io::Result<UnixStream> {
    let mut conductor = UnixStream::connect(socket)?;
    writeln!(conductor, "{} {pe} {n_pes}", std::process::id())?;
    Ok(conductor)
}

/// A job: the processes of one program.
pub struct Job {
    program: Program,
    /// The launcher; each PE, where there is none.
    children: Vec<Child>,
    /// In the order of the PEs.
    pes: Vec<Connection>,
}

/// The conductor's end of a PE.
struct Connection {
    pid: Pid,
    lines: BufReader<UnixStream>,
}

impl Connection {
    fn hear(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.lines.read_line(&mut line) {
            Ok(0) => Err(io::Error::new(ErrorKind::UnexpectedEof, "it ended")),
            Ok(_) => Ok(line.trim_end().to_owned()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                Err(io::Error::new(ErrorKind::TimedOut, format!("no answer in {PATIENCE:?}")))
            }
            Err(error) => Err(error),
        }
    }
}

impl Job {
    /// Starts `command` on `n_pes` PEs, and waits until all have connected.
    ///
    /// # Errors
    ///
    /// When not all of them connect in time, or when they are not the expected PEs.
    pub fn start(program: Program, mut command: Command, n_pes: usize) -> io::Result<Job> {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("shmem-bench-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let path = folder.join("socket");
        let _ = fs::remove_file(&path);
        let listener = UnixListener::bind(&path)?;
        listener.set_nonblocking(true)?;
        command.env(SOCKET, &path);
        let mut job = Job { program, children: Vec::new(), pes: Vec::new() };
        if program == Program::Lamellar {
            // It has no launcher of its own.
            command.env("LAMELLAR_JOB_ID", format!("{}{number}", std::process::id()));
            for pe in 0..n_pes {
                job.children.push(command.env("LAMELLAR_PE_ID", pe.to_string()).spawn()?);
            }
        } else {
            job.children.push(command.spawn()?);
        }
        let found = job.gather(&listener, n_pes);
        let _ = fs::remove_dir_all(&folder);
        found.map(|()| job)
    }

    /// Waits for all PEs, and binds them.
    fn gather(&mut self, listener: &UnixListener, n_pes: usize) -> io::Result<()> {
        let started = Instant::now();
        let mut found: Vec<Option<Connection>> = (0..n_pes).map(|_| None).collect();
        while found.iter().any(Option::is_none) {
            match listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false)?;
                    stream.set_read_timeout(Some(PATIENCE))?;
                    // The number is in the greeting.
                    let mut connection = Connection { pid: Pid::INIT, lines: BufReader::new(stream) };
                    let greeting = connection.hear()?;
                    let numbers: Vec<i32> =
                        greeting.split(' ').filter_map(|word| word.parse().ok()).collect();
                    let place = match numbers[..] {
                        [pid, pe, all] if all as usize == n_pes => {
                            connection.pid = Pid::from_raw(pid).unwrap_or(Pid::INIT);
                            found.get_mut(pe as usize)
                        }
                        _ => None,
                    };
                    let wrong = || io::Error::other(format!("it is not a PE of {n_pes}: {greeting:?}"));
                    *place.ok_or_else(wrong)? = Some(connection);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    for child in &mut self.children {
                        if let Some(status) = child.try_wait()? {
                            return Err(io::Error::other(format!("it ended at its start: {status}")));
                        }
                    }
                    if started.elapsed() > PATIENCE {
                        return Err(io::Error::other(format!("not all {n_pes} PEs came in {PATIENCE:?}")));
                    }
                    thread::sleep(Duration::from_millis(5));
                }
                Err(error) => return Err(error),
            }
        }
        self.pes = found.into_iter().flatten().collect();
        for (pe, connection) in self.pes.iter().enumerate() {
            bind(connection.pid, pe % cores());
        }
        Ok(())
    }

    /// Executes a line of the protocol, and returns the nanoseconds that it took, or `None` if the
    /// program cannot do it.
    ///
    /// # Errors
    ///
    /// When a PE does not answer, or the PEs answer differently.
    pub fn ask(&mut self, line: &str) -> io::Result<Option<f64>> {
        self.tell(line)?;
        let answers: Vec<String> = self.pes.iter_mut().map(Connection::hear).collect::<io::Result<_>>()?;
        let (first, rest) = answers.split_first().expect("a job has PEs");
        let time = match first.as_str() {
            "none" => None,
            time => time.parse::<f64>().ok().filter(|time| *time >= 0.0),
        };
        let expected = if time.is_some() { "0" } else { "none" };
        if time.is_none() && first != "none" || rest.iter().any(|answer| answer != expected) {
            return Err(io::Error::other(format!("the PEs answer {answers:?}")));
        }
        Ok(time)
    }

    /// Sends a line to all PEs.
    ///
    /// # Errors
    ///
    /// When a PE does not listen.
    pub fn tell(&mut self, line: &str) -> io::Result<()> {
        let line = format!("{line}\n");
        self.pes.iter_mut().try_for_each(|pe| pe.lines.get_mut().write_all(line.as_bytes()))
    }

    /// The processes of the PEs.
    pub fn pids(&self) -> impl Iterator<Item = Pid> + '_ {
        self.pes.iter().map(|pe| pe.pid)
    }

    /// Tells the PEs that there is no more work, and waits until the job has ended.
    ///
    /// # Errors
    ///
    /// When it does not end by itself. Then it is killed.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        // At the end of its lines a program ends.
        self.pes.clear();
        let started = Instant::now();
        let mut ended = ExitStatus::default();
        for child in &mut self.children {
            let status = loop {
                if let Some(status) = child.try_wait()? {
                    break status;
                }
                if started.elapsed() > TO_END {
                    self.kill();
                    return Err(io::Error::new(ErrorKind::TimedOut, format!("it did not end in {TO_END:?}")));
                }
                thread::sleep(Duration::from_millis(2));
            };
            ended = if status.success() { ended } else { status };
        }
        Ok(ended)
    }

    /// Ends it at once.
    fn kill(&mut self) {
        self.pes.clear();
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// Binds all threads of a process to a core. A thread that cannot be bound stays unbound.
fn bind(pid: Pid, core: usize) {
    let mut cores = CpuSet::new();
    cores.set(core);
    let threads =
        fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero())).into_iter().flatten().flatten();
    for thread in threads {
        let number = thread.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
        let _ = sched_setaffinity(number, &cores);
    }
}

/// Binds the processes that a supervisor starts, which are its PEs in order, each to a core, if
/// there are enough cores.
pub fn bind_pes(supervisor: &Child, n_pes: usize) {
    let started = Instant::now();
    while n_pes <= cores() && started.elapsed() < Duration::from_secs(1) {
        let pids = children(supervisor);
        if pids.len() >= n_pes {
            return pids.into_iter().enumerate().for_each(|(pe, pid)| bind(pid, pe));
        }
        thread::sleep(Duration::from_micros(200));
    }
}

/// The processes that a process has started, in order. A supervisor starts its PEs.
#[must_use]
pub fn children(parent: &Child) -> Vec<Pid> {
    let id = parent.id();
    let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    let numbers = children.split_whitespace().filter_map(|pid| pid.parse().ok());
    numbers.filter_map(Pid::from_raw).collect()
}

/// Jobs that work in turns.
pub struct Conductor {
    /// The number of PEs of each job.
    pub n_pes: usize,
    /// The measured programs, in the order of their turns.
    wanted: Vec<Program>,
    /// The smallest number of repetitions in a sample. A single repetition begins after a barrier
    /// that PE 0 may leave first or last.
    pub least: usize,
    jobs: Vec<Job>,
}

/// A program in its turns at a work.
struct Taker {
    program: Program,
    repeats: usize,
    times: Times,
}

/// The times of one program for one work: nanoseconds for one repeat, a value for each round.
pub type Times = Vec<f64>;

impl Conductor {
    /// Starts the wanted programs that are installed, and prints which does not start.
    ///
    /// # Errors
    ///
    /// When not even this project's own program starts.
    pub fn start(peers: &Peers, wanted: &[Program], n_pes: usize) -> io::Result<Conductor> {
        let mut conductor = Conductor { n_pes, wanted: wanted.to_vec(), least: 1, jobs: Vec::new() };
        for (program, _) in wanted.iter().map(|program| program.job()) {
            if conductor.jobs().any(|(other, _)| other == program) {
                continue;
            }
            let Some(command) = peers.command(program, n_pes) else { continue };
            match Job::start(program, command, n_pes) {
                Ok(job) => conductor.jobs.push(job),
                Err(error) if program == Program::Ours => return Err(error),
                Err(error) => eprintln!("not measured: {} on {n_pes} PEs ({error})", program.name()),
            }
        }
        Ok(conductor)
    }

    /// The jobs, all of which sleep.
    pub fn jobs(&self) -> impl Iterator<Item = (Program, &Job)> {
        self.jobs.iter().map(|job| (job.program, job))
    }

    /// Measures a work, in turns. A program that cannot do it is not in the result; one that fails
    /// is not in any later one.
    pub fn measure(&mut self, work: Work, rounds: usize) -> Vec<(Program, Times)> {
        let mut takers: Vec<Taker> = Vec::new();
        for program in self.wanted.clone() {
            match self.calibrate(program, work) {
                Ok(Some(repeats)) => takers.push(Taker { program, repeats, times: Vec::new() }),
                Ok(None) => {}
                Err(error) => self.dismiss(program, work, &error),
            }
        }
        for round in 0..rounds {
            let n = takers.len();
            for turn in 0..n {
                // Each begins as often as the others, and runs after each of them.
                let turn =
                    if round % 2 == 0 { (turn + round / 2) % n } else { (n - 1 - turn + round / 2) % n };
                let Taker { program, repeats, times } = &mut takers[turn];
                let spent: f64 = times.iter().sum::<f64>() * *repeats as f64;
                if times.len() >= FEWEST && spent > PATIENCE_WITH_SLOW.as_nanos() as f64 {
                    continue;
                }
                // Once before that: two programs of one job have their data in the caches from each other's turn.
                let warmed = self.ask(*program, work, self.least);
                match warmed.and_then(|_| self.ask(*program, work, *repeats)) {
                    Ok(time) => times.extend(time.map(|time| time / *repeats as f64)),
                    Err(error) => self.dismiss(*program, work, &error),
                }
            }
        }
        let there = takers.into_iter().filter(|taker| self.job(taker.program).is_some());
        there.map(|Taker { program, times, .. }| (program, times)).collect()
    }

    /// The place of the job that does the works of a program.
    fn job(&self, program: Program) -> Option<usize> {
        self.jobs.iter().position(|job| job.program == program.job().0)
    }

    /// The time of some repetitions; `None` if the program is not installed, or cannot do it.
    fn ask(&mut self, program: Program, work: Work, repeats: usize) -> io::Result<Option<f64>> {
        let Some(at) = self.job(program) else { return Ok(None) };
        self.jobs[at].ask(&Order { work, way: program.job().1, repeats }.to_string())
    }

    /// Ends the job of a program that has failed, and prints a line about it.
    fn dismiss(&mut self, program: Program, work: Work, error: &io::Error) {
        let Work { operation, bytes, stride } = work;
        eprintln!("{} failed in {operation} of {bytes} bytes, stride {stride}: {error}", program.name());
        if let Some(at) = self.job(program) {
            self.jobs.remove(at).kill();
        }
    }

    /// The number of repetitions that makes a sample long enough.
    fn calibrate(&mut self, program: Program, work: Work) -> io::Result<Option<usize>> {
        let sample = if self.n_pes > cores() { SAMPLE_OVERSUBSCRIBED } else { SAMPLE };
        let wanted = sample.as_nanos() as f64;
        let mut repeats = self.least;
        // The first time has the faults of all pages, and would say that one repetition is enough.
        if self.ask(program, work, repeats)?.is_none() {
            return Ok(None);
        }
        loop {
            // The shortest of three: the system may run another program meanwhile.
            let mut time = f64::INFINITY;
            for _ in 0..3 {
                let Some(this) = self.ask(program, work, repeats)? else { return Ok(None) };
                time = time.min(this);
            }
            if time >= wanted / 2.0 || repeats >= MOST {
                return Ok(Some(repeats));
            }
            // Not in one step, because the first time is longer than the others.
            repeats = (repeats * 8)
                .min((repeats as f64 * wanted / time.max(1.0)).ceil() as usize)
                .clamp(repeats + 1, MOST);
        }
    }
}
