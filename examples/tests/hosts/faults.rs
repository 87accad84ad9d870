//! What is left of a job on two hosts when something of it dies, or the cable is cut: one report,
//! and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use shmem::prelude::*;

use super::hosts::{Cluster, Host};
use super::network::Network;
use super::waits::Job;
use super::{cluster, on};

/// Started with this argument, the binary is this program.
pub(crate) const PROGRAM: &str = "--goes-on";
/// A job ends in seconds. A machine may be busy, and a job that hangs does so for ever.
const LIMIT: Duration = Duration::from_secs(60);

#[symmetric]
static STEPS: Atomic<u64> = Atomic::new(0);

/// PEs that add to each other and meet, as often as the next argument says, or for ever.
#[shmem::main]
pub(crate) fn goes_on(world: &World) {
    println!("begins");
    let next = (world.my_pe() + 1) % world.n_pes();
    let steps = std::env::args().nth(2).map_or(u64::MAX, |steps| steps.parse().expect("a number of steps"));
    for step in 1..=steps {
        thread::sleep(Duration::from_millis(5));
        remote!(STEPS[next]) += 1;
        world.barrier_all();
        assert!(local!(STEPS) >= step);
    }
    world.barrier_all();
    println!("{} steps", local!(STEPS));
}

/// A job on two hosts, and what was on the hosts before.
struct Struck {
    cluster: Cluster,
    before: [BTreeSet<String>; 2],
    job: Job,
}

impl Struck {
    /// Starts the program with two PEs on each host, with these variables, and waits until all have
    /// begun.
    fn start(variables: &[(&str, &str)]) -> Struck {
        let cluster = cluster();
        let before = [cluster.near(), cluster.far()].map(inventory);
        let mut command = cluster.starting(&[2, 2], std::env::current_exe().expect("the test has a path"));
        command.arg(PROGRAM).env("SHMEM_SYMMETRIC_SIZE", "16M").envs(variables.iter().copied());
        let mut job = Job::start(&mut command);
        job.until(|job| (job.out().matches("begins").count() == 4).then_some(()));
        Struck { cluster, before, job }
    }

    /// The process on the near host of the program that has started the launcher.
    fn starter(&self) -> u32 {
        self.job.out().lines().next().and_then(|line| line.parse().ok()).expect("it tells its number first")
    }

    /// Waits for the end, and checks that there is one report, with this text, and nothing else of
    /// the job on the hosts.
    #[track_caller]
    fn assert_ended(mut self, statuses: &[i32], report: &str, is_far_there: bool) {
        let status = self.job.end();
        let err = self.job.err();
        assert!(status.is_some_and(|status| statuses.contains(&status)), "{status:?}: {err}");
        let reports: Vec<&str> = err.lines().filter(|line| line.starts_with("shmem: ")).collect();
        assert!(reports.len() == 1 && reports[0].contains(report), "{err}");
        until_nothing_is_left(self.cluster.near(), &self.before[0]);
        if is_far_there {
            until_nothing_is_left(self.cluster.far(), &self.before[1]);
        }
    }
}

/// Runs a line of the shell on a host.
#[track_caller]
fn shell(host: &Host, line: &str) {
    let output = host.command("sh").args(["-c", line]).output().expect("a host has a shell");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The process of a PE among those of its host.
#[track_caller]
fn process_of(host: &Host, pe: usize) -> u32 {
    let wanted = format!("[PE {pe}]");
    let processes = fs::read_dir(host.path("/proc")).expect("the host has a /proc").flatten();
    let is_pe = |number: &u32| {
        let shown = fs::read_to_string(host.path(format!("/proc/{number}/comm"))).unwrap_or_default();
        shown.contains(&wanted)
    };
    let mut numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_pe);
    numbers.next().unwrap_or_else(|| panic!("PE {pe} is not there"))
}

/// Processes and shared memory of a host, each in a few words. Those of the far host are also
/// processes of the near one.
fn inventory(host: &Host) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let processes = fs::read_dir(host.path("/proc")).expect("the host has a /proc");
    for process in
        processes.flatten().filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit())
    {
        // It may end meanwhile. One that has ended, and that nobody waits for, is none.
        let stat = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
        if !matches!(state, None | Some('Z' | 'X')) {
            let words = stat.split_once(") ").map_or("", |(words, _)| words);
            found.insert(format!("process {words})"));
        }
    }
    files(&host.path("/dev/shm"), &mut found);
    // Of the host whose process looks.
    let segments = host.command("cat").arg("/proc/sysvipc/shm").output().expect("a host has commands");
    let segments = String::from_utf8_lossy(&segments.stdout);
    found.extend(segments.lines().skip(1).map(|line| format!("segment {line}")));
    found
}

fn files(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        found.insert(format!("file {}", entry.path().display()));
        files(&entry.path(), found);
    }
}

/// Waits until a host has no more than before.
#[track_caller]
fn until_nothing_is_left(host: &Host, before: &BTreeSet<String>) {
    let started = Instant::now();
    loop {
        let now = inventory(host);
        let left: Vec<&String> = now.difference(before).collect();
        if left.is_empty() {
            return;
        }
        assert!(started.elapsed() < LIMIT, "left on the host: {left:#?}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The report is that of a killed PE on one host: the launcher names the PE.
pub(crate) fn a_pe_of_the_other_host_is_killed() {
    let struck = Struck::start(&[]);
    let far = struck.cluster.far();
    shell(far, &format!("kill -KILL {}", process_of(far, 3)));
    struck.assert_ended(&[137], "a PE was killed by signal 9 (SIGKILL)", true);
}

/// Nobody on the hosts can clean up after a launcher that is killed.
pub(crate) fn a_launcher_of_two_hosts_is_killed() {
    let struck = Struck::start(&[]);
    let starter = struck.starter();
    shell(struck.cluster.near(), &format!("kill -KILL $(cat /proc/{starter}/task/{starter}/children)"));
    struck.assert_ended(&[137], "the launcher oshrun was killed by signal 9 (SIGKILL)", true);
}

/// Nothing is reported: nobody is there that could.
pub(crate) fn a_starter_of_two_hosts_is_killed() {
    let mut struck = Struck::start(&[]);
    shell(struck.cluster.near(), &format!("kill -KILL {}", struck.starter()));
    let _ = struck.job.end();
    assert!(!struck.job.err().contains("shmem: "), "{}", struck.job.err());
    until_nothing_is_left(struck.cluster.near(), &struck.before[0]);
    until_nothing_is_left(struck.cluster.far(), &struck.before[1]);
}

/// All that runs on it ends with it.
pub(crate) fn a_host_vanishes() {
    let mut struck = Struck::start(&[]);
    struck.cluster.end_far();
    // It depends on what the launcher sees first: the end of its connection, or that of its remote
    // shell.
    struck.assert_ended(&[205, 9], "and no PE recorded a reason; see the output of oshrun above", false);
}

/// Each part of the launcher finds out by itself, within the limit, that the other one does not
/// answer.
pub(crate) fn the_cable_is_cut() {
    let struck = Struck::start(&[("SHMEM_TIMEOUT", "3s")]);
    // What is under way when the cable is cut keeps the far host from asking: it waits for the
    // kernel, which by default tries again for a quarter of an hour.
    shell(struck.cluster.far(), "echo 5 >/proc/sys/net/ipv4/tcp_retries2");
    thread::sleep(Duration::from_millis(500));
    shell(struck.cluster.near(), "ip link set cable down");
    struck.assert_ended(&[205, 124], "", true);
}

/// Where the launcher does not find out, the program does that has started it.
pub(crate) fn the_cable_is_cut_and_the_launcher_waits() {
    let never = ("OMPI_MCA_oob_tcp_keepalive_time", "0");
    let mut struck = Struck::start(&[("SHMEM_TIMEOUT", "2s"), never]);
    shell(struck.cluster.near(), "ip link set cable down");
    struck.job.status();
    // The far host would try for a quarter of an hour to reach the near one.
    struck.cluster.end_far();
    struck.assert_ended(&[124], ": nobody has moved for 2 s (SHMEM_TIMEOUT)", false);
}

/// A network that is slow, and at times not there, only delays a job.
pub(crate) fn a_slow_network_changes_no_result() {
    let network = Network { latency: Duration::from_millis(2), rate: 125_000, lost: 0, goes_first: false };
    let cluster = on(network, 2);
    let mut command = cluster.starting(&[2, 2], std::env::current_exe().expect("the test has a path"));
    command.args([PROGRAM, "100"]).env("SHMEM_SYMMETRIC_SIZE", "16M");
    let mut job = Job::start(&mut command);
    job.until(|job| (job.out().matches("begins").count() == 4).then_some(()));
    for _ in 0..2 {
        shell(cluster.near(), "ip link set cable down");
        thread::sleep(Duration::from_millis(500));
        shell(cluster.near(), "ip link set cable up");
        thread::sleep(Duration::from_millis(300));
    }
    assert_eq!(job.end(), Some(0), "{}", job.err());
    assert_eq!(job.out().matches("100 steps").count(), 4, "{}", job.out());
}
