//! Runs examples on two hosts and more, over the C library, and counts what crosses the cable between them.
//!
//! The hosts are sets of namespaces on this machine; see [`hosts`]. Where the machine does not
//! permit these, or lacks a tool, the tests are ignored, and a notice says why.
//! `-- --include-ignored` makes that a failure.

mod batches;
#[path = "../common/mod.rs"]
mod common;
mod faults;
mod hosts;
mod messages;
mod network;
mod phases;
mod puts;
mod teams;
mod times;
mod waits;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read as _, Seek as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Trial, run};

use common::{
    KEYS, Ranks, check_halo, check_hello, check_histogram, check_picture, check_sort, decode, finish,
    package, pes, program,
};
use hosts::Cluster;
use network::Network;

/// Started with this argument, the binary sets up two hosts, says so, and waits to be killed.
const HOLD: &str = "--hold";

/// What was counted for each example, line by line.
static FIGURES: Mutex<String> = Mutex::new(String::new());

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some(HOLD) => return hold(),
        Some(network::SWITCH) => return network::switch(),
        Some(teams::PROGRAM) => return teams::teams(),
        Some(times::MEASURE) => return times::measure(&times::TIMES),
        Some(times::MEASURE_MESSAGES) => return times::measure(&times::MESSAGES),
        Some(times::PROGRAM) => return times::repeats(),
        Some(puts::PROGRAM) => return puts::puts(),
        Some(phases::PROGRAM) => return phases::late(),
        Some(batches::PROGRAM) => return batches::updates_and_reads(),
        Some(faults::PROGRAM) => return faults::goes_on(),
        Some(messages::PROGRAM) => return messages::killed(),
        Some(waits::PROGRAM) => return waits::stands_still(),
        _ => {}
    }
    let mut arguments = Arguments::from_args();
    // One after the other: a job has up to four PEs, and these poll.
    arguments.test_threads.get_or_insert(1);

    let refused = refused();
    let mut trials: Vec<Trial> = PROGRAMS.iter().flat_map(Program::trials).collect();
    for (name, test) in [
        ("hosts_share_nothing_but_the_cable", hosts_share_nothing_but_the_cable as fn()),
        ("on_one_host_nothing_crosses", on_one_host_nothing_crosses),
        ("a_phase_begins_while_another_host_puts", a_phase_begins_while_another_host_puts),
        ("teams_straddle_the_hosts", teams::teams_straddle_the_hosts),
        ("large_puts_cross_in_few_packets", puts::large_puts_cross_in_few_packets),
        ("batches_cross_in_messages", batches::batches_cross_in_messages),
        ("a_limit_ends_a_job_on_two_hosts", waits::a_limit_ends_a_job_on_two_hosts),
        ("a_quit_signal_shows_the_parts_of_both_hosts", waits::a_quit_signal_shows_the_parts_of_both_hosts),
        ("a_pe_of_the_other_host_is_killed", faults::a_pe_of_the_other_host_is_killed),
        ("a_launcher_of_two_hosts_is_killed", faults::a_launcher_of_two_hosts_is_killed),
        ("a_starter_of_two_hosts_is_killed", faults::a_starter_of_two_hosts_is_killed),
        ("a_host_vanishes", faults::a_host_vanishes),
        ("the_cable_is_cut", faults::the_cable_is_cut),
        ("the_cable_is_cut_and_the_launcher_waits", faults::the_cable_is_cut_and_the_launcher_waits),
        ("messages_are_those_of_the_page", messages::messages_are_those_of_the_page),
        ("a_host_ends_with_all_that_runs_on_it", a_host_ends_with_all_that_runs_on_it),
        ("a_killed_test_leaves_nothing_behind", a_killed_test_leaves_nothing_behind),
    ] {
        trials.push(trial(name, test));
    }
    let with_switch = [
        ("teams_straddle_four_hosts", teams::teams_straddle_four_hosts as fn()),
        (
            "a_network_that_loses_packets_changes_no_result",
            teams::a_network_that_loses_packets_changes_no_result,
        ),
        ("a_slow_network_changes_no_result", faults::a_slow_network_changes_no_result),
    ];
    // One is set up only for tests that run.
    let is_chosen = |name: &str| arguments.filter.as_ref().is_none_or(|filter| name.contains(filter));
    let asks = !arguments.list && with_switch.iter().any(|(name, _)| is_chosen(name));
    let without_switch = refused.clone().or_else(|| asks.then(network::refused).flatten());
    let with_switch = with_switch.into_iter().map(|(name, test)| trial(name, test));
    if !arguments.list {
        let which = if refused.is_some() { "all tests" } else { "the tests with a switch" };
        if let Some(reason) = &without_switch {
            eprintln!("\nNOT TESTED: {which} of this file are ignored on this machine.\n{reason}\n");
        }
    }
    let trials = trials.into_iter().map(|trial| trial.with_ignored_flag(refused.is_some()));
    let with_switch = with_switch.map(|trial| trial.with_ignored_flag(without_switch.is_some()));
    let trials = trials.chain(with_switch).collect();
    let conclusion = run(&arguments, trials);
    let figures = FIGURES.lock().expect("nobody panics with it");
    if !figures.is_empty() {
        println!(
            "{:<10} {:>3} {:>12} {:>12} {:>12}",
            "bytes", "PEs", "had to cross", "crossed", "launch alone"
        );
        println!("{figures}");
    }
    conclusion.exit_code()
}

/// A test of this name.
fn trial(name: &str, test: fn()) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

/// Why the tests cannot run here, and what would change that.
fn refused() -> Option<String> {
    // The options of other launchers are other ones, those of Open MPI 5 too.
    let version = Command::new("oshrun").arg("--version").stdin(Stdio::null()).output();
    if !version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("(OpenRTE) ")) {
        let reason = "`oshrun` on the path is not that of Open MPI 4. On Debian: apt-get install openmpi-bin \
                      libopenmpi-dev";
        return Some(reason.to_owned());
    }
    let error = Cluster::up().err()?;
    Some(format!(
        "{error}\nNeeded are `unshare` and `nsenter` (util-linux), `ip` (iproute2), and the right to make namespaces: as \
         root, in a container only if it has CAP_SYS_ADMIN (docker run --privileged); as a user, where user namespaces \
         are allowed (sysctl user.max_user_namespaces, and kernel.apparmor_restrict_unprivileged_userns=0)."
    ))
}

/// Two hosts; a test that runs has asked whether it can have them.
#[track_caller]
fn cluster() -> Cluster {
    Cluster::up().unwrap_or_else(|error| panic!("no two hosts: {error}"))
}

/// So many hosts on such a network; a test that runs has asked whether it can have two.
#[track_caller]
fn on(network: Network, hosts: usize) -> Cluster {
    Cluster::on(network, hosts).unwrap_or_else(|error| panic!("no {hosts} hosts: {error}"))
}

// The examples -----------------------------------------------------------------------------------------------

/// An example, and what is known of a run of it.
struct Program {
    name: &'static str,
    arguments: &'static [&'static str],
    /// Puts the files there that it reads.
    prepare: fn(&Cluster),
    /// Checks what it has printed, and written, on so many PEs.
    check: fn(&Cluster, usize, &str),
    /// The bytes that must cross the cable at least, with half of the PEs on each host: elements
    /// alone, without what the library and the network add to them.
    crossing: fn(usize, &str) -> usize,
}

/// Files of the near host.
const PICTURE: &str = "/dev/shm/heat.png";
const LOCK_FILE: &str = "/dev/shm/Cargo.lock";

const PROGRAMS: [Program; 5] = [
    Program {
        name: "hello",
        arguments: &[],
        prepare: |_| {},
        check: |_, npes, out| check_hello(npes, out),
        // Each PE of the far host puts its number on PE 0, and adds to a cell there.
        crossing: |npes, _| npes / 2 * (8 + 8),
    },
    Program {
        name: "halo",
        arguments: &[PICTURE],
        prepare: |_| {},
        check: |cluster, npes, out| {
            check_halo(npes, out, Path::new(PICTURE));
            check_picture(&decode(&cluster.near().path(PICTURE)));
        },
        // The plate is cut between the hosts from left to right. In each step the cells along the cut
        // go both ways; in the end PE 0 reads the half of the plate that the far host has.
        crossing: |_, _| (120 * 2 * 420 + 400 * 420 / 2) * 8,
    },
    Program {
        name: "histogram",
        arguments: &[],
        prepare: |_| {},
        check: |_, npes, out| check_histogram(npes, out),
        // Of the 17 bins, at least 8 are on the other host. The batch combines the updates of a bin:
        // from each PE one operand for each bin.
        crossing: |npes, _| npes * 8 * 8,
    },
    Program {
        name: "sort",
        arguments: &[],
        prepare: |_| {},
        check: |_, npes, out| check_sort(npes, out),
        // Half of the keys belong on the other host, give or take; and PE 0 reads those that lie on
        // the far one.
        crossing: |npes, _| (KEYS * npes * 9 / 20 + KEYS * npes * 9 / 20) * 4,
    },
    Program {
        name: "pagerank",
        arguments: &[LOCK_FILE],
        prepare: |cluster| {
            fs::write(cluster.near().path(LOCK_FILE), crossing_graph())
                .expect("the host's /dev/shm can be written to");
        },
        check: |_, npes, out| {
            let Ranks { heading, top, summary } = Ranks::of(out);
            assert_eq!(heading, format!("{LOCK_FILE}: a graph of {CRATES} crates and {CRATES} edges"));
            assert!(
                summary.contains(&format!(" iterations on {}; the largest difference", pes(npes))),
                "{summary}"
            );
            assert_eq!((top.len(), &*top[0].0, top[0].2), (10, "near-0 1.0.0", 2));
        },
        // In each iteration a share is read over every edge.
        crossing: |_, out| {
            let summary = Ranks::of(out).summary;
            let iterations: usize =
                summary.split(' ').next().and_then(|word| word.parse().ok()).expect("a number of iterations");
            iterations * CRATES * 8
        },
    },
];

/// Crates in the graph that pagerank gets.
const CRATES: usize = 1000;

/// A lock file whose first half of crates lies on the near host, and the second on the far one,
/// where every dependency is one of a crate on the other host. Ranks flow towards the crate
/// `near-0`.
fn crossing_graph() -> String {
    let half = CRATES / 2;
    let near = (0..half).map(|i| package(&format!("near-{i}"), "1.0.0", &[&format!("far-{i}")]));
    let far = (0..half).map(|i| package(&format!("far-{i}"), "1.0.0", &[&format!("near-{}", i / 2)]));
    near.chain(far).collect()
}

impl Program {
    /// A test with a PE on each host, and one with two.
    fn trials(&'static self) -> [Trial; 2] {
        [2, 4].map(|npes| {
            Trial::test(format!("{}_on_{npes}_pes", self.name), move || {
                self.crosses(npes);
                Ok(())
            })
        })
    }

    /// Runs the example with half of the PEs on each host.
    fn crosses(&self, npes: usize) {
        let mut cluster = cluster();
        // What a job costs that moves nothing.
        let (launch, _) = counted(&mut cluster, |cluster| {
            let mut idle = cluster.oshrun(&[npes / 2, npes / 2]);
            idle.arg("true");
            idle
        });
        (self.prepare)(&cluster);
        let (bytes, out) = counted(&mut cluster, |cluster| self.command(cluster, &[npes / 2, npes / 2]));
        (self.check)(&cluster, npes, &out);
        let least = (self.crossing)(npes, &out);
        let figures = format!("{:<10} {npes:>3} {least:>12} {bytes:>12} {launch:>12}\n", self.name);
        FIGURES.lock().expect("nobody panics with it").push_str(&figures);
        assert!(bytes >= launch + least, "{} took another way than the cable", self.name);
    }

    /// The command that runs the example.
    fn command(&self, cluster: &Cluster, npes: &[usize]) -> Command {
        let mut command = cluster.oshrun(npes);
        command.env("SHMEM_TRANSPORT", "openshmem").args(["-x", "SHMEM_TRANSPORT"]);
        command.arg(program(self.name)).args(self.arguments);
        command
    }
}

/// Runs a job, and returns how many bytes have crossed the cable meanwhile, and what it has
/// printed.
#[track_caller]
fn counted(cluster: &mut Cluster, job: impl FnOnce(&Cluster) -> Command) -> (usize, String) {
    let before = cluster.bytes();
    let mut job = job(cluster);
    let out = finish(&mut job, |_| cluster.end()).ok();
    (cluster.bytes() - before, out)
}

// The hosts --------------------------------------------------------------------------------------------------

fn hosts_share_nothing_but_the_cable() {
    let cluster = cluster();
    for kind in ["mnt", "uts", "ipc", "net", "pid"] {
        let [near, far] = [cluster.near(), cluster.far()]
            .map(|host| host.namespace(kind).expect("the host has a first process"));
        let here = fs::read_link(format!("/proc/self/ns/{kind}")).expect("this process has namespaces");
        assert!(near != far && near != here && far != here, "{kind}: {near:?}, {far:?}, and here {here:?}");
    }
    // So is `/dev/shm`, where libraries put shared memory.
    fs::write(cluster.near().path("/dev/shm/near"), "").expect("the host's /dev/shm can be written to");
    assert!(cluster.near().path("/dev/shm/near").exists());
    assert!(!cluster.far().path("/dev/shm/near").exists() && !Path::new("/dev/shm/near").exists());
}

/// The counters count what crosses, and nothing else: both PEs of this job are on the same host.
fn on_one_host_nothing_crosses() {
    let [_, halo, ..] = &PROGRAMS;
    let mut cluster = cluster();
    let (bytes, out) = counted(&mut cluster, |cluster| halo.command(cluster, &[2, 0]));
    (halo.check)(&cluster, 2, &out);
    // The kernels of the hosts greet each other.
    assert!(bytes < (halo.crossing)(2, &out) / 100, "{bytes} bytes have crossed the cable");
}

/// A PE with two threads has closed its heap for a phase, and what others do until they come to the
/// phase still arrives there: over such a network the library of the target carries it out.
fn a_phase_begins_while_another_host_puts() {
    let mut cluster = cluster();
    let this = std::env::current_exe().expect("the test has a path");
    let (_, out) = counted(&mut cluster, |cluster| {
        let mut command = cluster.oshrun(&[1, 1]);
        command.arg(&this).arg(phases::PROGRAM);
        command
    });
    assert_eq!(out, phases::DONE);
}

fn a_host_ends_with_all_that_runs_on_it() {
    let mut cluster = cluster();
    let mut sleepers = [cluster.near(), cluster.far()].map(|host| {
        let mut sleep = host.command("sh");
        // It has become a child of nobody, and says so.
        sleep.args(["-c", "setsid sh -c 'echo asleep; sleep 1000' & wait"]).stdout(Stdio::piped());
        let mut sleeper = sleep.spawn().expect("a command can be started");
        let mut line = String::new();
        let mut out = BufReader::new(sleeper.stdout.take().expect("it is piped"));
        out.read_line(&mut line).expect("a pipe can be read");
        assert_eq!(line, "asleep\n");
        (sleeper, out)
    });
    cluster.end();
    for (sleeper, out) in &mut sleepers {
        // Nobody holds the other end of the pipe any more.
        assert_eq!(out.read_line(&mut String::new()).expect("a pipe can be read"), 0);
        assert!(!sleeper.wait().expect("the child is ours").success());
    }
}

fn a_killed_test_leaves_nothing_behind() {
    let this = std::env::current_exe().expect("the test has a path");
    let mut holder =
        Command::new(this).arg(HOLD).stdout(Stdio::piped()).spawn().expect("the test can be started");
    let mut line = String::new();
    BufReader::new(holder.stdout.take().expect("it is piped"))
        .read_line(&mut line)
        .expect("a pipe can be read");
    // Of this process, also when another has its number later.
    let mut first = File::open(Path::new("/proc").join(line.trim()).join("stat")).expect("it runs");

    holder.kill().expect("the child is ours");
    holder.wait().expect("the child is ours");
    let killed = Instant::now();
    // Of one that is gone nothing can be read.
    while first.rewind().and_then(|()| first.read_to_string(&mut String::new())).is_ok() {
        assert!(killed.elapsed() < Duration::from_secs(60), "process {} is still there", line.trim());
        thread::sleep(Duration::from_millis(5));
    }
}

/// Has the far host print which is the near one's first process, and waits to be killed.
fn hold() -> ExitCode {
    let cluster = cluster();
    let mut command = cluster.far().command("sh");
    command.args(["-c", &format!("echo {}; exec sleep 1000", cluster.near().number())]);
    let status = command.status().expect("a command can be started");
    unreachable!("nobody wakes it: {status}")
}
