//! Programs that hang, and what the job says of them.

use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;
use shmem::prelude::*;

use crate::harness::say;
use crate::programs::argument;
#[cfg(target_os = "linux")]
use crate::watch::ask;
use crate::watch::{Ended, Running, is_ignored, program, run};

#[symmetric]
static GO: [Atomic<i64>; 4] = [Atomic::new(-6); 4];
#[symmetric]
static LEFT: Lock = Lock::new();
#[symmetric]
static RIGHT: [Lock; 2] = [Lock::new(); 2];
#[symmetric]
static STEP: Atomic<u32> = Atomic::new(0);
#[symmetric]
static DATA: [u64; 8] = [0; 8];

/// Until another process makes the file of the argument; not for ever, so that nothing is left of a
/// test that fails.
fn compute() {
    let file = argument();
    for round in 0..u64::MAX {
        if round.is_multiple_of(1 << 10) && Path::new(&file).exists() {
            return;
        }
        std::hint::black_box(round);
    }
}

/// PE 0 waits for what no PE writes.
#[shmem::main]
pub(crate) fn signal_never_sent(world: &World) {
    if world.my_pe() == 0 {
        wait!(GO[3] >= 7); // never
    }
    world.barrier_all(); // of those that hang
}

/// Each PE waits for several cells that no PE writes, in another form.
#[shmem::main]
pub(crate) fn several_never_sent(world: &World) {
    match world.my_pe() {
        0 => wait!(all GO[..] >= 7),                            // all, never
        1 => drop(wait!(any GO[..] >= 7)),                      // any, never
        2 => drop(wait!(some GO[..] >= 7)),                     // some, never
        _ => local!(&GO[..]).wait_until_all(Comparison::Ge, 7), // by a method, never
    }
}

/// PE 0 and PE 1 take two locks in opposite orders; the others compute.
#[shmem::main]
pub(crate) fn crossed_locks(world: &World) {
    match world.my_pe() {
        0 => {
            let _left = LEFT.lock();
            remote!(STEP[1]) += 1;
            wait!(STEP == 1);
            let _right = RIGHT.at(1).lock(); // second
        }
        1 => {
            let _right = RIGHT.at(1).lock();
            remote!(STEP[0]) += 1;
            wait!(STEP == 1);
            let _left = LEFT.lock(); // second
        }
        _ => compute(),
    }
}

/// PE 0 has a lock and waits for PE 1, which waits for the lock; the others wait for both.
#[shmem::main]
pub(crate) fn lock_in_a_wait(world: &World) {
    match world.my_pe() {
        0 => {
            let _left = LEFT.lock();
            remote!(STEP[1]) += 1;
            wait!(GO[0] == 1); // with the lock of others
        }
        1 => {
            wait!(STEP == 1);
            let _left = LEFT.lock(); // before it says so
            remote!(GO[0, 0]) += 7;
        }
        _ => {}
    }
    world.barrier_all(); // beside a lock
}

/// PE 0 takes a lock with it into a barrier, and PE 1 waits for the lock; the others compute.
#[shmem::main]
pub(crate) fn lock_in_a_barrier(world: &World) {
    match world.my_pe() {
        0 => {
            let _left = LEFT.lock();
            remote!(STEP[1]) += 1;
            world.barrier_all(); // with the lock
        }
        1 => {
            wait!(STEP == 1);
            let _left = LEFT.lock(); // late
            world.barrier_all();
        }
        _ => {
            compute();
            world.barrier_all();
        }
    }
}

/// The last PE computes, and the others wait for it.
#[shmem::main]
pub(crate) fn one_computes(world: &World) {
    say("begins");
    if world.my_pe() + 1 == world.n_pes() {
        compute(); // alone
    }
    world.barrier_all(); // of the one that computes
    say("ends");
}

/// As [`one_computes`], after each PE has written to PE 0.
#[shmem::main]
pub(crate) fn one_computes_after_puts(world: &World) {
    remote!(DATA[0, ..]) = [1; 8];
    say("begins");
    if world.my_pe() + 1 == world.n_pes() {
        compute();
    }
    world.barrier_all(); // after puts
}

/// As [`signal_never_sent`], while each PE has two more threads, which wait for a message.
#[shmem::main]
pub(crate) fn beside_threads(world: &World) {
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..2).map(|_| std::sync::mpsc::channel::<()>()).unzip();
    std::thread::scope(|scope| {
        for receiver in receivers {
            scope.spawn(move || receiver.recv());
        }
        if world.my_pe() == 0 {
            wait!(GO[3] >= 7); // beside threads
        }
        world.barrier_all();
        drop(senders);
    });
}

/// PE 0 waits for a cell, the last PE computes and writes no cell, and the others wait for both.
#[shmem::main]
pub(crate) fn one_is_to_write(world: &World) {
    world.barrier_all(); // before all
    if world.my_pe() == 0 {
        wait!(GO[3] >= 7); // of one that computes
    } else if world.my_pe() + 1 == world.n_pes() {
        compute();
    }
    world.barrier_all(); // of those who wait for both
}

/// PE 0 waits for more updates than the last PE makes, which computes then; the others wait for both.
#[shmem::main]
pub(crate) fn too_few_updates(world: &World) {
    let last = world.my_pe() + 1 == world.n_pes();
    if last {
        for _ in 0..2 {
            remote!(GO[0, 3]) += 1; // too few
        }
        remote!(DATA[0, 0..4]) = [7; 4]; // the last
    }
    world.barrier_all(); // so that the wait sees no change
    if world.my_pe() == 0 {
        wait!(GO[3] >= 7); // of too few
    } else if last {
        compute();
    }
    world.barrier_all();
}

/// Each PE waits for the next one: PE 0 in a barrier of two, and the others as partners. There is
/// one circle, whichever PE is the last to wait.
#[shmem::main(npes = 3)]
pub(crate) fn partners_in_a_circle(world: &World) {
    let me = world.my_pe();
    match world.team().split_strided(0, 1, 2).expect("there are few teams") {
        Some(two) if me == 0 => two.barrier(), // in the circle
        _ => world.sync_with(&[(me + 1) % 3]), // in the circle
    }
}

/// A thread of PE 0 computes, and its main thread waits for that.
#[shmem::main(npes = 2)]
pub(crate) fn thread_computes(world: &World) {
    if world.my_pe() == 0 {
        std::thread::scope(|scope| drop(scope.spawn(compute).join()));
    }
    world.barrier_all();
}

/// One PE takes what the other one sums or gathers for how many elements that one gives.
#[shmem::main(npes = 2)]
pub(crate) fn mixed_up(world: &World) {
    const ABSURD: f64 = -1e300;
    let team = world.team();
    match (&*argument(), world.my_pe()) {
        ("collect", 0) => drop(team.collect_values(&[1_u16; 500])),
        ("alltoallv", 0) => drop(team.alltoallv_values(&[[1_u16; 500]; 2])),
        ("scatter", 1) => drop(team.scatter_values(&[1_u16; 0], 0)),
        ("scatterv", 1) => drop(team.scatterv_values(&[1_u16; 0], &[], 0)),
        // Any value comes out of these.
        ("scatter", _) => drop(team.gather_value(ABSURD, 1)),
        ("scatterv", _) => drop(team.gather_value([ABSURD; 2], 1)),
        _ => {
            let _ = team.reduce_value(shmem::reduction::Sum, ABSURD);
        }
    }
    world.barrier_all();
}

/// PE 0 waits for the last PE, which computes.
#[shmem::main]
pub(crate) fn partner_computes(world: &World) {
    let last = world.n_pes() - 1;
    match world.my_pe() {
        0 => world.barrier_with(&[last]), // of one that computes late
        me if me == last => {
            compute();
            world.barrier_with(&[0]);
        }
        _ => {}
    }
}

/// PE 0 waits for the last PE, which has returned.
#[shmem::main]
pub(crate) fn partner_returns(world: &World) {
    if world.my_pe() == 0 {
        world.sync_with(&[world.n_pes() - 1]); // of one that has returned
    }
}

/// PE 1 waits for PE 0, and says which process it is; then PE 0 waits for PE 1.
#[shmem::main(npes = 2)]
pub(crate) fn hand_over(world: &World) {
    if world.my_pe() == 0 {
        compute();
        remote!(STEP[1]) += 1;
        wait!(GO[0] == 1);
    } else {
        say(&std::process::id().to_string());
        wait!(STEP == 1); // in PE 1
        remote!(GO[0, 0]) += 7;
    }
}

/// What was printed on standard error, with all times and the name of this binary masked, and
/// without the width of columns.
fn masked(ended: &Ended) -> String {
    let name = std::env::current_exe().expect("the path of this binary");
    let name = name.file_name().expect("it has a name").to_string_lossy().into_owned();
    let text = ended.stderr.replace(&name, "NAME").replace(file!(), "FILE");
    let mask_line = |line: &str| {
        let indent = if line.starts_with("  ") { "  " } else { "" };
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let masked = words.iter().enumerate().map(|(at, word)| {
            let is_time = words.get(at + 1).is_some_and(|next| next.trim_end_matches([')', ':', ',']) == "s");
            if is_time && is_number(word) { "N" } else { word }
        });
        format!("{indent}{}\n", masked.collect::<Vec<_>>().join(" "))
    };
    text.lines().map(mask_line).collect()
}

/// The line of this file that has this text, once.
fn line(text: &str) -> String {
    let lines = include_str!("stuck.rs").lines().zip(1..);
    let found: Vec<_> = lines.filter(|(line, _)| line.contains(text) && !line.contains("line(")).collect();
    assert_eq!(found.len(), 1, "{text:?} is there once");
    format!("FILE:{}", found[0].1)
}

/// The forms of the system layer with which PEs are told from their threads: that of the whole run,
/// or all.
fn systems() -> Vec<String> {
    let all = ["linux", "portable"].map(str::to_owned).to_vec();
    let one = std::env::var("SHMEM_SYSTEM").ok().map(|system| vec![system]);
    if cfg!(target_os = "linux") { one.unwrap_or(all) } else { Vec::new() }
}

/// Runs a program that hangs, with these variables, and returns what it says of itself.
fn hang(name: &str, npes: usize, variables: &[(&str, &str)]) -> String {
    let mut command = program(name);
    command.arg("/nonexistent").env("SHMEM_NPES", npes.to_string()).envs(variables.iter().copied());
    let ended = run(&mut command);
    assert_eq!(ended.status.code(), Some(1), "{ended:#?}");
    assert_eq!(ended.reports().len(), 1, "{ended:#?}");
    masked(&ended)
}

/// Runs a program that hangs with each form of the system layer and so many PEs, and looks at what it
/// says of itself.
fn each_hang(name: &str, npes: &[usize], look: impl Fn(usize, &str) + Sync) {
    let systems = systems();
    // They wait most of the time.
    std::thread::scope(|scope| {
        for system in &systems {
            for npes in npes {
                let look = &look;
                scope.spawn(move || look(*npes, &hang(name, *npes, &[("SHMEM_SYSTEM", system)])));
            }
        }
    });
}

pub(crate) fn a_signal_that_is_never_sent_is_named() {
    each_hang("signal-never-sent", &[2, 3, 4, 7], |npes, text| {
        let (cell, barrier) =
            (line("wait!(GO[3] >= 7); // never"), line("barrier_all(); // of those that hang"));
        let others = match npes {
            2 => "PE 1 ".to_owned(),
            3 => "PE 1, 2 ".to_owned(),
            _ => format!("PE 1-{} ", npes - 1),
        };
        let waits = if npes == 2 { "waits" } else { "wait" };
        assert_eq!(
            text,
            format!(
                "shmem: job NAME ({npes} PEs, N s): every PE waits, and none can ever go on\n  \
                 PE 0 waits for GO[3] >= 7 (is -6) since N s {cell} no change seen for N s\n  \
                 {others}in barrier_all since N s {barrier} 1 of {npes} is missing: PE 0\n  \
                 why: PE 0 waits for GO[3] >= 7 (is -6); {others}{waits} in barrier_all for PE 0; no PE is left that could end a wait\n"
            )
        );
    });
}

pub(crate) fn waits_for_several_cells_are_named() {
    each_hang("several-never-sent", &[4], |_, text| {
        let (all, any) = (line("// all, never"), line("// any, never"));
        let (some, method) = (line("// some, never"), line("// by a method, never"));
        for (pe, place) in [all, any, some, method].iter().enumerate() {
            let begin = format!("  PE {pe} waits for ");
            let is_named = text.lines().any(|line| line.starts_with(&begin) && line.contains(place));
            assert!(is_named, "PE {pe} at {place}:\n{text}");
        }
    });
}

pub(crate) fn crossed_locks_are_named() {
    each_hang("crossed-locks", &[2, 3, 4], |npes, text| {
        let (right, left) = (line("RIGHT.at(1).lock(); // second"), line("LEFT.lock(); // second"));
        let table = format!(
            "shmem: job NAME ({npes} PEs, N s): PE 0, 1 wait for each other, and can never go on\n  \
             PE 0 waits for lock 1 of RIGHT since N s {right} PE 1 has it\n  \
             PE 1 waits for the lock LEFT since N s {left} PE 0 has it\n"
        );
        let why = "  why: PE 0 waits for lock 1 of RIGHT, which PE 1 has, and PE 1 waits for the lock LEFT, which PE 0 has\n";
        assert!(text.starts_with(&table) && text.ends_with(why), "{npes} PEs: {text}");
        // The others compute.
        assert_eq!(text.contains("compute"), npes > 2, "{npes} PEs: {text}");
        assert_eq!(
            text.contains(&format!("in process::stuck::{}", "compute")),
            npes > 2,
            "{npes} PEs: {text}"
        );
    });
}

pub(crate) fn a_lock_in_a_barrier_is_named() {
    each_hang("lock-in-a-barrier", &[2, 3, 4], |npes, text| {
        let title = format!(
            "shmem: job NAME ({npes} PEs, N s): PE 0, 1 wait for each other, and can never go on\n  \
             PE 0 in barrier_all since N s {} ",
            line("barrier_all(); // with the lock")
        );
        let waits =
            format!("PE 1 waits for the lock LEFT since N s {} PE 0 has it\n", line("LEFT.lock(); // late"));
        let why =
            "  why: PE 0 waits in barrier_all for PE 1, and PE 1 waits for the lock LEFT, which PE 0 has\n";
        assert!(
            text.starts_with(&title) && text.contains(&waits) && text.ends_with(why),
            "{npes} PEs: {text}"
        );
    });
}

pub(crate) fn a_lock_in_a_wait_is_named() {
    each_hang("lock-in-a-wait", &[2, 3, 4], |npes, text| {
        let title = format!(
            "shmem: job NAME ({npes} PEs, N s): every PE waits, and none can ever go on\n  \
             PE 0 waits for GO[0] == 1 (is -6) since N s {} no change seen for N s\n  \
             PE 1 waits for the lock LEFT since N s {} PE 0 has it\n",
            line("wait!(GO[0] == 1); // with the lock of others"),
            line("LEFT.lock(); // before it says so"),
        );
        let others = match npes {
            2 => "",
            3 => "; PE 2 waits in barrier_all for PE 0, 1",
            _ => "; PE 2, 3 wait in barrier_all for PE 0, 1",
        };
        let why = format!(
            "  why: PE 0 waits for GO[0] == 1 (is -6); PE 1 waits for the lock LEFT, which PE 0 has{others}; \
             no PE is left that could end a wait\n"
        );
        assert!(text.starts_with(&title) && text.ends_with(&why), "{npes} PEs: {why}\n{text}");
    });
}

/// In a run that counts, the table says who has updated what a PE waits for, and what a PE that
/// computes has written last.
pub(crate) fn updates_are_named_in_a_run_that_counts() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let text = hang("signal-never-sent", 3, &[("SHMEM_STATS", "1")]);
    assert!(text.contains(" no change seen for N s\n  no PE has updated it\n"), "{text}");
    let why = "  why: PE 0 waits for GO[3] >= 7 (is -6), which no PE has ever updated; PE 1, 2 wait";
    assert!(text.contains(why), "{text}");
    for npes in [2, 4] {
        let mut command = program("too-few-updates");
        command.arg("/nonexistent").env("SHMEM_NPES", npes.to_string());
        let ended = run(command.env("SHMEM_TIMEOUT", "2s").env("SHMEM_STATS", "1"));
        assert_eq!(ended.status.code(), Some(124), "{ended:#?}");
        let (text, last) = (masked(&ended), npes - 1);
        let update = line("remote!(GO[0, 3]) += 1; // too few");
        let put = line("remote!(DATA[0, 0..4]) = [7; 4]; // the last");
        for part in [
            format!("{} no change seen for N s\n", line("wait!(GO[3] >= 7); // of too few")),
            format!("  {update} updated twice by PE {last} alone, the last time N s ago\n"),
            format!("  {put} its last put or update: put of 32 bytes to DATA of PE 0, N s ago\n"),
            format!(
                "PE 0 waits for GO[3] >= 7 (is -4), which only PE {last} has ever updated ({update}) and can write now"
            ),
        ] {
            assert!(text.contains(&part), "{npes} PEs: {part}\n{text}");
        }
    }
}

pub(crate) fn partners_that_wait_in_a_circle_are_named() {
    each_hang("partners-in-a-circle", &[3], |_, text| {
        let (barrier, sync) = (line("two.barrier(), // in the circle"), line("% 3]), // in the circle"));
        assert_eq!(
            text,
            format!(
                "shmem: job NAME (3 PEs, N s): PE 0-2 wait for each other, and can never go on\n  \
             PE 0 in barrier since N s {barrier} 1 of 2 is missing: PE 1\n  \
             PE 1 in sync_with since N s {sync} waits for PE 2\n  \
             PE 2 in sync_with since N s {sync} waits for PE 0\n  \
             why: PE 0 waits in barrier for PE 1, and PE 1 waits in sync_with for PE 2, and PE 2 waits in sync_with for PE 0\n"
            )
        );
    });
}

pub(crate) fn a_partner_that_does_not_come_is_named() {
    for npes in [2, 5] {
        let last = npes - 1;
        let mut command = program("partner-computes");
        command.arg("/nonexistent").env("SHMEM_NPES", npes.to_string()).env("SHMEM_TIMEOUT", "2s");
        let ended = run(&mut command);
        assert_eq!(ended.status.code(), Some(124), "{ended:#?}");
        let text = masked(&ended);
        let waits = format!(
            "  PE 0 in barrier_with since N s {} waits for PE {last}\n",
            line("// of one that computes late")
        );
        let why = format!("  why: PE 0 waits in barrier_with for PE {last}");
        let computes = format!(", and PE {last} computes");
        assert!(text.contains(&waits) && text.contains(&why) && text.contains(&computes), "{text}");
        if !systems().is_empty() {
            let ended = run(program("partner-returns").env("SHMEM_NPES", npes.to_string()));
            let place = line("// of one that has returned");
            let text = masked(&ended);
            let rule = ": each of two PEs must name the other equally often";
            let said =
                format!(" in sync_with for PE {last}, and PE {last} has returned from its function{rule}\n");
            // Where PE 0 gets no turn of a core for long, the launcher finds it first.
            let found = format!(
                "why: PE 0 waits in sync_with for PE {last}, and PE {last} has returned, and waits for PE 0{rule}\n"
            );
            let is_said = text.contains(&format!("PE 0 waits at {place}:")) && text.contains(&said);
            assert!(is_said || text.contains(&found) && text.contains(&place), "{text}");
        }
    }
}

/// In a run without checks, too, where no memory could hold what the PEs seem to give.
pub(crate) fn absurd_numbers_of_elements_are_refused() {
    for (how, pe) in [("collect", 0), ("alltoallv", 0), ("scatter", 1), ("scatterv", 1)] {
        let ended = run(program("mixed-up").arg(how).env("SHMEM_CHECK", "0"));
        let report = format!("shmem: PE {pe} of 2 panicked at shmem-core/tests/process/stuck.rs:");
        ended.assert_failed(101, &report);
        let place = line(&format!("({how:?}, {pe}) => ")).replace("FILE", "stuck.rs");
        let says = "elements of 2 bytes, more than there can be: they may be in different calls, and a run with SHMEM_CHECK=1 says which";
        assert!(ended.stderr.contains(&place) && ended.stderr.contains(says), "{how}: {ended:#?}");
    }
}

pub(crate) fn a_pe_computes_if_any_of_its_threads_does() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let ended = run(program("thread-computes").env("SHMEM_TIMEOUT", "2s"));
    assert_eq!(ended.status.code(), Some(124), "{ended:#?}");
    let text = masked(&ended);
    assert!(text.contains("\n  PE 0 computes"), "{text}");
}

/// Nothing is wrong with it, and so nothing but the limit ends it.
pub(crate) fn a_limit_ends_a_job_in_which_nobody_moves() {
    for npes in [1, 2, 5] {
        let mut command = program("one-computes");
        command.arg("/nonexistent").env("SHMEM_NPES", npes.to_string()).env("SHMEM_TIMEOUT", "2s");
        let ended = run(&mut command);
        assert_eq!(ended.status.code(), Some(124), "{ended:#?}");
        let text = masked(&ended);
        let pes = if npes == 1 { "PE" } else { "PEs" };
        let title =
            format!("shmem: job NAME ({npes} {pes}, N s): nobody has moved for N s (SHMEM_TIMEOUT)\n");
        assert!(text.starts_with(&title), "{text}");
        if npes > 2 {
            let waits = format!(
                "  PE 0-3 in barrier_all since N s {} 1 of 5 is missing: PE 4\n",
                line("barrier_all(); // of the one that computes")
            );
            assert!(text.contains(&waits), "{text}");
        }
        assert!(text.contains(&format!("  PE {} computes ", npes - 1)), "{text}");
        let why = match npes {
            1 => None,
            2 => Some("  why: PE 0 waits in barrier_all for PE 1, and PE 1 computes"),
            _ => Some("  why: PE 0-3 wait in barrier_all for PE 4, and PE 4 computes"),
        };
        assert!(why.is_none_or(|why| text.contains(why)), "{text}");
        assert_eq!(text.contains("why:"), why.is_some(), "{text}");
        if cfg!(target_os = "linux") {
            // The path is relative to the folder in which the test runs.
            let place = line("compute(); // alone").replace("FILE", "stuck.rs");
            assert!(text.contains(&format!("{place} in process::stuck::one_computes")), "{text}");
        }
    }
}

pub(crate) fn the_pe_that_others_wait_for_is_named() {
    for npes in [2, 6] {
        let mut command = program("one-is-to-write");
        command.arg("/nonexistent").env("SHMEM_NPES", npes.to_string()).env("SHMEM_TIMEOUT", "2s");
        let ended = run(&mut command);
        assert_eq!(ended.status.code(), Some(124), "{ended:#?}");
        let text = masked(&ended);
        let last = npes - 1;
        let waits = match npes {
            2 => String::new(),
            _ => format!("PE 1-{} wait in barrier_all for PE 0, {last}, and ", npes - 2),
        };
        // Where nothing is known of the threads of a PE, another one could write.
        let which = match cfg!(target_os = "linux") {
            true => format!(", which only PE {last} can write now"),
            false => String::new(),
        };
        let link = if npes == 2 { "; " } else { ", and " };
        let why = format!("  why: {waits}PE 0 waits for GO[3] >= 7 (is -6){which}{link}PE {last} computes");
        assert!(text.contains(&why), "{npes} PEs: {why}\n{text}");
        let last = format!("its last collective call: barrier_all at {}", line("// before all"));
        assert_eq!(text.contains(&last), cfg!(target_os = "linux"), "{npes} PEs: {last}\n{text}");
    }
}

/// Threads that only a thread of their own PE can wake do not keep a verdict away.
pub(crate) fn threads_that_wait_end_no_wait() {
    each_hang("beside-threads", &[1, 2, 4], |npes, text| {
        let (pes, title) = match npes {
            1 => ("PE", "PE 0 can never go on"),
            _ => ("PEs", "every PE waits, and none can ever go on"),
        };
        let start = format!(
            "shmem: job NAME ({npes} {pes}, N s): {title}\n  PE 0 waits for GO[3] >= 7 (is -6) since N s {}",
            line("wait!(GO[3] >= 7); // beside threads")
        );
        assert!(text.starts_with(&start), "{npes} PEs: {text}");
        assert!(text.ends_with("; no PE is left that could end a wait\n"), "{npes} PEs: {text}");
    });
}

/// A file that does not exist until the test makes it.
struct Go(std::path::PathBuf);

impl Go {
    fn new(name: &str) -> Go {
        Go(std::env::temp_dir().join(format!("shmem-test-{name}-{}", std::process::id())))
    }

    fn make(&self) {
        std::fs::write(&self.0, "").expect("the folder of temporary files is writable");
    }
}

impl Drop for Go {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Sends SIGQUIT to the supervisor and to all PEs, as the terminal does, and the job goes on.
pub(crate) fn a_quit_signal_prints_the_table_and_the_job_goes_on() {
    if is_ignored(Signal::QUIT) || !cfg!(target_os = "linux") {
        return;
    }
    for npes in [1, 3, 6] {
        let go = Go::new(&format!("quit-{npes}"));
        let mut command = program("one-computes");
        command.arg(&go.0).env("SHMEM_NPES", npes.to_string());
        // A group of its own, which gets the signal as one.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut running = Running::start(&mut command);
        for _ in 0..npes {
            assert_eq!(running.line(), "begins");
        }
        let group = rustix::process::Pid::from_raw(running.number().cast_signed()).expect("a process");
        let mut seen = String::new();
        // Until all that wait have written it down.
        while !(seen.contains("computes") && (npes == 1 || seen.contains("in barrier_all"))) {
            rustix::process::kill_process_group(group, Signal::QUIT).expect("the group is there");
            seen.clear();
            while !seen.contains(&format!("PE {} ", npes - 1)) {
                seen += &running.error();
            }
        }
        go.make();
        let ended = running.end();
        assert!(ended.status.success(), "{seen}{ended:#?}");
        assert_eq!(ended.lines(), vec!["ends"; npes], "{ended:#?}");
    }
}

#[cfg(target_os = "linux")]
pub(crate) fn a_job_answers_at_its_socket() {
    for npes in [1, 4] {
        let go = Go::new(&format!("socket-{npes}"));
        let mut running =
            Running::start(program("one-computes").arg(&go.0).env("SHMEM_NPES", npes.to_string()));
        for _ in 0..npes {
            assert_eq!(running.line(), "begins");
        }
        let job = running.number();
        let info = ask(job, "info");
        let keys: Vec<&str> = info.lines().filter_map(|line| line.split(": ").next()).collect();
        assert_eq!(keys, ["name", "pid", "pes", "seconds", "transport", "program"], "{info}");
        assert!(info.contains(&format!("pid: {job}\npes: {npes}\n")), "{info}");
        let table = ask(job, "where");
        assert!(table.starts_with("job ") && table.contains("\n  PE 0"), "{table}");
        let top = ask(job, "top");
        assert_eq!(top.matches("\"calls\":null,\"bytes\":null").count(), npes, "{top}");
        assert_eq!(ask(job, "when"), "unknown: \"when\"; the known words are where, end, info, top\n");
        let answer = ask(job, "end");
        assert!(answer.ends_with(" is being ended\n"), "{answer}");
        let ended = running.end();
        assert_eq!(ended.status.code(), Some(143), "{ended:#?}");
        assert!(ended.reports().len() == 1 && ended.stderr.contains(" was ended from outside"), "{ended:#?}");
    }
}

/// The answer for `cargo shmem top`: who waits for whom, and what was moved to other PEs.
#[cfg(target_os = "linux")]
pub(crate) fn a_job_answers_top() {
    let go = Go::new("top");
    let mut command = program("one-computes-after-puts");
    let mut running = Running::start(command.arg(&go.0).envs([("SHMEM_NPES", "3"), ("SHMEM_STATS", "1")]));
    for _ in 0..3 {
        assert_eq!(running.line(), "begins");
    }
    let job = running.number();
    let answer = loop {
        let answer = ask(job, "top");
        if answer.matches("\"waits\"").count() == 2 {
            break answer;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let (head, pes) = answer.trim_end().split_once(",\"pes\":[").expect("a list");
    assert!(head.starts_with("{\"name\":\"") && head.contains(&format!("\"pid\":{job},")), "{head}");
    let pes: Vec<&str> = pes.trim_end_matches("]}").split_inclusive("},").collect();
    let place = line("world.barrier_all(); // after puts").replace("FILE", file!());
    let waits = "\"does\":\"waits\",\"what\":\"in barrier_all\",\"since\":";
    for (pe, moved) in [(0, "\"calls\":1,\"bytes\":0},"), (1, "\"calls\":2,\"bytes\":64},")] {
        assert!(pes[pe].starts_with(&format!("{{\"pe\":{pe},{waits}")), "{answer}");
        assert!(
            pes[pe].contains(&format!(",\"place\":\"{place}\",\"awaits\":[2],\"processor\":")),
            "{answer}"
        );
        assert!(pes[pe].ends_with(moved), "{answer}");
    }
    let computes = "{\"pe\":2,\"does\":\"computes\",\"what\":\"computes\",\"since\":null,\"place\":null,\"awaits\":[],\"processor\":";
    assert!(pes[2].starts_with(computes) && pes[2].ends_with("\"calls\":1,\"bytes\":64}"), "{answer}");
    // It uses a processor meanwhile.
    let used = |answer: &str| -> f64 {
        let (_, rest) = answer.rsplit_once("\"processor\":").expect("a time");
        rest.split(',').next().and_then(|time| time.parse().ok()).expect("a number")
    };
    while used(&ask(job, "top")) <= used(&answer) {
        std::thread::sleep(Duration::from_millis(10));
    }
    go.make();
    let ended = running.end();
    assert_eq!(ended.status.code(), Some(0), "{ended:#?}");
}

/// Both PEs have written down that they wait, but the value that PE 1 waits for is there: it is
/// stopped, and has not looked.
#[cfg(target_os = "linux")]
pub(crate) fn a_pe_that_has_not_looked_is_not_stuck() {
    let go = Go::new("hand-over");
    let mut running = Running::start(program("hand-over").arg(&go.0));
    let process = running.line().parse().ok().and_then(rustix::process::Pid::from_raw).expect("a process");
    let until = |text: &str| {
        while !ask(running.number(), "where").contains(text) {
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    until("PE 1  waits for STEP == 1 (is 0)");
    rustix::process::kill_process(process, Signal::STOP).expect("PE 1 is there");
    go.make();
    until("PE 0  waits for GO[0] == 1 (is -6)");
    until("is stopped (SIGSTOP)");
    // Time for a verdict that would be wrong: those of the tests above come within a second.
    std::thread::sleep(Duration::from_secs(3));
    rustix::process::kill_process(process, Signal::CONT).expect("PE 1 is there");
    running.end().assert_quiet_success();
}

/// A PE that does not move because it is stopped: the report says so, and nothing is left.
#[cfg(target_os = "linux")]
pub(crate) fn a_pe_that_is_stopped_is_named() {
    let mut command = program("hand-over");
    let mut running = Running::start(command.arg("/nonexistent").env("SHMEM_TIMEOUT", "5s"));
    let number = running.line();
    let process = number.parse().ok().and_then(rustix::process::Pid::from_raw).expect("a process");
    while !ask(running.number(), "where").contains("PE 1  waits for STEP == 1 (is 0)") {
        std::thread::sleep(Duration::from_millis(10));
    }
    rustix::process::kill_process(process, Signal::STOP).expect("PE 1 is there");
    let ended = running.end();
    assert_eq!((ended.status.code(), ended.reports().len()), (Some(124), 1), "{ended:#?}");
    let text = masked(&ended);
    let waits = format!(
        "  PE 1 waits for STEP == 1 (is 0) since N s {} is stopped (SIGSTOP); no change seen for N s\n",
        line("wait!(STEP == 1); // in PE 1")
    );
    assert!(text.contains(": nobody has moved for N s (SHMEM_TIMEOUT)\n") && text.contains(&waits), "{text}");
    assert!(text.ends_with("\n  why: PE 1 has not moved, is stopped (SIGSTOP)\n"), "{text}");
    assert!(!Path::new("/proc").join(number).exists(), "it is left");
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn a_pe_that_is_stopped_is_named() {}
#[cfg(not(target_os = "linux"))]
pub(crate) fn a_job_answers_at_its_socket() {}
#[cfg(not(target_os = "linux"))]
pub(crate) fn a_job_answers_top() {}
#[cfg(not(target_os = "linux"))]
pub(crate) fn a_pe_that_has_not_looked_is_not_stuck() {}
