//! What each PE does, over the C library: on one host, and as if each PE had a host of its own.

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
        let file = argument();
        let is_there = || Path::new(&file).exists(); // in a look of the last
        while !is_there() {
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

/// What is said of a PE that sleeps, and between two sleeps looks for a file.
const SLEEPS: [&str; 2] = ["sleeps, or waits outside of this library", "computes"];

/// Whether the table says what each PE does; until they have waited for a while, it does not.
fn is_complete(table: &str, npes: usize) -> bool {
    let has =
        |what: &str, place: String| table.lines().any(|line| line.contains(what) && line.contains(&place));
    has("  waits for GO[3] >= 7 (is -6) since ", line("// in PE 0"))
        && [line("// in the last"), line("// in a look of the last")]
            .iter()
            .any(|place| SLEEPS.iter().any(|what| has(&format!("  {what}"), place.clone())))
        && (npes == 2 || has("  in barrier_all since ", line("// of all")))
}

/// `direct` says whether the PEs are on one host.
fn job(npes: usize, direct: bool, file: &str) -> Command {
    let mut command = itself("stands-still", file);
    command.env("SHMEM_NPES", npes.to_string()).env("SHMEM_DIRECT", if direct { "1" } else { "0" });
    command
}

/// All numbers of PEs, on one host and on several.
const JOBS: [(usize, bool); 4] = [(2, true), (3, true), (2, false), (3, false)];

/// Nothing but the limit ends it, and nothing is left of it.
pub(crate) fn a_limit_ends_a_job_in_which_nobody_moves() {
    for (npes, direct) in JOBS {
        let mark = mark();
        let ended = run(job(npes, direct, &format!("/nonexistent/{mark}")).env("SHMEM_TIMEOUT", "2s"));
        assert_eq!((ended.status.code(), ended.reports().len()), (Some(124), 1), "{ended:#?}");
        assert!(ended.stderr.contains(": nobody has moved for 2 s (SHMEM_TIMEOUT)\n"), "{ended:#?}");
        assert!(is_complete(&ended.stderr, npes), "{ended:#?}");
        assert_gone(&mark);
        assert_ne!(ended.stderr.contains("\nhost "), direct, "{ended:#?}");
        let waits = if npes == 3 { "PE 1 waits in barrier_all for PE 0, 2, and " } else { "" };
        let link = if npes == 3 { ", and" } else { ";" };
        let last = npes - 1;
        // The parts of all hosts are explained together.
        let margin = if direct { "  " } else { "" };
        let why = |what: &str| {
            format!("\n{margin}why: {waits}PE 0 waits for GO[3] >= 7 (is -6){link} PE {last} {what} (")
        };
        assert!(SLEEPS.iter().any(|what| ended.stderr.contains(&why(what))), "{}{ended:#?}", why(SLEEPS[0]));
    }
}

/// Sends SIGQUIT to the whole group, with the launcher and the PEs, as the terminal does. The job goes
/// on, and is asked at its socket too.
pub(crate) fn a_quit_signal_and_the_socket_show_the_table() {
    if is_ignored(Signal::QUIT) {
        return;
    }
    for (npes, direct) in JOBS {
        let mark = mark();
        let file = std::env::temp_dir().join(&mark);
        let mut running = Running::start(job(npes, direct, &file.to_string_lossy()).process_group(0));
        let number = running.number();
        for _ in 0..npes {
            assert_eq!(running.line(), "begins");
        }
        assert!(ask(number, "info").contains(&format!("pid: {number}\npes: {npes}\n")));
        while !is_complete(&ask(number, "where"), npes) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let top = ask(number, "top");
        assert_eq!(top.matches("{\"pe\":").count(), npes, "{top}");
        assert!(
            top.contains("{\"pe\":0,\"does\":\"waits\",\"what\":\"waits for GO[3] >= 7 (is -6)\""),
            "{top}"
        );
        let waits = |what: &str, awaits: &str| {
            let line = top.split("{\"pe\":").find(|line| line.contains(what));
            line.is_some_and(|line| line.contains(&format!("\"awaits\":[{awaits}],\"processor\":")))
        };
        assert!(npes == 2 || waits("in barrier_all", "0,2"), "{top}");
        assert!(waits("GO[3]", ""), "{top}");
        let group = Pid::from_raw(number.cast_signed()).expect("a process");
        kill_process_group(group, Signal::QUIT).expect("the group is there");
        let mut table = String::new();
        while !is_complete(&table, npes) {
            table += &running.error();
        }
        assert!(table.contains(&format!(" ({npes} PEs, ")), "{table}");
        assert_ne!(table.contains("\nhost "), direct, "{table}");
        fs::write(&file, "").expect("the folder of temporary files is writable");
        let ended = running.end();
        fs::remove_file(&file).expect("it was just made");
        assert!(ended.status.success(), "{table}{ended:#?}");
        assert_eq!(ended.lines(), vec!["ends"; npes], "{ended:#?}");
        assert_gone(&mark);
    }
}

/// A client may end the job.
pub(crate) fn a_client_ends_the_job() {
    for direct in [true, false] {
        let mark = mark();
        let mut running = Running::start(&mut job(2, direct, &format!("/nonexistent/{mark}")));
        for _ in 0..2 {
            assert_eq!(running.line(), "begins");
        }
        assert!(ask(running.number(), "end").ends_with(" is being ended\n"));
        let ended = running.end();
        assert_eq!(ended.status.code(), Some(143), "{ended:#?}");
        assert!(ended.stderr.contains(" was ended from outside\n"), "{ended:#?}");
        assert_gone(&mark);
    }
}
