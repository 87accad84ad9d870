//! The environment variables that a user can set, read and checked in one place.
//!
//! The names, and the syntax of a size, are those of OpenSHMEM 1.5 where it has them. An invalid
//! value is an error that names the variable, the value and what to write instead; it is never
//! guessed at. An empty variable counts as not set. A variable whose name is nearly one of these
//! would be ignored in silence, so there is a warning.

use std::ffi::{OsStr, OsString};
use std::fmt::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::system::error::Error;

/// The most PEs that one job on this machine can have.
pub(crate) const MAX_PES: usize = 4096;

/// The variables with their descriptions, as `SHMEM_INFO` prints them.
const VARIABLES: [(&str, &str); 23] = [
    ("SHMEM_NPES", "number of PEs to start, 1 to 4096 (default: one per core, at least 2)"),
    (
        "SHMEM_SYMMETRIC_SIZE",
        "bytes of symmetric heap per PE, such as 64M or 1.5G (default: 4G, used as needed; over a C library 256M)",
    ),
    (
        "SHMEM_TRANSPORT",
        "smp: PEs are processes on this machine; openshmem: the C library (default: what the process was started by)",
    ),
    (
        "SHMEM_LAUNCHER",
        "with SHMEM_TRANSPORT=openshmem, the command that starts the PEs, such as srun --mpi=pmix (default: oshrun)",
    ),
    (
        "SHMEM_OUTPUT",
        "plain: PEs print as they are; label: each line begins with its PE; files or files=FOLDER: one file per PE and stream \
         (default: plain)",
    ),
    (
        "SHMEM_BIND",
        "core: each PE runs on one processor, on a core of its own while there are enough; none: the system chooses (default: none)",
    ),
    (
        "SHMEM_DEBUGGER",
        "a debugger and PEs, such as gdb:3 or lldb:0,2: each of these PEs waits for it at the start (default: none)",
    ),
    ("SHMEM_INFO", "print this list at start, and what was chosen for each PE"),
    ("SHMEM_VERSION", "print the version of the library at start"),
    ("SHMEM_DEBUG", "print what the job is made of at start"),
    ("SHMEM_SYSTEM", "linux or portable: which system calls share memory and wait (default: linux on Linux)"),
    (
        "SHMEM_DIRECT",
        "0 sends every operation through the transport, which is slower, to test that path; over a C library, own treats \
         each PE as if it were alone on a host, and 2 or more each so many PEs in a row as one host (default: 1)",
    ),
    (
        "SHMEM_CHECK",
        "1 compares every collective call over the PEs, 0 does not (default: 1 in debug builds, 0 in release builds)",
    ),
    (
        "SHMEM_TIMEOUT",
        "a time such as 30s, 5m or 2h: if no PE moves for so long, the job ends with status 124 and says where the PEs are (default: no limit)",
    ),
    ("SHMEM_TEST_TIMEOUT", "seconds that a #[shmem::test] may take (default: 120)"),
    (
        "SHMEM_TEST_NPES",
        "numbers of PEs, such as 1,2,4: a #[shmem::test] leaves out those that are not among them (default: all)",
    ),
    (
        "SHMEM_RACES",
        "look for races, on one host: 1 ends the job at the first, all reports all at its end (default: 0; 1 in a \
         #[shmem::test] with `races`)",
    ),
    (
        "SHMEM_STATS",
        "1 counts the operations of each PE and prints them at the end, json prints them for programs; it sends them through the \
         transport, which is slower (default: 0)",
    ),
    (
        "SHMEM_TRACE",
        "on one host, write what each PE does to this file: FILE.json is a timeline for Perfetto, FILE.svg a picture of who \
         communicates with whom and where the time goes",
    ),
    (
        "SHMEM_TRACE_SLICES",
        "how many operations, and how many calls and waits, a timeline shows at most (default: 250000)",
    ),
    (
        "SHMEM_GPU",
        "with the feature gpu, what streams run on: host: threads of the PE; nvshmem: GPUs; auto: the host in this version \
         (default: auto)",
    ),
    (
        "SHMEM_GPU_DEVICE",
        "the number of the PE's device on its host (default: that of the PE there, modulo the number of devices)",
    ),
    (
        "SHMEM_GPU_COMPILE",
        "GPUs such as sm_80,sm_90: the first launch of each kernel compiles it for these too, which needs NVRTC, nvJitLink and \
         NVSHMEM, and no GPU (default: none)",
    ),
];

/// The variables that this crate sets itself, the one that `shmem-sys` reads when it is built, and the
/// one of C programs.
const OTHERS: [&str; 6] =
    ["SHMEM_SMP_JOB", "SHMEM_SMP_NAMES", "SHMEM_CLAIMED", "SHMEM_LAUNCHED", "SHMEM_DIR", "SHMEM_GLOBALS"];

/// The two values of `SHMEM_TRANSPORT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// Processes on this machine, over shared memory.
    Smp,
    /// The C library.
    Openshmem,
}

/// The values of `SHMEM_OUTPUT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OutputForm {
    /// PEs print to the streams of the supervisor.
    Plain,
    /// The supervisor prints their lines, each with its PE.
    Label,
    /// They print to files in this folder.
    Files(PathBuf),
}

/// The debuggers that `SHMEM_DEBUGGER` may name.
const DEBUGGERS: [&str; 4] = ["gdb", "lldb", "rust-gdb", "rust-lldb"];

/// The value of `SHMEM_DEBUGGER`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DebuggerWish {
    /// The debugger, one of [`DEBUGGERS`].
    pub(crate) tool: &'static str,
    /// The PEs, in order.
    pub(crate) pes: Vec<usize>,
}

impl fmt::Display for DebuggerWish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pes: Vec<String> = self.pes.iter().map(usize::to_string).collect();
        write!(f, "{}:{}", self.tool, pes.join(","))
    }
}

/// The values of the variables, checked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Env {
    /// `SHMEM_NPES`: how many PEs to start.
    pub(crate) npes: Option<usize>,
    /// `SHMEM_SYMMETRIC_SIZE`: bytes of symmetric heap on each PE.
    pub(crate) heap: Option<usize>,
    /// `SHMEM_TRANSPORT`: the transport of the job.
    pub(crate) transport: Option<Carrier>,
    /// `SHMEM_LAUNCHER`: the words of the command that starts the PEs of a C library; at least one.
    pub(crate) launcher: Option<Vec<String>>,
    /// `SHMEM_OUTPUT`: where the PEs of a program print.
    pub(crate) output: OutputForm,
    /// `SHMEM_BIND`: bind each PE of a program to a processor.
    pub(crate) bind: bool,
    /// `SHMEM_DEBUGGER`: the PEs that wait for a debugger.
    pub(crate) debugger: Option<DebuggerWish>,
    /// `SHMEM_INFO`: print the list of variables at start.
    pub(crate) info: bool,
    /// `SHMEM_VERSION`: print the version at start.
    pub(crate) version: bool,
    /// `SHMEM_DEBUG`: print a description of the job at start.
    pub(crate) debug: bool,
    /// `SHMEM_DIRECT`: access directly addressable peers by loads and stores.
    pub(crate) direct: DirectSetting,
    /// `SHMEM_CHECK`: compare every collective call over the PEs.
    pub(crate) check: bool,
    /// `SHMEM_TIMEOUT`: how long the job may go on without any PE moving.
    pub(crate) timeout: Option<Duration>,
    /// `SHMEM_TEST_TIMEOUT`: how long a test may take.
    pub(crate) test_timeout: Duration,
    /// `SHMEM_TEST_NPES`: restricts the numbers of PEs that tests run at.
    pub(crate) test_npes: Option<TestCounts>,
    /// `SHMEM_STATS`: count operations, and print the counts at the end, in which form.
    pub(crate) stats: Option<StatsForm>,
    /// `SHMEM_RACES`: look for races.
    pub(crate) races: RacesWish,
    /// `SHMEM_TRACE`: write what each PE does to a file.
    pub(crate) trace: Option<TraceWish>,
    /// `SHMEM_TRACE_SLICES`: how many runs of operations, and how many spans, all PEs together write.
    pub(crate) trace_slices: usize,
}

/// What `SHMEM_TRACE` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TraceWish {
    pub(crate) form: TraceForm,
    /// The file.
    pub(crate) file: PathBuf,
}

/// The forms of a trace, by the endings of their files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TraceForm {
    /// `.json`: a timeline.
    Json,
    /// `.svg`: a picture of the sums.
    Svg,
}

/// What `SHMEM_RACES` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RacesWish {
    /// Nothing: a test looks for races if its attribute says so.
    Unset,
    /// `0`: no job looks for races.
    Never,
    /// Every job looks for races.
    Always(RacesForm),
}

impl RacesWish {
    /// Whether a job looks for races, and what it does with one; `asked` says that the attribute of the
    /// test has `races`.
    pub(crate) fn form(self, asked: bool) -> Option<RacesForm> {
        match self {
            RacesWish::Unset => asked.then_some(RacesForm::First),
            RacesWish::Never => None,
            RacesWish::Always(form) => Some(form),
        }
    }
}

/// What is done with a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RacesForm {
    /// `1`: the first one ends the job.
    First,
    /// `all`: the job goes on, and all are reported at its end.
    All,
}

/// How `SHMEM_STATS` prints the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatsForm {
    /// `1`: tables, for people.
    Tables,
    /// `json`: one line, for programs.
    Json,
}

/// Whether this process is a C library's, or its launcher's, and not a program of the language.
static IS_C_LIBRARY: AtomicBool = AtomicBool::new(false);
/// Whether a program of the language has started the launcher of this process.
static IS_LAUNCHED: AtomicBool = AtomicBool::new(false);
/// The variables that a C library reads then. All others are for the program over it, which does what
/// they ask for.
const OF_A_CARRIER: [&str; 2] = ["SHMEM_NPES", "SHMEM_SYMMETRIC_SIZE"];

/// Sets whether a program of the language has started the launcher of this process. Before `main`, since
/// the program may remove the variable that says so.
pub(crate) fn is_launched(is_launched: bool) {
    IS_LAUNCHED.store(is_launched, Ordering::Relaxed);
}

/// From now on the environment is read as a C library reads it.
#[cfg(all(feature = "untyped", not(feature = "openshmem")))]
pub(crate) fn read_as_c_library() {
    IS_C_LIBRARY.store(true, Ordering::Relaxed);
}

/// Whether this process carries the job of a program of the language, which has started its launcher.
pub(crate) fn carries() -> bool {
    IS_C_LIBRARY.load(Ordering::Relaxed) && IS_LAUNCHED.load(Ordering::Relaxed)
}

/// Whether this process reads the variable.
fn is_read(name: &str) -> bool {
    // It chooses between a C library and none.
    let is_for_others = IS_C_LIBRARY.load(Ordering::Relaxed) && name == "SHMEM_TRANSPORT";
    !is_for_others && (!carries() || OF_A_CARRIER.contains(&name))
}

/// Whether the program is to run over the C library, by `SHMEM_TRANSPORT`.
pub(crate) fn wants_openshmem() -> bool {
    set("SHMEM_TRANSPORT").is_some_and(|value| value == "openshmem")
}

impl Env {
    /// Reads the environment of this process.
    pub(crate) fn read() -> Result<Env, Error> {
        Env::from(|name| std::env::var_os(name).filter(|_| is_read(name)))
    }

    /// Reads the variables by `look`: from the environment, or from a test's substitute for it.
    pub(crate) fn from(look: impl Fn(&str) -> Option<OsString>) -> Result<Env, Error> {
        let look = |variable: &str| look(variable).filter(|value| !value.is_empty());
        let parse = |variable: &'static str| {
            let value = look(variable)?;
            Some((variable, value.to_string_lossy().into_owned()))
        };
        // Set to anything but "0" means on, as OpenSHMEM says "any value".
        let on = |variable| look(variable).is_some_and(|value| value != "0");
        Ok(Env {
            npes: parse("SHMEM_NPES").map(|(variable, value)| npes(variable, &value)).transpose()?,
            heap: parse("SHMEM_SYMMETRIC_SIZE")
                .map(|(variable, value)| size(variable, &value))
                .transpose()?,
            transport: parse("SHMEM_TRANSPORT").map(|(_, value)| carrier(&value)).transpose()?,
            launcher: parse("SHMEM_LAUNCHER").map(|(_, value)| words(&value)).transpose()?,
            output: look("SHMEM_OUTPUT").map_or(Ok(OutputForm::Plain), |value| output(&value))?,
            bind: parse("SHMEM_BIND").map_or(Ok(false), |(variable, value)| bind(variable, &value))?,
            debugger: parse("SHMEM_DEBUGGER")
                .map(|(variable, value)| debugger(variable, &value))
                .transpose()?,
            info: on("SHMEM_INFO"),
            version: on("SHMEM_VERSION"),
            debug: on("SHMEM_DEBUG"),
            direct: parse("SHMEM_DIRECT")
                .map_or(Ok(DirectSetting(None)), |(variable, value)| direct(variable, &value))?,
            check: parse("SHMEM_CHECK").map_or(
                Ok(cfg!(debug_assertions) || IS_C_LIBRARY.load(Ordering::Relaxed) && on("SHMEM_DEBUG")),
                |(variable, value)| switch(variable, &value),
            )?,
            timeout: parse("SHMEM_TIMEOUT").map(|(variable, value)| time(variable, &value)).transpose()?,
            test_timeout: parse("SHMEM_TEST_TIMEOUT")
                .map(|(variable, value)| seconds(variable, &value))
                .transpose()?
                .unwrap_or(Duration::from_secs(120)),
            test_npes: parse("SHMEM_TEST_NPES").map(|(_, value)| TestCounts::parse(&value)).transpose()?,
            stats: parse("SHMEM_STATS").map_or(Ok(None), |(_, value)| stats_form(&value))?,
            races: parse("SHMEM_RACES").map_or(Ok(RacesWish::Unset), |(_, value)| races_wish(&value))?,
            trace: look("SHMEM_TRACE").map(|value| trace(&value)).transpose()?,
            trace_slices: parse("SHMEM_TRACE_SLICES").map_or(Ok(250_000), |(_, value)| slices(&value))?,
        })
    }

    /// What a user is told whose job a C library carries, of variables that are its launcher's affair;
    /// empty where none of them is set.
    #[cfg(feature = "openshmem")]
    pub(crate) fn left_to_the_launcher(&self) -> String {
        let output = (
            self.output != OutputForm::Plain,
            "SHMEM_OUTPUT",
            "passes on what the PEs print (Open MPI: --tag-output)",
        );
        let bind = (self.bind, "SHMEM_BIND", "binds the PEs (Open MPI: --bind-to core)");
        let debugger = (
            self.debugger.is_some(),
            "SHMEM_DEBUGGER",
            "starts the PEs: attach the debugger to the process of a PE",
        );
        let lines =
            [output, bind, debugger].into_iter().filter(|(is_set, ..)| *is_set).map(|(_, variable, does)| {
                let value = set(variable).unwrap_or_default();
                let value = value.to_string_lossy();
                format!("shmem: {variable}={value} is not used: over a C library, its launcher {does}\n")
            });
        lines.collect()
    }

    /// How many slices a timeline may have; `None` where none is drawn.
    pub(crate) fn drawn_slices(&self) -> Option<usize> {
        let draws = self.trace.as_ref().is_some_and(|wish| wish.form == TraceForm::Json);
        draws.then_some(self.trace_slices)
    }

    /// The text that `SHMEM_INFO` and `SHMEM_VERSION` request at start; empty when neither is set.
    /// `transport` names the chosen transport, and the reason for it.
    pub(crate) fn announcement(&self, transport: &str) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        if self.version || self.info {
            let _ = writeln!(text, "shmem {}", env!("CARGO_PKG_VERSION"));
        }
        if self.info {
            let _ = writeln!(text, "  transport {transport}");
            for (variable, meaning) in VARIABLES {
                let value = match set(variable) {
                    Some(value) => format!("={}", value.to_string_lossy()),
                    None => String::from(" (not set)"),
                };
                let _ = writeln!(text, "  {variable}{value}: {meaning}");
            }
        }
        text
    }
}

/// What the environment asks for of GPUs.
#[cfg(feature = "gpu")]
pub(crate) struct GpuWishes {
    pub(crate) back_end: Option<shmem_gpu::choice::Wish>,
    pub(crate) device: Option<usize>,
}

/// Reads `SHMEM_GPU` and `SHMEM_GPU_DEVICE`, when a program asks for its GPU.
#[cfg(feature = "gpu")]
pub(crate) fn gpu() -> Result<GpuWishes, Error> {
    let text = |variable| set(variable).map(|value| value.to_string_lossy().into_owned());
    let wrong = |variable, value, expected: &str| Error::Environment {
        variable,
        value,
        expected: expected.to_owned(),
    };
    let back_end = text("SHMEM_GPU").map(|value| {
        let wish = shmem_gpu::choice::Wish::parse(&value);
        wish.ok_or_else(|| {
            wrong("SHMEM_GPU", value, "write SHMEM_GPU=host, SHMEM_GPU=nvshmem or SHMEM_GPU=auto")
        })
    });
    let device = text("SHMEM_GPU_DEVICE").map(|value| {
        let number = digits(&value).and_then(|()| value.parse().ok());
        number.ok_or_else(|| {
            wrong(
                "SHMEM_GPU_DEVICE",
                value,
                "write the number of a device, from 0 on, such as SHMEM_GPU_DEVICE=0",
            )
        })
    });
    Ok(GpuWishes { back_end: back_end.transpose()?, device: device.transpose()? })
}

/// Reads `SHMEM_GPU_COMPILE`: the architectures that kernels are compiled for.
#[cfg(feature = "gpu")]
pub(crate) fn gpu_architectures() -> Result<Vec<String>, Error> {
    let Some(value) = set("SHMEM_GPU_COMPILE") else { return Ok(Vec::new()) };
    let value = value.to_string_lossy().into_owned();
    let list: Vec<String> = value.split(',').map(|one| one.trim().to_owned()).collect();
    // Which there are is known to the compiler.
    let is_one = |one: &String| {
        one.strip_prefix("sm_").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
    };
    if !list.iter().all(is_one) {
        let expected = "write the architectures of GPUs, such as SHMEM_GPU_COMPILE=sm_80,sm_90".to_owned();
        return Err(Error::Environment { variable: "SHMEM_GPU_COMPILE", value, expected });
    }
    Ok(list)
}

/// The value of an environment variable, if it is set and not empty.
pub(crate) fn set(variable: &str) -> Option<OsString> {
    std::env::var_os(variable).filter(|value| !value.is_empty())
}

/// A warning for each variable of the environment whose name starts with `SHMEM_` and that nothing
/// reads; empty when there is none. For one process of a job.
///
/// `library` means that a C library carries this job, or the job of a PE that has started this
/// process. The library has variables of its own with such names, so then only names that are
/// nearly one of this crate's get a warning.
pub(crate) fn warnings(library: bool) -> String {
    let set = std::env::vars_os().filter(|(_, value)| !value.is_empty());
    let mut names: Vec<String> = set.filter_map(|(name, _)| name.into_string().ok()).collect();
    names.sort_unstable();
    names.iter().filter_map(|name| warning(name, library)).collect()
}

/// The warning for the variable `name`, if it deserves one.
fn warning(name: &str, library: bool) -> Option<String> {
    let suffix = name.strip_prefix("SHMEM_")?;
    if VARIABLES.iter().any(|(variable, _)| *variable == name) || OTHERS.contains(&name) {
        return None;
    }
    let distances =
        VARIABLES.iter().map(|&(variable, _)| (distance(suffix, &variable["SHMEM_".len()..]), variable));
    let (distance, nearest) = distances.min()?;
    // A library may have a variable of any name that is not nearly ours.
    let near = if library { distance <= 1 } else { 3 * distance <= suffix.len().max(6) };
    let hint = match near {
        true => format!("did you mean {nearest}?"),
        false if library => return None,
        false => "SHMEM_INFO=1 lists all variables".to_owned(),
    };
    Some(format!("shmem: warning: {name} is set, and no variable of that name is read: {hint}\n"))
}

/// How many letters have to be inserted, removed or replaced to turn `one` into `other`.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in other.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

/// Parses a number of PEs. `variable` is the origin of the value, for the message.
pub(crate) fn npes(variable: &'static str, value: &str) -> Result<usize, Error> {
    match digits(value).and_then(|()| value.parse().ok()) {
        Some(npes) if (1..=MAX_PES).contains(&npes) => Ok(npes),
        _ => Err(Error::Environment {
            variable,
            value: value.to_owned(),
            expected: format!("write a whole number of PEs from 1 to {MAX_PES}, such as {variable}=4"),
        }),
    }
}

/// Parses a size in the syntax of OpenSHMEM 1.5: a decimal number and one of `k`, `m`, `g`, `t`
/// (powers of 1024) or nothing, rounded up to whole bytes. `3.1M` is 3,250,586. `variable` is the
/// origin of the value, for the message.
pub(crate) fn size(variable: &'static str, value: &str) -> Result<usize, Error> {
    let error = |expected: &str| Error::Environment {
        variable,
        value: value.to_owned(),
        expected: format!(
            "{expected}; write a number of bytes, or a number and one of K, M, G, T, such as {variable}=64M or \
             {variable}=1.5G"
        ),
    };
    let shift = match value.bytes().last().map(|byte| byte.to_ascii_lowercase()) {
        Some(b'k') => 10,
        Some(b'm') => 20,
        Some(b'g') => 30,
        Some(b't') => 40,
        _ => 0,
    };
    let number = if shift == 0 { value } else { &value[..value.len() - 1] };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let (Some(()), Some(())) = (digits(whole), digits(fraction)) else {
        return Err(error("it is not a size"));
    };
    // Whole numbers throughout: a float would round 3.1M, and lose bytes of a large size. Trailing
    // zeros of the fraction change nothing, and 18 significant digits are finer than one byte of a
    // tebibyte.
    let fraction = fraction.trim_end_matches('0');
    let too_large = || error("it is more than this machine can address");
    let too_fine = || error("it has more decimals than a size can use");
    let places = u32::try_from(fraction.len()).ok().filter(|places| *places <= 18).ok_or_else(too_fine)?;
    let whole: u64 = whole.parse().map_err(|_| too_large())?;
    let fraction: u64 = if fraction.is_empty() { 0 } else { fraction.parse().map_err(|_| too_fine())? };
    let bytes = (u128::from(whole) << shift) + (u128::from(fraction) << shift).div_ceil(10_u128.pow(places));
    match isize::try_from(bytes) {
        Ok(0) => Err(error("it is a size of 0")),
        Ok(bytes) => Ok(bytes.unsigned_abs()),
        Err(_) => Err(too_large()),
    }
}

/// Which of its numbers of PEs a test runs at: of each list, the first that the test has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TestCounts(Vec<Vec<usize>>);

impl TestCounts {
    /// Parses lists with a comma between them, and a slash between the numbers of one.
    fn parse(value: &str) -> Result<TestCounts, Error> {
        let count = |text: &str| npes("SHMEM_TEST_NPES", text.trim());
        let lists = value.split(',').map(|list| list.split('/').map(count).collect());
        lists.collect::<Result<_, _>>().map(TestCounts).map_err(|_| Error::Environment {
            variable: "SHMEM_TEST_NPES",
            value: value.to_owned(),
            expected: format!("write numbers of PEs from 1 to {MAX_PES}, such as SHMEM_TEST_NPES=1,2,4"),
        })
    }

    /// Those of `counts`.
    pub(crate) fn of(&self, counts: &[usize]) -> Vec<usize> {
        let first = |list: &Vec<usize>| list.iter().copied().find(|count| counts.contains(count));
        self.0.iter().filter_map(first).collect()
    }
}

/// Parses the name of a transport.
fn carrier(value: &str) -> Result<Carrier, Error> {
    match value {
        "smp" => Ok(Carrier::Smp),
        "openshmem" => Ok(Carrier::Openshmem),
        _ => Err(Error::Environment {
            variable: "SHMEM_TRANSPORT",
            value: value.to_owned(),
            expected: "write SHMEM_TRANSPORT=smp or SHMEM_TRANSPORT=openshmem".to_owned(),
        }),
    }
}

/// Splits a command into words.
fn words(value: &str) -> Result<Vec<String>, Error> {
    let words: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
    if !words.is_empty() {
        return Ok(words);
    }
    Err(Error::Environment {
        variable: "SHMEM_LAUNCHER",
        value: value.to_owned(),
        expected: "write the beginning of a command, such as SHMEM_LAUNCHER=\"srun --mpi=pmix\"".to_owned(),
    })
}

/// Parses the form of the output, with the name of a folder.
fn output(value: &OsStr) -> Result<OutputForm, Error> {
    let folder = value.as_bytes().strip_prefix(b"files=").filter(|folder| !folder.is_empty());
    match (value.to_str(), folder) {
        (Some("plain"), _) => Ok(OutputForm::Plain),
        (Some("label"), _) => Ok(OutputForm::Label),
        (Some("files"), _) => Ok(OutputForm::Files(PathBuf::from("."))),
        (_, Some(folder)) => Ok(OutputForm::Files(PathBuf::from(OsStr::from_bytes(folder)))),
        _ => Err(Error::Environment {
            variable: "SHMEM_OUTPUT",
            value: value.to_string_lossy().into_owned(),
            expected: String::from(
                "write SHMEM_OUTPUT=plain, SHMEM_OUTPUT=label, SHMEM_OUTPUT=files, or SHMEM_OUTPUT=files=FOLDER",
            ),
        }),
    }
}

/// Parses `none` or `core`.
fn bind(variable: &'static str, value: &str) -> Result<bool, Error> {
    match value {
        "none" => Ok(false),
        "core" => Ok(true),
        _ => Err(Error::Environment {
            variable,
            value: value.to_owned(),
            expected: format!("write {variable}=none or {variable}=core"),
        }),
    }
}

/// Parses a debugger, a colon, and a list of PEs; without the list it is PE 0.
fn debugger(variable: &'static str, value: &str) -> Result<DebuggerWish, Error> {
    let wish = || {
        let (tool, list) = value.split_once(':').unwrap_or((value, "0"));
        let tool = DEBUGGERS.into_iter().find(|known| *known == tool)?;
        let number = |pe: &str| digits(pe.trim()).and_then(|()| pe.trim().parse().ok());
        let mut pes = list.split(',').map(number).collect::<Option<Vec<usize>>>()?;
        pes.sort_unstable();
        pes.dedup();
        Some(DebuggerWish { tool, pes })
    };
    wish().ok_or_else(|| Error::Environment {
        variable,
        value: value.to_owned(),
        expected: format!(
            "write a debugger and the numbers of PEs, such as {variable}=gdb:3 or {variable}=lldb:0,2; the debuggers are {}",
            DEBUGGERS.join(", ")
        ),
    })
}

/// Which PEs access each other's heaps by loads and stores, where they address these directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DirectSetting(Option<usize>);

impl DirectSetting {
    /// Whether any do.
    pub(crate) fn is_on(self) -> bool {
        self.0 != Some(0)
    }

    /// Whether the PEs `one` and `other` do. With a number, so many PEs in a row are treated as if they alone were on a
    /// host. The setting `own` is 1.
    #[cfg(feature = "openshmem")]
    pub(crate) fn reaches(self, one: usize, other: usize) -> bool {
        self.0.is_none_or(|pes| pes != 0 && one / pes == other / pes)
    }
}

/// Parses the value of `SHMEM_DIRECT`.
fn direct(variable: &'static str, value: &str) -> Result<DirectSetting, Error> {
    match (value, value.parse()) {
        ("0", _) => Ok(DirectSetting(Some(0))),
        ("1", _) => Ok(DirectSetting(None)),
        ("own", _) => Ok(DirectSetting(Some(1))),
        (_, Ok(pes @ 2..)) if !value.starts_with(['0', '+']) => Ok(DirectSetting(Some(pes))),
        _ => Err(Error::Environment {
            variable,
            value: value.to_owned(),
            expected: format!(
                "write {variable}=0, {variable}=1 or {variable}=own, or a number of PEs such as {variable}=2, for hosts of so \
                 many PEs"
            ),
        }),
    }
}

/// Parses `0` or `1`.
fn switch(variable: &'static str, value: &str) -> Result<bool, Error> {
    match value {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(Error::Environment {
            variable,
            value: value.to_owned(),
            expected: format!("write {variable}=0 or {variable}=1"),
        }),
    }
}

/// Parses the value of `SHMEM_STATS`.
fn stats_form(value: &str) -> Result<Option<StatsForm>, Error> {
    match value {
        "0" => Ok(None),
        "1" => Ok(Some(StatsForm::Tables)),
        "json" => Ok(Some(StatsForm::Json)),
        _ => Err(Error::Environment {
            variable: "SHMEM_STATS",
            value: value.to_owned(),
            expected: "write SHMEM_STATS=0, SHMEM_STATS=1 or SHMEM_STATS=json".to_owned(),
        }),
    }
}

/// Parses the value of `SHMEM_RACES`.
fn races_wish(value: &str) -> Result<RacesWish, Error> {
    match value {
        "0" => Ok(RacesWish::Never),
        "1" => Ok(RacesWish::Always(RacesForm::First)),
        "all" => Ok(RacesWish::Always(RacesForm::All)),
        _ => Err(Error::Environment {
            variable: "SHMEM_RACES",
            value: value.to_owned(),
            expected: "write SHMEM_RACES=0, SHMEM_RACES=1 or SHMEM_RACES=all".to_owned(),
        }),
    }
}

/// Parses the number of slices of a timeline.
fn slices(value: &str) -> Result<usize, Error> {
    match digits(value).and_then(|()| value.parse().ok()) {
        Some(slices) if (1..=1_000_000_000).contains(&slices) => Ok(slices),
        _ => Err(Error::Environment {
            variable: "SHMEM_TRACE_SLICES",
            value: value.to_owned(),
            expected:
                "write a whole number of slices from 1 to 1000000000, such as SHMEM_TRACE_SLICES=1000000"
                    .to_owned(),
        }),
    }
}

/// Parses the name of the file of a trace.
fn trace(value: &OsStr) -> Result<TraceWish, Error> {
    let file = PathBuf::from(value);
    let has_name = file.file_stem().is_some_and(|stem| !stem.is_empty());
    let form = match file.extension().and_then(OsStr::to_str) {
        Some("json") if has_name => TraceForm::Json,
        Some("svg") if has_name => TraceForm::Svg,
        _ => {
            return Err(Error::Environment {
                variable: "SHMEM_TRACE",
                value: value.to_string_lossy().into_owned(),
                expected: "write a file whose name ends with .json (a timeline for Perfetto) or .svg (a picture), such as \
                           SHMEM_TRACE=run.json"
                    .to_owned(),
            });
        }
    };
    Ok(TraceWish { form, file })
}

/// Parses a time in whole seconds.
fn seconds(variable: &'static str, value: &str) -> Result<Duration, Error> {
    match digits(value).and_then(|()| value.parse().ok()) {
        // A year is as good as no limit, and adding it to a clock cannot overflow.
        Some(seconds) if (1..=31_536_000).contains(&seconds) => Ok(Duration::from_secs(seconds)),
        _ => Err(Error::Environment {
            variable,
            value: value.to_owned(),
            expected: format!("write a whole number of seconds, at least 1, such as {variable}=60"),
        }),
    }
}

/// Parses a time: a whole number and one of `s`, `m`, `h`, or nothing for seconds.
fn time(variable: &'static str, value: &str) -> Result<Duration, Error> {
    let (number, unit) = match value.bytes().last() {
        Some(b's') => (&value[..value.len() - 1], 1),
        Some(b'm') => (&value[..value.len() - 1], 60),
        Some(b'h') => (&value[..value.len() - 1], 3600),
        _ => (value, 1),
    };
    let seconds = digits(number).and_then(|()| number.parse::<u64>().ok()?.checked_mul(unit));
    match seconds {
        // A year is as good as no limit.
        Some(seconds) if (1..=31_536_000).contains(&seconds) => Ok(Duration::from_secs(seconds)),
        _ => Err(Error::Environment {
            variable,
            value: value.to_owned(),
            expected: format!(
                "write a time of at least a second, a whole number of seconds, or a number and one of s, m, h, such as \
                 {variable}=30s or {variable}=5m"
            ),
        }),
    }
}

/// Succeeds if `text` consists of digits alone, at least one: `parse` would also accept a sign.
fn digits(text: &str) -> Option<()> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Result<Env, Error> {
        Env::from(|name| {
            pairs.iter().find(|(variable, _)| *variable == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn nothing_set_means_the_defaults() {
        let env = with(&[]).unwrap();
        assert_eq!((env.npes, env.heap), (None, None));
        assert_eq!((env.info, env.version, env.debug), (false, false, false));
        assert_eq!(env.test_timeout, Duration::from_secs(120));
        assert_eq!((env.transport, env.launcher.as_deref(), &env.test_npes), (None, None, &None));
        assert_eq!(env.announcement("smp"), "");
    }

    #[test]
    fn set_to_nothing_is_not_set() {
        let nothing = VARIABLES.map(|(variable, _)| (variable, ""));
        assert_eq!(with(&nothing).unwrap(), with(&[]).unwrap());
    }

    #[test]
    fn distances() {
        for (one, other, expected) in [
            ("", "", 0),
            ("NPES", "NPES", 0),
            ("NPE", "NPES", 1),
            ("", "NPES", 4),
            ("SYMETRIC_SIZE", "SYMMETRIC_SIZE", 1),
            ("NEPS", "NPES", 2),
            ("SYMMETRIC_HEAP_SIZE", "SYMMETRIC_SIZE", 5),
            ("KITTEN", "SITTING", 3),
        ] {
            assert_eq!((distance(one, other), distance(other, one)), (expected, expected), "{one} {other}");
        }
    }

    #[test]
    fn names_that_are_nearly_ours() {
        let nearest = |name: &str, library| {
            let text = warning(name, library)?;
            assert!(text.starts_with(&format!("shmem: warning: {name} is set, and ")), "{text}");
            let text = text.strip_suffix("?\n").unwrap_or("the list");
            Some(text.rsplit_once(' ').unwrap().1.to_owned())
        };
        for (name, here, over_a_library) in [
            ("SHMEM_NPES", None, None),
            ("SHMEM_SMP_JOB", None, None),
            ("SMA_SYMMETRIC_SIZE", None, None),
            ("SHMEM_NPE", Some("SHMEM_NPES"), Some("SHMEM_NPES")),
            ("SHMEM_PES", Some("SHMEM_NPES"), Some("SHMEM_NPES")),
            ("SHMEM_SYMETRIC_SIZE", Some("SHMEM_SYMMETRIC_SIZE"), Some("SHMEM_SYMMETRIC_SIZE")),
            ("SHMEM_SYMMETRIC_HEAP_SIZE", Some("SHMEM_SYMMETRIC_SIZE"), None),
            ("SHMEM_MAX_MESSAGES", Some("list"), None),
            ("SHMEM_HCOLL_ENABLE", Some("list"), None),
            ("SHMEM_MCA_memheap_base", Some("list"), None),
            ("SHMEM_BARRIER_ALGORITHM", Some("list"), None),
        ] {
            assert_eq!(nearest(name, false).as_deref(), here, "{name}");
            assert_eq!(nearest(name, true).as_deref(), over_a_library, "{name} over a library");
        }
    }

    #[test]
    fn sizes() {
        let bytes = |value| size("SHMEM_SYMMETRIC_SIZE", value).unwrap();
        assert_eq!(bytes("1"), 1);
        assert_eq!(bytes("20"), 20);
        assert_eq!(bytes("007"), 7);
        assert_eq!(bytes("1k"), 1 << 10);
        assert_eq!(bytes("1K"), 1 << 10);
        assert_eq!(bytes("64m"), 64 << 20);
        assert_eq!(bytes("4G"), 4 << 30);
        assert_eq!(bytes("2t"), 2 << 40);
        assert_eq!(bytes("3.1M"), 3_250_586);
        assert_eq!(bytes("3.1m"), 3_250_586);
        assert_eq!(bytes("0.5K"), 512);
        assert_eq!(bytes("1.25"), 2);
        assert_eq!(bytes("1.0"), 1);
        assert_eq!(bytes("1.5000000000000000000000000000K"), 1536);
        assert_eq!(bytes("0.000000000000000001T"), 1);
        assert_eq!(bytes("9223372036854775807"), isize::MAX.unsigned_abs());
    }

    #[test]
    fn what_is_not_a_size() {
        let nonsense = [
            "",
            " ",
            "k",
            ".",
            ".k",
            "-1",
            "+1",
            "1 ",
            " 1",
            "1 k",
            "1kb",
            "1KiB",
            "1e3",
            "0x10",
            "1.",
            ".5",
            "1..2",
            "1.2.3",
            "1,5",
            "lots",
            "NaN",
            "inf",
            "0",
            "0k",
            "0.0M",
            "1_000",
            "١",
            "1é",
            "é",
            "9223372036854775808",
            "18446744073709551616",
            "99999999999999999999T",
            "8388608T",
            "0.0000000000000000001T",
        ];
        for value in nonsense {
            let error = size("SHMEM_SYMMETRIC_SIZE", value).expect_err(value).to_string();
            assert!(
                error.starts_with(&format!("SHMEM_SYMMETRIC_SIZE={value:?} is not understood: ")),
                "{error}"
            );
            assert!(
                error.ends_with("such as SHMEM_SYMMETRIC_SIZE=64M or SHMEM_SYMMETRIC_SIZE=1.5G"),
                "{error}"
            );
        }
    }

    #[test]
    fn numbers_of_pes() {
        assert_eq!(with(&[("SHMEM_NPES", "1")]).unwrap().npes, Some(1));
        assert_eq!(with(&[("SHMEM_NPES", "4096")]).unwrap().npes, Some(4096));
        for value in ["0", "-1", "+4", "4097", "four", "4 ", "4.0", "0x4", "99999999999999999999"] {
            let error = with(&[("SHMEM_NPES", value)]).expect_err(value).to_string();
            assert_eq!(
                error,
                format!(
                    "SHMEM_NPES={value:?} is not understood: write a whole number of PEs from 1 to 4096, such as \
                     SHMEM_NPES=4"
                )
            );
        }
    }

    #[test]
    fn switches() {
        for (value, expected) in [("", false), ("0", false), ("1", true), ("yes", true), ("00", true)] {
            let env =
                with(&[("SHMEM_DEBUG", value), ("SHMEM_INFO", value), ("SHMEM_VERSION", value)]).unwrap();
            assert_eq!((env.debug, env.info, env.version), (expected, expected, expected), "{value:?}");
        }
    }

    #[test]
    fn direct_access_is_on_or_off_or_by_hosts() {
        let direct = |value| with(&[("SHMEM_DIRECT", value)]).map(|env| env.direct);
        assert_eq!(with(&[]).unwrap().direct, DirectSetting(None));
        assert_eq!(direct("0").unwrap(), DirectSetting(Some(0)));
        assert_eq!(direct("1").unwrap(), DirectSetting(None));
        assert_eq!(direct("own").unwrap(), DirectSetting(Some(1)));
        assert_eq!(direct("2").unwrap(), DirectSetting(Some(2)));
        for value in ["no", "-2", "00", "02", "+2", "2.0"] {
            let error = direct(value).expect_err(value).to_string();
            assert_eq!(
                error,
                format!(
                    "SHMEM_DIRECT={value:?} is not understood: write SHMEM_DIRECT=0, SHMEM_DIRECT=1 or SHMEM_DIRECT=own, or \
                     a number of PEs such as SHMEM_DIRECT=2, for hosts of so many PEs"
                )
            );
        }
    }

    #[cfg(feature = "openshmem")]
    #[test]
    fn direct_access_reaches_the_same_host() {
        let reached =
            |direct: DirectSetting| -> Vec<usize> { (0..7).filter(|&pe| direct.reaches(3, pe)).collect() };
        assert_eq!(reached(DirectSetting(Some(0))), []);
        assert_eq!(reached(DirectSetting(Some(1))), [3]);
        assert_eq!(reached(DirectSetting(Some(2))), [2, 3]);
        assert_eq!(reached(DirectSetting(Some(3))), [3, 4, 5]);
        assert_eq!(reached(DirectSetting(None)), [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn statistics_are_on_or_off() {
        let races = |value| with(&[("SHMEM_RACES", value)]).map(|env| env.races);
        // The variable decides before the attribute of a test.
        for (value, program, test) in [
            ("", None, Some(RacesForm::First)),
            ("0", None, None),
            ("1", Some(RacesForm::First), Some(RacesForm::First)),
            ("all", Some(RacesForm::All), Some(RacesForm::All)),
        ] {
            let wish = races(value).unwrap();
            assert_eq!((wish.form(false), wish.form(true)), (program, test), "{value}");
        }
        let error = races("yes").unwrap_err().to_string();
        assert!(error.contains("SHMEM_RACES=\"yes\" is not understood: write SHMEM_RACES=0"), "{error}");
        let stats = |value| with(&[("SHMEM_STATS", value)]).map(|env| env.stats);
        assert_eq!(with(&[]).unwrap().stats, None);
        assert_eq!(stats("0").unwrap(), None);
        assert_eq!(stats("1").unwrap(), Some(StatsForm::Tables));
        assert_eq!(stats("json").unwrap(), Some(StatsForm::Json));
        let error = stats("all").unwrap_err().to_string();
        assert!(error.ends_with("write SHMEM_STATS=0, SHMEM_STATS=1 or SHMEM_STATS=json"), "{error}");
    }

    #[test]
    fn the_announcement_names_every_variable() {
        let text = with(&[("SHMEM_INFO", "1")]).unwrap().announcement("smp: alone");
        assert!(text.starts_with("shmem "));
        assert!(text.contains("\n  transport smp: alone\n"));
        assert!(VARIABLES.iter().all(|(variable, _)| text.contains(variable)));
    }

    #[test]
    fn traces_go_to_files() {
        let trace = |value| with(&[("SHMEM_TRACE", value)]).map(|env| env.trace);
        assert_eq!(with(&[]).unwrap().trace, None);
        for (value, form) in [
            ("run.json", TraceForm::Json),
            ("a b/c.d.svg", TraceForm::Svg),
            ("/tmp/.hidden.json", TraceForm::Json),
        ] {
            assert_eq!(trace(value).unwrap(), Some(TraceWish { form, file: value.into() }));
        }
        for value in ["1", "run", "run.JSON", ".json", "folder/", "json", "run.json.gz", ".."] {
            let error = trace(value).expect_err(value).to_string();
            assert!(error.starts_with(&format!("SHMEM_TRACE={value:?} is not understood: ")), "{error}");
            assert!(error.ends_with("such as SHMEM_TRACE=run.json"), "{error}");
        }
    }

    #[test]
    fn timelines_have_limits() {
        let slices = |value| with(&[("SHMEM_TRACE_SLICES", value)]).map(|env| env.trace_slices);
        assert_eq!((with(&[]).unwrap().trace_slices, slices("1").unwrap()), (250_000, 1));
        for value in ["0", "-1", "many", "1k", "1000000001"] {
            let error = slices(value).expect_err(value).to_string();
            assert!(error.ends_with("such as SHMEM_TRACE_SLICES=1000000"), "{error}");
        }
    }

    #[test]
    fn transports() {
        let transport = |value| with(&[("SHMEM_TRANSPORT", value)]).map(|env| env.transport);
        assert_eq!(transport("smp").unwrap(), Some(Carrier::Smp));
        assert_eq!(transport("openshmem").unwrap(), Some(Carrier::Openshmem));
        for value in ["SMP", "mpi", "smp ", "1"] {
            let error = transport(value).expect_err(value).to_string();
            assert_eq!(
                error,
                format!(
                    "SHMEM_TRANSPORT={value:?} is not understood: write SHMEM_TRANSPORT=smp or \
                     SHMEM_TRANSPORT=openshmem"
                )
            );
        }
    }

    #[test]
    fn output_goes_somewhere() {
        let output = |value| with(&[("SHMEM_OUTPUT", value)]).map(|env| env.output);
        assert_eq!(with(&[]).unwrap().output, OutputForm::Plain);
        assert_eq!(output("plain").unwrap(), OutputForm::Plain);
        assert_eq!(output("label").unwrap(), OutputForm::Label);
        assert_eq!(output("files").unwrap(), OutputForm::Files(".".into()));
        assert_eq!(output("files=a b/=c").unwrap(), OutputForm::Files("a b/=c".into()));
        for value in ["files=", "file", "labels", "Plain", "/tmp", "label=x"] {
            let error = output(value).expect_err(value).to_string();
            assert!(error.starts_with(&format!("SHMEM_OUTPUT={value:?} is not understood: ")), "{error}");
            assert!(error.ends_with("or SHMEM_OUTPUT=files=FOLDER"), "{error}");
        }
    }

    #[test]
    fn pes_are_bound_to_cores_or_not() {
        let bind = |value| with(&[("SHMEM_BIND", value)]).map(|env| env.bind);
        assert!(!with(&[]).unwrap().bind);
        assert_eq!((bind("none").unwrap(), bind("core").unwrap()), (false, true));
        for value in ["cores", "1", "CORE"] {
            let error = bind(value).expect_err(value).to_string();
            assert_eq!(
                error,
                format!("SHMEM_BIND={value:?} is not understood: write SHMEM_BIND=none or SHMEM_BIND=core")
            );
        }
    }

    #[test]
    fn debuggers_have_pes() {
        let debugger =
            |value| with(&[("SHMEM_DEBUGGER", value)]).map(|env| env.debugger.unwrap().to_string());
        assert_eq!(with(&[]).unwrap().debugger, None);
        for (value, wish) in [
            ("gdb", "gdb:0"),
            ("gdb:3", "gdb:3"),
            ("lldb:2,0,2", "lldb:0,2"),
            ("rust-gdb:1, 0", "rust-gdb:0,1"),
            ("rust-lldb", "rust-lldb:0"),
        ] {
            assert_eq!(debugger(value).unwrap(), wish);
        }
        for value in ["3", "gdb:", "gdb:x", "gdb:-1", "gdb:1,,2", "/usr/bin/gdb:0", "GDB", "gdb:1:2"] {
            let error = debugger(value).expect_err(value).to_string();
            let start = format!(
                "SHMEM_DEBUGGER={value:?} is not understood: write a debugger and the numbers of PEs, such as"
            );
            assert!(
                error.starts_with(&start) && error.ends_with("gdb, lldb, rust-gdb, rust-lldb"),
                "{error}"
            );
        }
    }

    #[test]
    fn launchers_are_words() {
        let launcher = |value| with(&[("SHMEM_LAUNCHER", value)]).map(|env| env.launcher.unwrap());
        assert_eq!(launcher("oshrun").unwrap(), ["oshrun"]);
        assert_eq!(launcher(" srun  --mpi=pmix\t").unwrap(), ["srun", "--mpi=pmix"]);
        for value in [" ", "  "] {
            let error = launcher(value).expect_err(value).to_string();
            assert!(error.ends_with("such as SHMEM_LAUNCHER=\"srun --mpi=pmix\""), "{error}");
        }
    }

    #[test]
    fn counts_of_tests() {
        let counts = |value| with(&[("SHMEM_TEST_NPES", value)]).map(|env| env.test_npes.unwrap());
        let of = |value, of: &[usize]| counts(value).unwrap().of(of);
        assert_eq!(of("3", &[1, 2, 3]), [3]);
        assert_eq!(of("3", &[1, 2]), []);
        assert_eq!(of("1,2, 4", &[4, 3, 2, 1]), [1, 2, 4]);
        // One number of each test, three where it has that.
        assert_eq!(of("3/2/1", &[1, 2, 3]), [3]);
        assert_eq!(of("3 / 2/1", &[1, 2]), [2]);
        assert_eq!(of("3/2/1", &[4]), []);
        assert_eq!(of("1,3/2", &[1, 2]), [1, 2]);
        for value in ["0", "1,,2", "1 2", "4097", "two", "3/", "/2"] {
            let error = counts(value).expect_err(value).to_string();
            assert!(error.starts_with(&format!("SHMEM_TEST_NPES={value:?} is not understood: ")), "{error}");
            assert!(error.ends_with("such as SHMEM_TEST_NPES=1,2,4"), "{error}");
        }
    }

    #[test]
    fn times() {
        let time = |value| with(&[("SHMEM_TIMEOUT", value)]).map(|env| env.timeout.unwrap().as_secs());
        for (value, seconds) in [("30s", 30), ("30", 30), ("5m", 300), ("2h", 7200), ("1s", 1)] {
            assert_eq!(time(value).unwrap(), seconds, "{value:?}");
        }
        assert_eq!(with(&[]).unwrap().timeout, None);
        for value in ["0", "0s", "s", "-1s", "1.5s", "1d", "99999999999999999999h", "6000000000000000h"] {
            let error = time(value).expect_err(value).to_string();
            assert!(error.ends_with("such as SHMEM_TIMEOUT=30s or SHMEM_TIMEOUT=5m"), "{error}");
        }
    }

    #[test]
    fn time_limits() {
        let limit = |value| with(&[("SHMEM_TEST_TIMEOUT", value)]).map(|env| env.test_timeout);
        assert_eq!(limit("1").unwrap(), Duration::from_secs(1));
        for value in ["0", "-1", "1.5", "soon", "31536001"] {
            assert!(limit(value).is_err(), "{value:?}");
        }
    }
}
