//! Programs over the C library: they are looked at in the same way, where all PEs run on one host and
//! the program has started the launcher itself.
//!
//! These tests are instead of the others in a run with `SHMEM_TRANSPORT=openshmem`. A job over the
//! library takes long to start, so only some of the programs run.

use std::cell::RefCell;
use std::process::Command;

use libtest_mimic::Trial;
use rustix::process::{Signal, getpid, kill_process};
use shmem::LockGuard;
use shmem::prelude::*;

use crate::cases::{OfPair, assert_pair, assert_single, looking};
use crate::harness::{say, trials};
use crate::open_mpi::for_tests;
use crate::programs::{BETWEEN, FIRST, SECOND};
use crate::singles::SINGLES;
use crate::watch::{program, run};

#[symmetric]
static HALO: [u64; 16] = [0; 16];
#[symmetric]
static HITS: Atomic<u64> = Atomic::new(0);
#[symmetric]
static LOCK: Lock = Lock::new();

/// Each kind of access, of synchronisation and of mistake once.
const CHOSEN: [&str; 25] = [
    "put-put",
    "put-get",
    "no-own-copy",
    "no-interleaved",
    "interleaved-too-far",
    "no-counters-fetched",
    "no-lock",
    "half-a-lock",
    "no-put-signal",
    "put-before-put-signal",
    "context-put-default-fence",
    "no-context-fence",
    "no-dropped-context",
    "double-buffer",
    "no-double-buffer",
    "result-read-by-another",
    "no-scan",
    "no-views",
    "no-threads",
    "no-resized",
    "poll-in-vain",
    "no-wait-any",
    "nbi-read-overwritten",
    "no-batch",
    "batch-with-a-barrier-inside",
];

/// Those whose way is another one where each PE is treated as if it had a host of its own.
const FAR: [&str; 5] =
    ["context-put-default-fence", "no-context-fence", "no-lock", "result-read-by-another", "no-scan"];

/// What is between a put of PE 0 and a load of PE 1.
const CHOSEN_BETWEEN: [&str; 6] = ["nothing", "sync_all", "barrier_all", "flag", "fence-flag", "phase"];

/// Whether the tests are to run over the library.
pub(crate) fn is_wanted() -> bool {
    cfg!(feature = "openshmem") && std::env::var_os("SHMEM_TRANSPORT").is_some_and(|it| it == "openshmem")
}

/// The tests over the library.
pub(crate) fn all() -> Vec<Trial> {
    let mut trials = trials! {
        a_program_that_is_right_by_luck
        a_lock_that_the_end_of_a_thread_releases
        all_races_are_reported_at_the_end
        what_a_race_leads_to_comes_after_it
        a_job_without_races_ends_as_it_would
        a_launcher_alone_does_not_look
    };
    for name in CHOSEN {
        trials.push(Trial::test(format!("singles::{name}"), move || {
            single(name, "1");
            Ok(())
        }));
    }
    for name in FAR {
        trials.push(Trial::test(format!("far::{name}"), move || {
            single(name, "0");
            Ok(())
        }));
    }
    for between in CHOSEN_BETWEEN {
        trials.push(Trial::test(format!("pairs::{between}"), move || {
            pair(between);
            Ok(())
        }));
    }
    trials
}

/// The program over the library.
fn over_the_library(name: &str, arguments: &[&str]) -> Command {
    let mut command = program(name);
    command.args(arguments).env("SHMEM_TRANSPORT", "openshmem");
    for_tests(&mut command);
    command
}

fn single(name: &str, direct: &str) {
    let (_, parts) = SINGLES.iter().find(|(known, _)| *known == name).expect("a program of this name");
    let mut command = over_the_library("single", &[name]);
    assert_single(name, parts, &looking(command.env("SHMEM_DIRECT", direct)));
}

fn pair(between: &str) {
    let (first, second) = (FIRST[0], SECOND[0]);
    assert_eq!((first.0, second.0), ("put", "load"));
    let between = BETWEEN.into_iter().find(|(known, ..)| *known == between).expect("one of this name");
    let ended = looking(&mut over_the_library("pair", &[first.0, between.0, second.0]));
    assert_pair(OfPair { first, between, second }, &ended);
}

/// A halo exchange that forgets to complete its puts. Where memory is shared, a put is done when it
/// returns, and the values are right.
#[shmem::main(npes = 3)]
pub(crate) fn by_luck(world: &World) {
    let (me, n) = (world.my_pe() as u64, world.n_pes() as u64);
    for round in 0..50 {
        remote!(HALO[(me as usize + 1) % n as usize, 0..8]) = [100 * round + me; 8]; // the put
        world.sync_all();
        let halo = local!(HALO[0..8]); // the load
        assert_eq!(halo, [100 * round + (me + n - 1) % n; 8]);
        world.barrier_all();
    }
    say("right");
}

/// The line of this file that has this text, once.
fn line(text: &str) -> String {
    let lines = include_str!("library.rs").lines().zip(1..);
    let found: Vec<_> = lines.filter(|(line, _)| line.contains(text) && !line.contains("line(")).collect();
    assert_eq!(found.len(), 1, "{text:?} is there once");
    format!("library.rs:{}", found[0].1)
}

/// Without the search it prints that it is right, on shared memory and over the library.
pub(crate) fn a_program_that_is_right_by_luck() {
    let commands: fn() -> Command =
        if is_wanted() { || over_the_library("by-luck", &[]) } else { || program("by-luck") };
    let ended = run(&mut commands());
    ended.assert_quiet_success();
    assert_eq!(ended.lines(), ["right"; 3]);

    let ended = looking(&mut commands());
    assert_eq!(ended.status.code(), Some(66), "{ended:#?}");
    let mut rest = &ended.stderr[..];
    for part in [
        "shmem: race on HALO[0..8] of PE ",
        &line("// the put"),
        "has not completed it",
        &line("// the load"),
        "after sync_all (",
        "world.barrier_all() in place of sync_all",
    ] {
        let Some(at) = rest.find(part) else { panic!("no {part:?} in {ended:#?}") };
        rest = &rest[at + part.len()..];
    }
    assert_eq!(ended.reports().len(), 1, "{ended:#?}");
}

/// A thread keeps the guard of a lock, and releases it when there is nothing left of what the crate keeps
/// for the thread.
#[shmem::main(npes = 2)]
pub(crate) fn guard_of_a_thread(world: &World) {
    thread_local!(static KEPT: RefCell<Option<LockGuard<'static>>> = const { RefCell::new(None) });
    for _ in 0..3 {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // The destructor of this is registered before those of the crate, and called after them.
                KEPT.set(None);
                let guard = LOCK.lock();
                remote!(HALO[0, 0]) = remote!(HALO[0, 0]) + 1;
                world.quiet();
                KEPT.set(Some(guard));
            });
        });
    }
    world.barrier_all();
    assert_eq!(remote!(HALO[0, 0]), 6);
    say("released");
}

/// With the search too.
pub(crate) fn a_lock_that_the_end_of_a_thread_releases() {
    let mut command =
        if is_wanted() { over_the_library("guard-of-a-thread", &[]) } else { program("guard-of-a-thread") };
    let ended = looking(&mut command);
    ended.assert_quiet_success();
    assert_eq!(ended.lines(), ["released"; 2]);
}

/// Two races, of which the second is that of the last accesses.
#[shmem::main(npes = 3)]
pub(crate) fn to_the_end(world: &World) {
    let me = world.my_pe() as u64;
    for _ in 0..20_000 {
        remote!(HITS[0]) += 1;
    }
    remote!(HALO[0, 0]) = me;
    world.barrier_all();
    say("at the end");
    remote!(HALO[0, 1]) = me;
}

/// The rings of the PEs have no room for what they do, and the last of it is read too.
fn all_races_are_reported_at_the_end() {
    let ended = run(over_the_library("to-the-end", &[]).env("SHMEM_RACES", "all"));
    assert_eq!(ended.status.code(), Some(66), "{ended:#?}");
    assert_eq!(ended.lines(), ["at the end"; 3]);
    let mut rest = &ended.stderr[..];
    for part in
        ["shmem: race on HALO[0] of PE 0\n", "race on HALO[1] of PE 0\n", "\n2 races found (SHMEM_RACES=all)"]
    {
        let Some(at) = rest.find(part) else { panic!("no {part:?} in {ended:#?}") };
        rest = &rest[at + part.len()..];
    }
}

/// PE 1 ends as the argument says, after a race if the second one says so.
#[shmem::main(npes = 3)]
pub(crate) fn ends(world: &World) {
    let arguments: Vec<String> = std::env::args().skip(3).collect();
    let is_racy = arguments.get(1).is_some_and(|word| word == "after a race");
    if is_racy {
        remote!(HALO[0, 0]) = 7;
    }
    world.barrier_all();
    if world.my_pe() == 1 {
        match &arguments[0][..] {
            "panic" => panic!("a deliberate panic"),
            "kill" => kill_process(getpid(), Signal::KILL).expect("this process is ours"),
            "end" => world.global_exit(7),
            how => unreachable!("{how} is no way to end"),
        }
    }
    world.barrier_all();
}

/// The ways, with the status of the job and its report.
fn ends_of_a_job() -> [(&'static str, i32, &'static str); 3] {
    // Other launchers do not say which PE it was.
    let killed = if has_own_launcher() { "PE 1 of 3" } else { "a PE" };
    let killed = format!("{killed} was killed by signal 9 (SIGKILL)").leak();
    [
        ("panic", 101, "PE 1 of 3 panicked at "),
        ("kill", 137, killed),
        ("end", 7, "PE 1 of 3 ended the job with status 7, by global_exit"),
    ]
}

/// Whether the C library is this project's own.
fn has_own_launcher() -> bool {
    let version = Command::new("oshrun").arg("--version").output().expect("the library has a launcher");
    version.stdout == format!("oshrun {}\n", env!("CARGO_PKG_VERSION")).as_bytes()
}

fn what_a_race_leads_to_comes_after_it() {
    for (way, _, report) in ends_of_a_job() {
        let ended = run(over_the_library("ends", &[way, "after a race"]).env("SHMEM_RACES", "all"));
        assert_eq!(ended.status.code(), Some(66), "{way}: {ended:#?}");
        let race = ended.stderr.find("shmem: race on HALO[0] of PE 0\n");
        let consequence = ended.stderr.find(&format!("\n{report}"));
        assert!(race.is_some() && race < consequence, "{way}: {ended:#?}");
    }
}

fn a_job_without_races_ends_as_it_would() {
    for (way, status, report) in ends_of_a_job() {
        let ended = looking(&mut over_the_library("ends", &[way]));
        ended.assert_failed(status, &format!("shmem: {report}"));
    }
}

/// The launcher of another library that a user starts reads no journals. The program runs, and says that.
fn a_launcher_alone_does_not_look() {
    let itself = program("by-luck");
    let mut command = Command::new("oshrun");
    command.args(["-np", "2"]).arg(itself.get_program()).args(itself.get_args()).env("SHMEM_RACES", "1");
    for (variable, _) in itself.get_envs().filter(|(name, value)| *name != "SHMEM_RACES" && value.is_none()) {
        command.env_remove(variable);
    }
    for_tests(&mut command);
    let ended = run(&mut command);
    if has_own_launcher() {
        // It looks itself, at the PEs that it has started.
        assert!(
            ended.status.code() == Some(66) && ended.stderr.starts_with("shmem: race on HALO"),
            "{ended:#?}"
        );
        return;
    }
    assert!(ended.status.success(), "{ended:#?}");
    assert_eq!(ended.lines(), ["right"; 2]);
    let expected = "shmem: SHMEM_RACES=1 is not used: races are looked for where the program starts the launcher itself: start it \
                    without one, with SHMEM_TRANSPORT=openshmem and SHMEM_NPES=2";
    assert_eq!(ended.reports(), [expected], "{ended:#?}");
}
