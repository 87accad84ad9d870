//! The jobs that run on this machine, seen from outside.
//!
//! On Linux the supervisor of a job listens on an abstract Unix socket, whose name holds the user's
//! number and that of its process: `shmem-UID-PID`. `/proc/net/unix` lists these names. A client
//! writes one line, and reads the answer to the end: `where` is answered by a table, `end` by a
//! sentence, `info` by lines of a key and a value.

use std::collections::BTreeMap;
use std::io;

use crate::cli;
use crate::failure::{Done, Failure};
use crate::print::{print, table};

/// A job, as its supervisor describes it.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// The process of the supervisor.
    pid: u32,
    /// What it says about the job; nothing if it did not answer.
    facts: BTreeMap<String, String>,
}

impl Job {
    fn fact(&self, key: &str) -> &str {
        self.facts.get(key).map_or("?", String::as_str)
    }

    /// The name and the process, for messages.
    fn title(&self) -> String {
        format!("{} (process {})", self.fact("name"), self.pid)
    }

    /// Whether the supervisor still listens.
    pub(crate) fn is_there(&self) -> bool {
        supervisors().is_ok_and(|pids| pids.contains(&self.pid))
    }

    /// Asks the supervisor.
    pub(crate) fn ask(&self, word: &str) -> Result<String, Failure> {
        let pid = self.pid;
        let silent = || {
            Failure::new(format!("the supervisor of the job, process {pid}, does not answer"))
                .help(format!("it may be stopped: `kill -CONT {pid}` lets it go on"))
        };
        if self.facts.is_empty() {
            return Err(silent());
        }
        ask(pid, word).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => silent(),
            io::ErrorKind::ConnectionRefused => Failure::new(format!("the job {} has ended", self.title())),
            _ => Failure::new(format!("cannot ask the job {}: {error}", self.title())),
        })
    }
}

/// `cargo shmem where`.
pub(crate) fn report(which: &cli::Job) -> Done {
    print(&find(which)?.ask("where")?)
}

/// `cargo shmem kill`.
pub(crate) fn kill(which: &cli::Job) -> Done {
    print(&find(which)?.ask("end")?)
}

/// `cargo shmem info JOB`.
pub(crate) fn describe(which: &cli::Job) -> Done {
    let job = find(which)?;
    let mut text = String::new();
    for key in ["name", "pid", "pes", "seconds", "transport", "program"] {
        text += &format!("{key}: {}\n", job.fact(key));
    }
    print(&text)
}

/// The job that the user means.
pub(crate) fn find(which: &cli::Job) -> Result<Job, Failure> {
    let jobs = jobs()?;
    let Some(wanted) = &which.job else {
        return match jobs.as_slice() {
            [] => Err(Failure::new("no job of this user runs on this machine")),
            [one] => Ok(one.clone()),
            several => {
                Err(Failure::new("several jobs run: name one of them, or its process").help(list(several)))
            }
        };
    };
    let is_meant = |job: &&Job| job.fact("name") == wanted || job.pid.to_string() == *wanted;
    let meant: Vec<&Job> = jobs.iter().filter(is_meant).collect();
    match (meant.as_slice(), jobs.as_slice()) {
        ([one], _) => Ok((*one).clone()),
        ([], []) => Err(Failure::new(format!("no job `{wanted}`: no job of this user runs on this machine"))),
        ([], others) => Err(Failure::new(format!("no job `{wanted}`")).help(list(others))),
        (several, _) => {
            let several: Vec<Job> = several.iter().map(|job| (*job).clone()).collect();
            Err(Failure::new(format!("several jobs are called {wanted}: name the process"))
                .help(list(&several)))
        }
    }
}

/// A list of jobs, after the word `help: `.
fn list(jobs: &[Job]) -> String {
    format!("these run\n{}", rows(jobs).trim_end())
}

/// The lines of a table of jobs.
fn rows(jobs: &[Job]) -> String {
    let mut rows = vec![["name", "process", "PEs", "age"].map(String::from).to_vec()];
    rows.extend(jobs.iter().map(|job| {
        let age = job.fact("seconds").parse().map_or_else(|_| job.fact("seconds").to_owned(), age);
        vec![job.fact("name").to_owned(), job.pid.to_string(), job.fact("pes").to_owned(), age]
    }));
    table(&rows, "<>>>", "  ")
}

/// The jobs of this user, for `cargo shmem info`; nothing where they cannot be found.
pub(crate) fn overview() -> String {
    match jobs().as_deref() {
        Err(_) => String::new(),
        Ok([]) => "\nrunning jobs\n  none\n".to_owned(),
        Ok(jobs) => format!("\nrunning jobs\n{}", rows(jobs)),
    }
}

/// A time in the largest two units.
fn age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3600..86400 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86400, seconds / 3600 % 24),
    }
}

/// The running jobs of this user.
pub(crate) fn jobs() -> Result<Vec<Job>, Failure> {
    let mut jobs = Vec::new();
    for pid in supervisors()? {
        match ask(pid, "info") {
            Ok(answer) => {
                let facts = answer.lines().filter_map(|line| line.split_once(": "));
                let facts = facts.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
                jobs.push(Job { pid, facts });
            }
            // It has ended since it was listed.
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
            Err(_) => jobs.push(Job { pid, facts: BTreeMap::new() }),
        }
    }
    Ok(jobs)
}

/// The processes of this user that listen as supervisors, in order.
#[cfg(target_os = "linux")]
fn supervisors() -> Result<std::collections::BTreeSet<u32>, Failure> {
    let list = std::fs::read_to_string("/proc/net/unix")
        .map_err(Failure::system("cannot find the running jobs: /proc/net/unix"))?;
    let prefix = format!("@{}", name_of(""));
    // A connection has the name of its listener, so a name may be there more than once.
    let names = list.lines().filter_map(|line| line.split_ascii_whitespace().nth(7)?.strip_prefix(&prefix));
    Ok(names.filter_map(|pid| pid.parse().ok()).collect())
}

#[cfg(not(target_os = "linux"))]
fn supervisors() -> Result<std::collections::BTreeSet<u32>, Failure> {
    Err(Failure::new("running jobs can be found on Linux only"))
}

/// The name of the socket of a supervisor.
#[cfg(target_os = "linux")]
fn name_of(pid: impl std::fmt::Display) -> String {
    format!("shmem-{}-{pid}", rustix::process::geteuid().as_raw())
}

/// Writes one word to a supervisor, and reads its answer.
#[cfg(target_os = "linux")]
fn ask(pid: u32, word: &str) -> io::Result<String> {
    use std::io::{Read as _, Write as _};
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixStream};
    use std::time::Duration;

    /// How long a supervisor may take to answer. It looks for a client whenever it looks at its PEs,
    /// and does not answer while it is stopped. It waits up to 15 s for other hosts.
    const PATIENCE: Duration = Duration::from_secs(20);

    let address = SocketAddr::from_abstract_name(name_of(pid))?;
    let mut socket = UnixStream::connect_addr(&address)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.set_write_timeout(Some(PATIENCE))?;
    let mut answer = Vec::new();
    let asked = socket.write_all(format!("{word}\n").as_bytes());
    // A supervisor that ends meanwhile closes the connection, at once or with no answer.
    match asked.and_then(|()| socket.read_to_end(&mut answer)) {
        Err(error) if !matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => {
            Err(error)
        }
        _ if answer.is_empty() => Err(io::ErrorKind::ConnectionRefused.into()),
        _ => Ok(String::from_utf8_lossy(&answer).into_owned()),
    }
}

#[cfg(not(target_os = "linux"))]
fn ask(_: u32, _: &str) -> io::Result<String> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages() {
        let ages = [0, 59, 60, 3599, 3600, 86399, 86400, 200_000].map(age);
        let told =
            ["0 s", "59 s", "1 min 0 s", "59 min 59 s", "1 h 0 min", "23 h 59 min", "1 d 0 h", "2 d 7 h"];
        assert_eq!(ages, told);
    }
}
