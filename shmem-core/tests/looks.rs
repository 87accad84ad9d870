//! A PE that waits in a barrier looks at the others from time to time, and asks the library for that. It stops when they
//! have come: on a slow network the looks of one PE would otherwise keep all others waiting, who would look in turn.

mod harness;
#[path = "harness/open_mpi.rs"]
mod open_mpi;

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use shmem::prelude::*;

use harness::{Program, say, trials};

const PROGRAMS: &[Program] = &[("late", late)];

/// Where files tell other PEs how far a PE is: in its call of the library a PE cannot use this crate.
const FOLDER: &str = "TEST_LOOKS_FOLDER";

/// On PE 0, once it waits: for how many PEs, and how often it has asked one of them for a word since.
static OTHERS: OnceLock<usize> = OnceLock::new();
static ASKED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" {
    fn pshmem_getmem(to: *mut c_void, from: *const c_void, len: usize, pe: c_int);
    fn pshmem_quiet();
}

/// The library's routine, by its name. On PE 0 the first call lasts until all others are past the barrier.
#[unsafe(no_mangle)]
unsafe extern "C" fn shmem_getmem(to: *mut c_void, from: *const c_void, len: usize, pe: c_int) {
    if let Some(&others) = OTHERS.get()
        && ASKED.fetch_add(1, Ordering::Relaxed) == 0
    {
        reached("look");
        // They may look at this PE in turn, which must help the library then.
        // SAFETY: the job runs.
        (1..=others).for_each(|pe| wait_for(&format!("past-{pe}"), || unsafe { pshmem_quiet() }));
    }
    // SAFETY: the library's own routine, with the arguments of the caller, who keeps its conditions.
    unsafe { pshmem_getmem(to, from, len, pe) };
}

fn file(name: &str) -> PathBuf {
    Path::new(&std::env::var_os(FOLDER).expect("the test has set it")).join(name)
}

fn reached(name: &str) {
    File::create(file(name)).expect("the folder can be written to");
}

fn wait_for(name: &str, meanwhile: impl Fn()) {
    let (file, since) = (file(name), Instant::now());
    while !file.exists() {
        assert!(since.elapsed() < Duration::from_secs(60), "{name} has not come");
        meanwhile();
        thread::sleep(Duration::from_millis(1));
    }
}

/// The others come to the barrier when PE 0 looks for them.
#[shmem::main]
fn late(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    world.sync_all();
    if me == 0 {
        OTHERS.get_or_init(|| n - 1);
        world.sync_all();
        say(&format!("asked {}", ASKED.load(Ordering::Relaxed)));
    } else {
        wait_for("look", || ());
        world.sync_all();
        reached(&format!("past-{me}"));
    }
    world.sync_all();
}

fn main() -> ExitCode {
    harness::main(PROGRAMS, tests)
}

fn tests() -> Vec<Trial> {
    trials! {
        a_look_ends_with_the_wait
    }
}

fn a_look_ends_with_the_wait() {
    for pes in [2, 3, 4, 7] {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let mut command = Command::new(std::env::current_exe().expect("the path of this binary"));
        command.args(["--program", "late"]).env(FOLDER, folder.path()).env("SHMEM_NPES", pes.to_string());
        command.envs([("SHMEM_TRANSPORT", "openshmem"), ("SHMEM_CHECK", "0"), ("SHMEM_DIRECT", "own")]);
        open_mpi::for_tests(&mut command);
        let output = command.output().expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "asked 1\n", "{pes} PEs");
    }
}
