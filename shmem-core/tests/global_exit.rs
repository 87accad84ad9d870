//! A PE that ends the whole job.

mod harness;

use std::process::{Command, ExitCode, Output};

use libtest_mimic::Trial;
use shmem::prelude::*;

use harness::{Program, trials, without_launcher};

#[symmetric]
static READY: Atomic<u64> = Atomic::new(0);

const PROGRAMS: &[Program] = &[
    ("one", one),
    ("all", all),
    ("thread", thread),
    ("in-a-barrier", in_a_barrier),
    ("locked-output", locked_output),
    ("caught", caught),
];

fn main() -> ExitCode {
    harness::main(PROGRAMS, tests)
}

/// Every test, for the harness.
fn tests() -> Vec<Trial> {
    trials! {
        the_job_ends_with_the_status
        all_may_end_it_at_once
        any_thread_may_end_it
        nobody_is_waited_for
        it_is_no_panic
    }
}

/// The status that the program is to end with.
fn status() -> u8 {
    std::env::args().nth(3).and_then(|status| status.parse().ok()).expect("a status")
}

/// Never returns; nobody ends the wait but the supervisor.
fn wait_for_ever() -> ! {
    wait!(READY == u64::MAX);
    unreachable!("nobody writes this")
}

#[shmem::main(npes = 4)]
fn one(world: &World) {
    if world.my_pe() == 2 {
        remote!(READY[0]) = 1;
        // In the buffer of standard output, without the end of a line.
        print!("the last words");
        world.global_exit(status());
    }
    wait_for_ever();
}

#[shmem::main(npes = 4)]
fn all(world: &World) {
    world.barrier_all();
    world.global_exit(status());
}

#[shmem::main(npes = 2)]
fn thread(world: &World) {
    if world.my_pe() == 1 {
        std::thread::scope(|scope| {
            scope.spawn(|| world.global_exit(status()));
            wait_for_ever();
        });
    }
    wait_for_ever();
}

#[shmem::main(npes = 3)]
fn in_a_barrier(world: &World) {
    if world.my_pe() == 0 {
        world.global_exit(status());
    }
    world.barrier_all();
    unreachable!("PE 0 never comes");
}

#[shmem::main(npes = 2)]
fn locked_output(world: &World) {
    if world.my_pe() == 0 {
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let _held = std::io::stdout().lock();
            sender.send(()).expect("the other thread listens");
            wait_for_ever();
        });
        receiver.recv().expect("the other thread speaks");
        world.global_exit(status());
    }
    wait_for_ever();
}

#[shmem::main(npes = 2)]
fn caught(world: &World) {
    if world.my_pe() == 0 {
        let panic = std::panic::catch_unwind(|| panic!("a caught panic"));
        assert!(panic.is_err());
        world.global_exit(status());
    }
    wait_for_ever();
}

/// Runs a program, in both forms of the system layer.
fn program(name: &str, status: u8, each: impl Fn(&Output)) {
    for system in ["linux", "portable"] {
        if system == "linux" && !cfg!(target_os = "linux") {
            continue;
        }
        let mut command = Command::new(std::env::current_exe().expect("the path of this binary"));
        command.args(["--program", name, &status.to_string()]);
        for variable in ["NPES", "SYMMETRIC_SIZE", "INFO", "VERSION", "DEBUG", "SMP_JOB", "STATS"] {
            command.env_remove(format!("SHMEM_{variable}"));
        }
        let output = command.env("SHMEM_SYSTEM", system).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(i32::from(status)), "{name}, {system}: {output:?}");
        each(&output);
    }
}

/// What it has printed on standard error.
fn told(output: &Output) -> String {
    without_launcher(&String::from_utf8_lossy(&output.stderr))
}

/// What the library reports of a job that PE `pe` of `npes` ended.
fn report(pe: usize, npes: usize, status: u8) -> String {
    match status {
        0 => String::new(),
        _ => format!("shmem: PE {pe} of {npes} ended the job with status {status}, by global_exit\n"),
    }
}

fn the_job_ends_with_the_status() {
    for status in [0, 1, 3, 101, 255] {
        program("one", status, |output| {
            assert_eq!(String::from_utf8_lossy(&output.stdout), "the last words");
            assert_eq!(told(output), report(2, 4, status));
        });
    }
}

fn all_may_end_it_at_once() {
    for status in [0, 9] {
        for _ in 0..10 {
            program("all", status, |output| {
                let text = String::from_utf8_lossy(&output.stderr);
                // A launcher whose processes all want to end it may have something to say beside.
                let ours: String =
                    text.split_inclusive('\n').filter(|line| line.starts_with("shmem: ")).collect();
                assert!((0..4).any(|pe| ours == report(pe, 4, status)), "{text}");
            });
        }
    }
}

fn any_thread_may_end_it() {
    for status in [0, 4] {
        program("thread", status, |output| {
            assert_eq!(told(output), report(1, 2, status));
        });
    }
}

fn nobody_is_waited_for() {
    for status in [0, 5] {
        for (name, npes) in [("in-a-barrier", 3), ("locked-output", 2)] {
            program(name, status, |output| {
                assert_eq!(told(output), report(0, npes, status));
            });
        }
    }
}

fn it_is_no_panic() {
    for status in [0, 6] {
        program("caught", status, |output| {
            let text = told(output);
            assert!(text.contains("a caught panic") && text.ends_with(&report(0, 2, status)), "{text}");
            assert_eq!(
                text.lines().filter(|line| line.starts_with("shmem: ")).count(),
                usize::from(status != 0)
            );
        });
    }
}
