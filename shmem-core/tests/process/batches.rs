//! Batches that do not end as they should: what the job says of them.

use std::process::exit;

use rustix::process::{Signal, getpid, kill_process};
use shmem::prelude::*;

use crate::programs::argument;
use crate::watch::{Ended, program, run};

#[symmetric]
static COUNTS: [Atomic<u64>; 500] = [Atomic::new(0); 500];
#[symmetric]
static DATA: [u64; 500] = [5; 500];

/// The last PE does what the argument says in the middle of its batch. The others end theirs.
#[shmem::main]
pub(crate) fn in_a_batch(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (how, is_last) = (argument(), me + 1 == n);
    let mut seen = vec![0; 7777];
    if is_last && how == "return" {
        return;
    }
    if is_last && how == "barrier" {
        world.barrier_all(); // beside a batch
    }
    world.batch(|b| {
        for (i, place) in seen.iter_mut().enumerate() {
            remote!(b; COUNTS[i % n, i % 500]) += 1;
            if i % 7 == 0 {
                remote!(b; DATA[(i / 7) % n, i % 500] => place);
            }
        }
        if is_last {
            match &how[..] {
                "panic" => panic!("a deliberate panic"),
                "kill" => kill_process(getpid(), Signal::KILL).expect("this process is ours"),
                "exit" => exit(3),
                // For longer than the limit; not for ever.
                "compute" => {
                    let begin = std::time::Instant::now();
                    while begin.elapsed().as_secs() < 300 {}
                }
                "barrier" => {}
                other => unreachable!("{other} is not known"),
            }
        }
    });
}

/// The place of the line of this file that has this text, once.
fn place(text: &str) -> String {
    let lines = include_str!("batches.rs").lines().zip(1..);
    let found: Vec<_> = lines.filter(|(line, _)| line.contains(text) && !line.contains("place(")).collect();
    assert_eq!(found.len(), 1, "{text:?} is there once");
    format!("{}:{}", file!(), found[0].1)
}

/// Runs the program as on one host, and as if each PE had a host of its own, with so many PEs.
fn each(how: &str, numbers: &[usize], variables: &[(&str, &str)], look: impl Fn(usize, &str, &Ended) + Sync) {
    // They wait most of the time.
    std::thread::scope(|scope| {
        for direct in ["1", "0"] {
            for npes in numbers {
                let look = &look;
                scope.spawn(move || {
                    let mut command = program("in-a-batch");
                    command.arg(how).env("SHMEM_NPES", npes.to_string()).env("SHMEM_DIRECT", direct);
                    let ended = run(command.envs(variables.iter().copied()));
                    // A panic also says what was done.
                    let reports = 1 + usize::from(how == "panic");
                    assert_eq!(
                        ended.reports().len(),
                        reports,
                        "{how}, {npes} PEs, direct {direct}: {ended:#?}"
                    );
                    look(*npes, direct, &ended);
                });
            }
        }
    });
}

pub(crate) fn the_pe_that_is_late_for_the_end_of_a_batch_is_named() {
    each("compute", &[2, 3], &[("SHMEM_TIMEOUT", "2s")], |npes, direct, ended| {
        assert_eq!(ended.status.code(), Some(124), "{ended:#?}");
        let last = npes - 1;
        let others = if npes == 2 { "PE 0 waits" } else { "PE 0, 1 wait" };
        let why = format!("why: {others} in batch for PE {last}, and PE {last} computes");
        let row = format!("1 of {npes} is missing: PE {last}");
        for part in [&why, &row, "  in batch since ", &place("world.batch(|b| {")] {
            assert!(ended.stderr.contains(part), "{part}, direct {direct}: {ended:#?}");
        }
    });
}

pub(crate) fn pes_that_do_not_end_the_same_batch_are_named() {
    for (how, others) in [("return", "has returned"), ("barrier", "barrier_all")] {
        for check in ["0", "1"] {
            each(how, &[2, 3], &[("SHMEM_CHECK", check)], |_, direct, ended| {
                assert!(!ended.status.success(), "{ended:#?}");
                // Unchecked, the barrier may be that at the end of the batch. Then it is the next one that fails.
                let others = if (how, check) == ("barrier", "0") { "the" } else { others };
                for part in ["batch", others, &place("world.batch(|b| {")] {
                    assert!(ended.stderr.contains(part), "{how}, {part}, {check}, {direct}: {ended:#?}");
                }
            });
        }
    }
}

pub(crate) fn a_pe_that_fails_in_a_batch_ends_the_job() {
    let ways = [
        ("panic", 101, "panicked at "),
        ("kill", 137, "signal 9 (SIGKILL)"),
        ("exit", 3, "exited with status 3"),
    ];
    for (how, status, report) in ways {
        each(how, &[2, 4], &[], |npes, direct, ended| {
            let is_told = ended.reports().iter().any(|line| line.contains(report));
            assert!(
                is_told && ended.status.code() == Some(status),
                "{how}, {npes} PEs, direct {direct}: {ended:#?}"
            );
        });
    }
}

/// All that it had issued, near and far.
pub(crate) fn a_panic_in_a_batch_says_what_was_done() {
    each("panic", &[1, 3], &[], |npes, direct, ended| {
        let line = format!(
            "shmem: PE {} left its batch at {}:11 by a panic: all 8888 operations that it had issued are complete\n",
            npes - 1,
            place("world.batch(|b| {")
        );
        assert!(ended.stderr.contains(&line), "{line}{npes} PEs, direct {direct}: {ended:#?}");
    });
}
