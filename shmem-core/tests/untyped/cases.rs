//! The tests.

use std::process::Command;

use libtest_mimic::Trial;
use rustix::process::Signal;

use crate::harness::trials;
use crate::open_mpi::for_tests;
use crate::races::an_atomic_operation_after_a_flag_races_with_plain_access;
use crate::watch::{Running, program, run};

/// Both forms of the system layer, where there are two.
const SYSTEMS: &[&str] = if cfg!(target_os = "linux") { &["linux", "portable"] } else { &["portable"] };

/// Every test, for the harness.
pub(crate) fn all() -> Vec<Trial> {
    trials! {
        a_process_joins_and_leaves_several_jobs
        a_launcher_starts_another_program
        a_launcher_starts_a_program_of_the_language
        a_program_that_cannot_be_started_is_named
        a_failed_join_names_why
        a_pe_that_ends_without_leaving_ends_the_job
        memory_is_claimed_resized_and_released
        transfers_have_strides_on_both_sides
        teams_and_contexts_outlive_what_made_them
        cells_and_locks_are_found_by_their_addresses
        statics_become_symmetric_where_they_are
        a_pe_that_does_not_join_again_is_named
        pes_that_disagree_in_a_later_job_are_named
        a_shell_may_stand_between
        what_a_shell_has_started_ends_with_the_job
        a_script_starts_one_program_of_a_job
        atomic_operations_race_with_plain_access
        an_atomic_operation_after_a_flag_races_with_plain_access
    }
}

/// The launcher of `npes` PEs, for a command whose words are its arguments.
fn launcher(npes: usize) -> Command {
    let mut launcher = program("launch");
    launcher.env("SHMEM_NPES", npes.to_string());
    launcher
}

/// The launcher of a program of this binary.
pub(crate) fn launched(npes: usize, name: &str) -> Command {
    let mut launcher = launcher(npes);
    launcher.arg(std::env::current_exe().expect("the path of this binary")).args(["--program", name]);
    launcher
}

/// Over a C library, too, which stays initialised between the jobs.
fn a_process_joins_and_leaves_several_jobs() {
    assert_runs("jobs", "four jobs");
    for check in ["0", "1"] {
        let ended = run(launched(3, "jobs").env("SHMEM_CHECK", check));
        ended.assert_quiet_success();
        assert_eq!(ended.lines(), ["four jobs"; 3]);
    }
    // The statistics are those of each job.
    let ended = run(launched(2, "jobs").env("SHMEM_STATS", "1"));
    assert!(ended.status.success(), "{ended:#?}");
    let adds: Vec<&str> =
        ended.stderr.lines().filter(|line| line.contains("all  ") && line.contains("atomic_add")).collect();
    assert!(
        adds.len() == 4 && adds.iter().all(|line| line.split_whitespace().nth(2) == Some("4")),
        "{ended:#?}"
    );
}

fn a_launcher_starts_another_program() {
    let script = "echo \"$STARTED_BY, $NOT_FOR_PES, $0, $1\"";
    let ended = run(launcher(3).env("NOT_FOR_PES", "x").args(["sh", "-c", script, "zero", "one"]));
    // No process has joined the job, and all have ended well.
    ended.assert_quiet_success();
    assert_eq!(ended.lines(), ["the launcher, , zero, one"; 3]);
}

fn a_launcher_starts_a_program_of_the_language() {
    let ended = run(&mut launched(3, "language"));
    ended.assert_quiet_success();
    let beside = |pe: usize| format!("PE {pe} of 3, beside PE {}", (pe + 2) % 3);
    assert_eq!(ended.lines(), (0..3).map(beside).collect::<Vec<_>>());
}

fn a_program_that_cannot_be_started_is_named() {
    let nowhere = run(launcher(2).arg("/nowhere/program"));
    nowhere.assert_failed(1, "shmem: cannot start PE 0 of 2, /nowhere/program: No such file");
    let folder = run(launcher(2).arg("/tmp"));
    folder.assert_failed(1, "shmem: cannot start PE 0 of 2, /tmp: Permission denied");
}

fn a_failed_join_names_why() {
    let alone = run(&mut program("inside"));
    assert_eq!(alone.status.code(), Some(3), "{alone:#?}");
    assert_eq!(alone.stdout, "not joined: no launcher has started this process, so it is no PE of a job\n");

    let twice = run(&mut launched(3, "inside"));
    twice.assert_quiet_success();
    assert_eq!(twice.lines(), ["this process is in a job already"; 3]);

    let large = run(launched(2, "large").env("SHMEM_SYMMETRIC_SIZE", "1M"));
    large.assert_failed(3, "shmem: PE ");
    let report = "could not join the job: the symmetric heap is exhausted: ";
    assert!(large.reports()[0].contains(report) && large.stdout.contains("not joined: "), "{large:#?}");
}

fn a_pe_that_ends_without_leaving_ends_the_job() {
    let ended = run(&mut launched(3, "early"));
    ended.assert_failed(1, "shmem: PE 1 of 3 exited with status 0 before its function had returned");
}

/// Runs the program `name` at several numbers of PEs, near and by the transport, and over the C
/// library where this build has it; each PE says `line`. A run with `SHMEM_TRANSPORT` is about that one.
fn assert_runs(name: &str, line: &str) {
    let transports: &[(&str, &[usize])] = &[("smp", &[1, 2, 3, 4, 7]), ("openshmem", &[1, 2, 3])];
    let wanted = std::env::var("SHMEM_TRANSPORT").ok();
    for &(transport, counts) in transports {
        if wanted.as_ref().is_some_and(|wanted| wanted != transport)
            || (transport == "openshmem" && !cfg!(feature = "openshmem"))
        {
            continue;
        }
        for (npes, direct) in counts.iter().flat_map(|npes| [(*npes, "1"), (*npes, "0")]) {
            let settings = [("SHMEM_TRANSPORT", transport), ("SHMEM_DIRECT", direct)];
            let mut command = launched(npes, name);
            for_tests(&mut command);
            let ended = run(command.envs(settings));
            ended.assert_quiet_success();
            assert_eq!(ended.lines(), vec![line; npes], "{npes} PEs, {settings:?}");
        }
    }
}

fn memory_is_claimed_resized_and_released() {
    assert_runs("claims", "claimed");
}

fn transfers_have_strides_on_both_sides() {
    assert_runs("strided", "moved");
}

fn teams_and_contexts_outlive_what_made_them() {
    assert_runs("kept", "kept");
}

fn cells_and_locks_are_found_by_their_addresses() {
    assert_runs("cells", "cells");
}

fn statics_become_symmetric_where_they_are() {
    for npes in [1, 2, 3, 4, 7] {
        for direct in ["1", "0"] {
            let mut command = launched(npes, "segments");
            let ended = run(command.env("SHMEM_SYMMETRIC_SIZE", "80M").env("SHMEM_DIRECT", direct));
            ended.assert_quiet_success();
            assert_eq!(ended.lines(), vec!["symmetric where they are"; npes], "{npes} PEs");
        }
    }
    #[cfg(feature = "openshmem")]
    {
        let mut command = launched(2, "no_segment");
        for_tests(&mut command);
        let ended = run(command.env("SHMEM_TRANSPORT", "openshmem"));
        ended.assert_quiet_success();
        assert!(
            ended.lines().iter().all(|line| line.starts_with("the heap of a C library cannot be mapped"))
        );
        assert_eq!(ended.lines().len(), 2);
    }
}

fn a_pe_that_does_not_join_again_is_named() {
    let ended = run(&mut launched(3, "missed"));
    ended.assert_failed(1, "shmem: PE 1 of 3 ended with status 0 after it had left a job, ");
}

fn pes_that_disagree_in_a_later_job_are_named() {
    let ended = run(&mut launched(3, "apart"));
    ended.assert_failed(1, "shmem: PE ");
    let report = "the PEs disagree: PE 1 has returned from its function, and PE ";
    assert!(ended.reports()[0].contains(report), "{ended:#?}");
}

/// The launcher of a shell, which runs `script` with a program of this binary as its arguments.
fn by_shell(npes: usize, script: &str, name: &str) -> Command {
    let mut launcher = launcher(npes);
    let this = std::env::current_exe().expect("the path of this binary");
    launcher.args(["sh", "-c", script, "sh"]).arg(this).args(["--program", name]);
    launcher
}

fn a_shell_may_stand_between() {
    for system in SYSTEMS {
        for npes in [1, 2, 3, 4, 7] {
            // A shell may replace itself by its last command.
            for script in ["\"$@\" && echo after", "echo after; exec \"$@\"", "(\"$@\") && (echo after)"] {
                let ended = run(by_shell(npes, script, "jobs").env("SHMEM_SYSTEM", system));
                ended.assert_quiet_success();
                assert_eq!(ended.lines(), [vec!["after"; npes], vec!["four jobs"; npes]].concat());
            }
        }
    }
}

fn what_a_shell_has_started_ends_with_the_job() {
    let script = "\"$@\"; exit $?";
    for system in SYSTEMS {
        // A PE that fails ends the others, of which the launcher knows their shells alone.
        let ended = run(by_shell(3, script, "early").env("SHMEM_SYSTEM", system));
        ended.assert_failed(1, "shmem: PE 1 of 3 exited with status 0 before its function had returned");
        // And so does the end of the launcher. The last of them closes the standard output.
        let mut running = Running::start(by_shell(3, script, "waiting").env("SHMEM_SYSTEM", system));
        for _ in 0..3 {
            assert!(running.line().starts_with("process "));
        }
        running.send(Signal::KILL);
        running.end();
        // A PE that its shell does not wait for.
        let ended = run(by_shell(2, "\"$@\" & read line; exit 0", "waiting").env("SHMEM_SYSTEM", system));
        assert_eq!(ended.status.code(), Some(1), "{ended:#?}");
    }
}

fn a_script_starts_one_program_of_a_job() {
    let ended = run(&mut by_shell(2, "\"$@\"; \"$@\"; exit 0", "inside"));
    ended.assert_failed(1, "shmem: PE ");
    let report = "could not join the job: another process has been PE ";
    assert!(ended.reports()[0].contains(report) && ended.stdout.contains("not joined: "), "{ended:#?}");
}

/// The language has no plain access to a cell, and other faces do.
fn atomic_operations_race_with_plain_access() {
    let looking = |words: &[&str]| {
        let mut command = launched(2, "bytes_of_a_cell");
        run(command.args(words).env("SHMEM_RACES", "1").env("SHMEM_TRANSPORT", "smp"))
    };
    looking(&["barrier"]).assert_quiet_success();
    let ended = looking(&[]);
    assert_eq!(ended.status.code(), Some(66), "{ended:#?}");
    let mut rest = &ended.stderr[..];
    for part in [
        "shmem: race on COUNT of PE 1\n",
        "PE 0 updates atomically  at ",
        "tests/untyped/programs.rs:",
        "PE 1 reads ",
        "tests/untyped/programs.rs:",
        "help: atomic operations on both lines, or a barrier_all between line ",
        "atomic operations race with plain access",
    ] {
        let Some(at) = rest.find(part) else { panic!("no {part:?} in {ended:#?}") };
        rest = &rest[at + part.len()..];
    }
}
