//! The programs whose processes are watched: each a `#[shmem::main]` function, chosen by its name.

use std::cell::RefCell;
use std::io::Read;
use std::process::{Command, ExitCode, exit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid, kill_process};
use shmem::prelude::*;
use shmem::{Error, SymmetricArray, Team};

use crate::harness::{Program, say};

#[symmetric]
static VISITS: Atomic<u64> = Atomic::new(0);

/// All of them, by name.
pub(crate) const PROGRAMS: &[Program] = &[
    ("hello", hello),
    ("one-thread", crate::levels::one_thread),
    ("one-of-many", crate::levels::one_of_many),
    ("in-turn", crate::levels::in_turn),
    ("failing", failing),
    ("all", all),
    ("starts-another", starts_another),
    ("forks", forks),
    ("twice", twice),
    ("crowd", crowd),
    ("stdin", stdin),
    ("waiting", waiting),
    ("code", code),
    ("behind", behind),
    ("caught", caught),
    ("dirty", crate::dirty::dirty),
    ("mixed", crate::mixed::mixed),
    ("meetings", crate::program_of_meetings::meetings),
    ("stands-still", crate::table::stands_still),
];

/// An argument after the program's name.
pub(crate) fn argument() -> String {
    std::env::args().nth(3).unwrap_or_default()
}

#[shmem::main(npes = 3)]
fn hello(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    remote!(VISITS[right]) += 1;
    wait!(VISITS == 1);
    say(&format!("hello from PE {} of {}", world.my_pe(), world.n_pes()));
}

/// PE 1 fails as the argument says, while PE 0 waits in a barrier and PE 2 computes and waits for
/// nobody.
#[shmem::main(npes = 3)]
fn failing(world: &World) -> Result<(), String> {
    world.barrier_all();
    match world.my_pe() {
        1 => fail(world),
        0 => {
            world.barrier_all();
            Ok(())
        }
        _ => {
            // For longer than any test waits; not for ever, so that nothing is left of a test that
            // fails.
            let started = Instant::now();
            while started.elapsed() < Duration::from_secs(300) {
                thread::yield_now();
            }
            panic!("nobody has ended the job");
        }
    }
}

fn fail(world: &World) -> Result<(), String> {
    match argument().as_str() {
        "panic" => panic!("a deliberate panic"),
        "resume" => std::panic::resume_unwind(Box::new("without a hook")),
        "thread" => {
            thread::scope(|scope| {
                scope.spawn(|| exit(5));
                world.barrier_all();
            });
        }
        "error" => return Err(String::from("no input\nat all")),
        "exit-0" => exit(0),
        "exit-3" => exit(3),
        "end-0" => world.global_exit(0),
        "end-7" => world.global_exit(7),
        "abort" => std::process::abort(),
        "kill" => {
            kill_process(getpid(), Signal::KILL).expect("this process is ours");
            unreachable!("it does not come back");
        }
        how => unreachable!("{how} is no way to fail"),
    }
    Ok(())
}

/// Every PE fails.
#[shmem::main(npes = 4)]
fn all(world: &World) -> Result<(), String> {
    world.barrier_all();
    Err(format!("PE {} has had enough", world.my_pe()))
}

/// PE 1 starts a program of its own.
#[shmem::main(npes = 2)]
fn starts_another(world: &World) {
    if world.my_pe() == 1 {
        let program = std::env::current_exe().expect("the program's path");
        let mut command = Command::new(program);
        // It has no part in the heap of this one.
        command.args(["--program", "hello"]).env_remove("SHMEM_SYMMETRIC_SIZE");
        if argument() == "alone" {
            command.env_remove("SHMEM_TRANSPORT");
        }
        let status = command.status().expect("the program starts");
        assert!(status.success());
    }
    world.barrier_all();
}

/// A copy of a PE is no PE: its exit ends nothing.
#[shmem::main(npes = 2)]
fn forks(world: &World) {
    if world.my_pe() == 1 {
        // SAFETY: the copy has the calling thread alone, and does no more than exit.
        let copy = unsafe { libc::fork() };
        assert!(copy >= 0);
        if copy == 0 {
            // SAFETY: as above; the handlers that run are what is tested.
            unsafe { libc::exit(9) };
        }
        let mut status = 0;
        // SAFETY: the copy is a child of this process.
        let waited = unsafe { libc::waitpid(copy, &raw mut status, 0) };
        assert_eq!((waited, libc::WEXITSTATUS(status)), (copy, 9));
    }
    world.barrier_all();
    say(&format!("PE {} goes on", world.my_pe()));
}

/// Joins a job twice.
fn twice() -> ExitCode {
    let first = hello();
    let second = hello();
    assert_eq!((first, second), (ExitCode::SUCCESS, ExitCode::FAILURE));
    ExitCode::SUCCESS
}

/// Joins a job from many threads at once: those that are not the first end it.
fn crowd() -> ExitCode {
    let start = std::sync::Barrier::new(8);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                start.wait();
                hello()
            });
        }
    });
    ExitCode::SUCCESS
}

#[shmem::main(npes = 2)]
fn stdin(world: &World) {
    let mut text = String::new();
    let read = std::io::stdin().read_to_string(&mut text).ok();
    say(&format!("PE {} read {read:?}: {text:?}", world.my_pe()));
}

/// Waits for ever, once each has said that it is there.
#[shmem::main(npes = 3)]
fn waiting(world: &World) {
    world.barrier_all();
    say("waiting");
    wait!(VISITS == u64::MAX);
}

/// PE 1 returns the status that is the argument.
#[shmem::main(npes = 2)]
fn code(world: &World) -> ExitCode {
    let code: u8 = argument().parse().expect("a status");
    if world.my_pe() == 1 { ExitCode::from(code) } else { ExitCode::SUCCESS }
}

#[symmetric]
static LARGE: [u64; 1 << 22] = [0; 1 << 22];

/// Whether a thread has begun to access symmetric memory.
static BEGUN: AtomicBool = AtomicBool::new(false);

fn wait_for_the_thread() {
    while !BEGUN.load(Ordering::Acquire) {
        thread::yield_now();
    }
}

/// Leaves a thread behind that goes on as the argument says, and objects that are dropped when the
/// process ends.
#[shmem::main(npes = 2)]
fn behind(world: &World) -> Result<(), Error> {
    thread_local!(static KEPT: RefCell<Option<(Team, SymmetricArray<u64, 1>)>> = const { RefCell::new(None) });
    let team = world.team().split_strided(0, 1, world.n_pes())?.expect("all are members");
    KEPT.set(Some((team, world.zeros([10])?)));
    let (how, right) = (argument(), (world.my_pe() + 1) % world.n_pes());
    thread::spawn(move || {
        let source = vec![7; 1 << 22];
        loop {
            match how.as_str() {
                "put" => remote!(LARGE[right, 5] = 1),
                "large" => remote!(LARGE[right, { 0 }..] = &source[..]),
                "own" => local!(LARGE[{ 0 }..] = &source[..]),
                "add" => remote!(VISITS[right] += 1),
                "fetch" => assert!(remote!(&VISITS[right]).fetch_add(1) < u64::MAX),
                "test" => assert!(!poll!(VISITS == 1)),
                other => unreachable!("{other} is not known"),
            }
            BEGUN.store(true, Ordering::Release);
        }
    });
    wait_for_the_thread();
    Ok(())
}

/// A thread puts all the time, while another enters a phase: the one that has joined the job puts,
/// or one that was there before.
fn caught() -> ExitCode {
    static JOINED: AtomicBool = AtomicBool::new(false);
    fn puts() -> ! {
        let sources = [vec![7; 1 << 22], vec![8; 1 << 22]];
        for source in sources.iter().cycle() {
            remote!(LARGE[0, { 0 }..] = &source[..]);
            BEGUN.store(true, Ordering::Release);
        }
        unreachable!("they come again")
    }
    #[shmem::main(npes = 1)]
    fn joins(world: &World) {
        let phase = || {
            wait_for_the_thread();
            world.local_phase(|p| {
                let large = LARGE.as_slice(p);
                let sum = || std::hint::black_box(&large[..]).iter().step_by(512).sum::<u64>();
                let before = sum();
                // Until the other thread is caught, which ends the job; not for ever, so that
                // nothing is left of a test that fails.
                let started = Instant::now();
                while started.elapsed() < Duration::from_secs(300) {
                    if sum() != before {
                        say("changed in a phase");
                        return;
                    }
                }
            });
        };
        if argument() == "before" {
            JOINED.store(true, Ordering::Release);
            phase();
        } else {
            thread::scope(|scope| {
                scope.spawn(phase);
                puts();
            });
        }
    }
    if argument() == "before" {
        thread::spawn(|| {
            while !JOINED.load(Ordering::Acquire) {
                thread::yield_now();
            }
            puts();
        });
    }
    joins()
}
