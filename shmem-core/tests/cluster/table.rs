//! What each PE does, over the C library on one host.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use shmem::prelude::*;

use crate::cases::{assert_gone, itself, mark};
use crate::harness::say;
use crate::programs::argument;
use crate::watch::{Running, ask, is_ignored, run};

#[symmetric]
static GO: [Atomic<i64>; 4] = [Atomic::new(-6); 4];

/// PE 0 waits for a cell that the last PE writes when there is a file with the name of the argument;
/// the others wait for both.
#[shmem::main(npes = 3)]
pub(crate) fn stands_still(world: &World) {
    say("begins");
    if world.my_pe() == 0 {
        wait!(GO[3] >= 7); // in PE 0
    } else if world.my_pe() + 1 == world.n_pes() {
        while !Path::new(&argument()).exists() {
            std::thread::sleep(Duration::from_millis(20)); // in the last
        }
        remote!(GO[0, 3]) += 13;
    }
    world.barrier_all(); // of all
    say("ends");
}

/// The line of this file that has this text, once.
fn line(text: &str) -> String {
    let lines = include_str!("table.rs").lines().zip(1..);
    let found: Vec<_> = lines.filter(|(line, _)| line.contains(text) && !line.contains("line(")).collect();
    assert_eq!(found.len(), 1, "{text:?} is there once");
    format!("table.rs:{}", found[0].1)
}

/// Whether the table says what each PE does; until they have waited for a while, it does not.
fn is_complete(table: &str, npes: usize) -> bool {
    let has =
        |what: &str, place: String| table.lines().any(|line| line.contains(what) && line.contains(&place));
    has("  waits for GO[3] >= 7 (is -6) since ", line("// in PE 0"))
        && has("  sleeps, or waits outside of this library", line("// in the last"))
        && (npes == 2 || has("  in barrier_all since ", line("// of all")))
}

fn job(npes: usize, file: &str) -> Command {
    let mut command = itself("stands-still", file);
    command.env("SHMEM_NPES", npes.to_string());
    command
}

/// Nothing but the limit ends it, and nothing is left of it.
pub(crate) fn a_limit_ends_a_job_in_which_nobody_moves() {
    for npes in [2, 3] {
        let mark = mark();
        let ended = run(job(npes, &format!("/nonexistent/{mark}")).env("SHMEM_TIMEOUT", "2s"));
        assert_eq!((ended.status.code(), ended.reports().len()), (Some(124), 1), "{ended:#?}");
        assert!(ended.stderr.contains(": nobody has moved for 2 s (SHMEM_TIMEOUT)\n"), "{ended:#?}");
        assert!(is_complete(&ended.stderr, npes), "{ended:#?}");
        let waits = if npes == 3 { "PE 1 waits in barrier_all for PE 0, 2, and " } else { "" };
        let link = if npes == 3 { ", and" } else { ";" };
        let why = format!(
            "\n  why: {waits}PE 0 waits for GO[3] >= 7 (is -6){link} PE {} sleeps, or waits outside of this library (",
            npes - 1
        );
        assert!(ended.stderr.contains(&why), "{why}{ended:#?}");
        assert_gone(&mark);
    }
}

/// Sends SIGQUIT to the whole group, with the launcher and the PEs, as the terminal does. The job goes
/// on, and is asked at its socket too.
pub(crate) fn a_quit_signal_and_the_socket_show_the_table() {
    if is_ignored(Signal::QUIT) {
        return;
    }
    for npes in [2, 3] {
        let mark = mark();
        let file = std::env::temp_dir().join(&mark);
        let mut running = Running::start(job(npes, &file.to_string_lossy()).process_group(0));
        let number = running.number();
        for _ in 0..npes {
            assert_eq!(running.line(), "begins");
        }
        assert!(ask(number, "info").contains(&format!("pid: {number}\npes: {npes}\n")));
        while !is_complete(&ask(number, "where"), npes) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let group = Pid::from_raw(number.cast_signed()).expect("a process");
        kill_process_group(group, Signal::QUIT).expect("the group is there");
        let mut table = String::new();
        while !is_complete(&table, npes) {
            table += &running.error();
        }
        assert!(table.contains(&format!(" ({npes} PEs, ")), "{table}");
        fs::write(&file, "").expect("the folder of temporary files is writable");
        let ended = running.end();
        fs::remove_file(&file).expect("it was just made");
        assert!(ended.status.success(), "{table}{ended:#?}");
        assert_eq!(ended.lines(), vec!["ends"; npes], "{ended:#?}");
        assert_gone(&mark);
    }
}

/// A client may end the job. Where the PEs do not share memory, nobody knows what they do.
pub(crate) fn a_client_ends_the_job() {
    for direct in ["1", "0"] {
        let mark = mark();
        let mut running = Running::start(job(2, &format!("/nonexistent/{mark}")).env("SHMEM_DIRECT", direct));
        for _ in 0..2 {
            assert_eq!(running.line(), "begins");
        }
        let table = ask(running.number(), "where");
        let unknown = table.contains("what the PEs do is not known: ");
        assert_eq!(unknown, direct == "0", "{table}");
        assert!(ask(running.number(), "end").ends_with(" is being ended\n"));
        let ended = running.end();
        assert_eq!(ended.status.code(), Some(143), "{ended:#?}");
        assert!(ended.stderr.contains(" was ended from outside\n"), "{ended:#?}");
        assert_gone(&mark);
    }
}
