//! The tests.

use std::fs;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::dirty::FILL;
use crate::harness::trials;
use crate::open_mpi::for_tests;
use crate::program_of_meetings::called;
use crate::table::*;
use crate::watch::{Ended, Running, is_ignored, program, run, run_typed};

/// What the end of a process never takes, however busy the machine is.
const LIMIT: Duration = Duration::from_secs(120);

/// Every test, for the harness.
pub(crate) fn all() -> Vec<Trial> {
    let trials = trials! {
        a_launcher_starts_the_pes
        a_program_starts_its_launcher
        a_failing_pe_ends_the_job_with_its_report
        a_report_is_printed_once
        a_pe_may_end_the_job
        what_main_may_return
        what_kills_a_pe_ends_the_job
        nothing_outlives_a_killed_program
        nothing_is_left_of_an_interrupted_program
        a_pe_starts_another_program
        a_copy_of_a_pe_is_none
        a_process_is_a_pe_once
        standard_input_goes_to_pe_0
        the_transport_is_what_the_user_says
        what_the_variables_print
        another_launcher_is_named
        a_heap_that_cannot_be_had
        launchers_that_cannot_be_run
        launchers_that_are_none
        a_program_with_threads_is_told_what_to_set
        what_a_program_leaves_behind_does_no_harm
        whichever_thread_accesses_in_a_phase_is_caught
        what_is_zero_at_first_was_written
        a_program_calls_the_library_itself
        pes_in_different_meetings_are_named
        a_thread_that_may_not_call_is_named
        a_limit_ends_a_job_in_which_nobody_moves
        a_quit_signal_and_the_socket_show_the_table
        a_client_ends_the_job
    };
    if launcher().is_some() {
        return trials;
    }
    eprintln!(
        "there is no oshrun on the PATH: what needs it is left out; install the programs of the OpenSHMEM library, such as \
         openmpi-bin (Debian)"
    );
    trials.into_iter().map(|trial| trial.with_ignored_flag(true)).collect()
}

/// Whether the library's launcher is there.
fn launcher() -> Option<()> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).any(|folder| folder.join("oshrun").is_file()).then_some(())
}

/// The program, which starts its launcher itself.
pub(crate) fn itself(name: &str, argument: &str) -> Command {
    let mut command = program(name);
    command.arg(argument).env("SHMEM_TRANSPORT", "openshmem");
    for_tests(&mut command);
    command
}

/// The launcher, which starts `npes` PEs of the program.
fn launched(npes: usize, name: &str, argument: &str) -> Command {
    // It takes no more than the environment of the program.
    let itself = program(name);
    let mut command = Command::new("oshrun");
    command.args(["-np", &npes.to_string()]).arg(itself.get_program()).args(itself.get_args()).arg(argument);
    for (variable, value) in itself.get_envs() {
        match value {
            Some(value) => command.env(variable, value),
            None => command.env_remove(variable),
        };
    }
    for_tests(&mut command);
    command
}

/// Both ways to start a program on three PEs.
fn both(name: &str, argument: &str) -> [Command; 2] {
    [launched(3, name, argument), itself(name, argument)]
}

fn greetings(npes: usize) -> Vec<String> {
    let mut lines: Vec<String> = (0..npes).map(|pe| format!("hello from PE {pe} of {npes}")).collect();
    lines.sort_unstable();
    lines
}

/// A different one at each call: an argument by which the processes of one job are found.
pub(crate) fn mark() -> String {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    format!("mark-{}-{}", std::process::id(), CALLS.fetch_add(1, Ordering::Relaxed))
}

/// The processes that still run with this argument.
fn alive(mark: &str) -> Vec<String> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let lines = processes.flatten().filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(mark)).collect()
}

/// That they end.
#[track_caller]
pub(crate) fn assert_gone(mark: &str) {
    let started = Instant::now();
    while !alive(mark).is_empty() {
        assert!(started.elapsed() < LIMIT, "these go on: {:#?}", alive(mark));
        thread::sleep(Duration::from_millis(20));
    }
}

/// Runs a job that fails, until nothing is left of it.
#[track_caller]
fn fails(mut command: Command) -> Ended {
    let mark = mark();
    let ended = run(command.arg(&mark));
    assert_gone(&mark);
    ended
}

fn a_launcher_starts_the_pes() {
    for npes in [1, 2, 4] {
        let ended = run(&mut launched(npes, "hello", ""));
        ended.assert_quiet_success();
        assert_eq!(ended.lines(), greetings(npes));
    }
}

fn a_program_starts_its_launcher() {
    for npes in [1, 2, 4] {
        let ended = run(itself("hello", "").env("SHMEM_NPES", npes.to_string()));
        ended.assert_quiet_success();
        assert_eq!(ended.lines(), greetings(npes));
    }
    // As many as the attribute says, by the launcher that the user says.
    let ended = run(itself("hello", "").env("SHMEM_LAUNCHER", " oshrun  --bind-to none "));
    ended.assert_quiet_success();
    assert_eq!(ended.lines(), greetings(3));
}

/// PE 0 waits for it in a barrier, and PE 2 computes.
fn a_failing_pe_ends_the_job_with_its_report() {
    for (way, status, report) in [
        ("panic", 101, "panicked at shmem-core/tests/cluster/programs.rs:"),
        ("resume", 101, "panicked at an unknown place: without a hook"),
        ("thread", 5, "exited with status 5 before its function had returned: return from"),
        ("error", 1, "returned an error: \"no input\\nat all\""),
        ("exit-0", 1, "exited with status 0 before its function had returned: return from"),
        ("exit-3", 3, "exited with status 3 before its function had returned: return from"),
    ] {
        for command in both("failing", way) {
            fails(command).assert_failed(status, &format!("shmem: PE 1 of 3 {report}"));
        }
    }
}

fn a_report_is_printed_once() {
    let ended = fails(itself("all", ""));
    assert_eq!(ended.status.code(), Some(1), "{ended:#?}");
    let reports = ended.reports();
    assert!(reports.len() == 1 && reports[0].contains(" of 4 returned an error: \"PE "), "{ended:#?}");
    // A launcher takes them all.
    let ended = fails(launched(4, "all", ""));
    assert!(ended.status.code() == Some(1) && !ended.reports().is_empty(), "{ended:#?}");
}

fn a_pe_may_end_the_job() {
    for command in both("failing", "end-0") {
        fails(command).assert_quiet_success();
    }
    for command in both("failing", "end-7") {
        fails(command).assert_failed(7, "shmem: PE 1 of 3 ended the job with status 7, by global_exit");
    }
}

fn what_main_may_return() {
    run(&mut itself("code", "0")).assert_quiet_success();
    for code in [7, 255] {
        let report = format!("shmem: PE 1 of 2 returned the exit status {code}");
        fails(itself("code", &code.to_string())).assert_failed(code, &report);
        fails(launched(2, "code", &code.to_string())).assert_failed(code, &report);
    }
}

/// The launcher notices, and says which.
fn what_kills_a_pe_ends_the_job() {
    for (way, status, signal) in [("abort", 134, "6 (SIGABRT)"), ("kill", 137, "9 (SIGKILL)")] {
        let ended = fails(launched(3, "failing", way));
        assert_eq!(ended.status.code(), Some(status), "{ended:#?}");
        let ended = fails(itself("failing", way));
        ended.assert_failed(status, &format!("shmem: a PE was killed by signal {signal}"));
        assert!(ended.stderr.contains("process rank 1 "), "{ended:#?}");
    }
}

fn nothing_outlives_a_killed_program() {
    for signal in [Signal::KILL, Signal::TERM, Signal::INT] {
        if is_ignored(signal) {
            continue;
        }
        let mark = mark();
        let mut running = Running::start(&mut itself("waiting", &mark));
        for _ in 0..3 {
            assert_eq!(running.line(), "waiting");
        }
        assert!(alive(&mark).len() >= 4, "{:#?}", alive(&mark));
        running.send(signal);
        running.end();
        assert_gone(&mark);
    }
}

/// As `Ctrl-C` does it: the signal is for the program, the launcher and the PEs.
fn nothing_is_left_of_an_interrupted_program() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        if is_ignored(signal) {
            continue;
        }
        let mark = mark();
        let folder = std::env::temp_dir().join(&mark);
        fs::create_dir(&folder).expect("the folder of temporary files is writable");
        let mut running = Running::start(itself("waiting", &mark).env("TMPDIR", &folder).process_group(0));
        let number = running.number();
        for _ in 0..3 {
            assert_eq!(running.line(), "waiting");
        }
        let launchers = |folder: &Path| fs::read_dir(folder).expect("the folder is there").count();
        assert_eq!(launchers(&folder), 1, "the launcher has its folder there");
        let group = Pid::from_raw(number.cast_signed()).expect("a process");
        kill_process_group(group, signal).expect("the group is there");
        let ended = running.end();
        assert_eq!(ended.status.signal(), Some(signal.as_raw()), "{ended:#?}");
        assert_eq!(launchers(&folder), 0, "{signal:?}");
        fs::remove_dir(&folder).expect("it is empty");
        assert_gone(&mark);
    }
}

/// It gets the launcher's variables, and is no PE of it.
fn a_pe_starts_another_program() {
    let ended = run(&mut launched(2, "starts-another", ""));
    ended.assert_quiet_success();
    assert_eq!(ended.lines(), greetings(3));
    for argument in ["", "alone"] {
        // By a launcher inside of the launcher, or without.
        let ended = run(&mut itself("starts-another", argument));
        ended.assert_quiet_success();
        assert_eq!(ended.lines(), greetings(3), "{argument}");
    }
}

fn a_copy_of_a_pe_is_none() {
    let ended = run(&mut launched(2, "forks", ""));
    ended.assert_quiet_success();
    assert_eq!(ended.lines(), ["PE 0 goes on", "PE 1 goes on"]);
}

fn a_process_is_a_pe_once() {
    let ended = fails(launched(2, "twice", ""));
    assert_eq!(ended.lines(), greetings(2), "{ended:#?}");
    assert!(ended.stderr.contains("a process joins only one job"), "{ended:#?}");
    for _ in 0..5 {
        let mut command = launched(2, "crowd", "");
        // What a PE with several threads cannot set itself.
        command.env("SHMEM_SYMMETRIC_HEAP_SIZE", "400M");
        let ended = fails(command);
        assert_eq!(ended.status.code(), Some(1), "{ended:#?}");
        assert!(ended.stderr.contains("a process joins only one job"), "{ended:#?}");
    }
}

fn standard_input_goes_to_pe_0() {
    let ended = run_typed(itself("stdin", ""), b"typed\n");
    ended.assert_quiet_success();
    assert_eq!(ended.lines(), ["PE 0 read Some(6): \"typed\\n\"", "PE 1 read Some(0): \"\""]);
}

fn the_transport_is_what_the_user_says() {
    // Each of the launcher's processes starts a job of its own.
    let ended = run(launched(2, "hello", "").env("SHMEM_TRANSPORT", "smp"));
    ended.assert_quiet_success();
    let mut twice = [greetings(3), greetings(3)].concat();
    twice.sort_unstable();
    assert_eq!(ended.lines(), twice);

    let ended = run(launched(2, "hello", "").env("SHMEM_TRANSPORT", "openshmem"));
    ended.assert_quiet_success();
    assert_eq!(ended.lines(), greetings(2));

    // The launcher decides how many they are.
    let ended = run(launched(2, "hello", "").env("SHMEM_NPES", "3"));
    assert!(ended.status.success() && ended.lines() == greetings(2), "{ended:#?}");
    let reports = ended.reports();
    assert!(
        reports.len() == 1 && reports[0].starts_with("shmem: SHMEM_NPES=3 is not used: the launcher"),
        "{ended:#?}"
    );

    // Nobody watches its job.
    let ended = run(launched(2, "hello", "").env("SHMEM_TIMEOUT", "1h"));
    assert!(ended.status.success() && ended.lines() == greetings(2), "{ended:#?}");
    let reports = ended.reports();
    assert!(
        reports.len() == 1
            && reports[0].starts_with("shmem: SHMEM_TIMEOUT=1h is not used: a launcher has started"),
        "{ended:#?}"
    );

    for value in ["mpi", "SMP"] {
        let ended = fails({
            let mut command = program("hello");
            command.env("SHMEM_TRANSPORT", value);
            command
        });
        ended.assert_failed(1, &format!("shmem: SHMEM_TRANSPORT={value:?} is not understood: write"));
    }
}

fn what_the_variables_print() {
    let info = |mut command: Command| {
        let ended = run(command.env("SHMEM_INFO", "1"));
        assert!(ended.status.success() && ended.lines().len() == 3, "{ended:#?}");
        assert_eq!(ended.stderr.matches("SHMEM_SYMMETRIC_SIZE (not set)").count(), 1, "{ended:#?}");
        let mut lines = ended.stderr.lines().filter(|line| line.starts_with("  transport "));
        let line = lines.next().expect("the transport is named").to_owned();
        assert_eq!(lines.next(), None, "{ended:#?}");
        line
    };
    assert_eq!(info(program("hello")), "  transport smp (no launcher has started this process)");
    let [by_launcher, by_itself] = both("hello", "");
    assert_eq!(info(by_launcher), "  transport openshmem (a launcher has set OMPI_COMM_WORLD_RANK)");
    let line = "  transport openshmem (SHMEM_TRANSPORT says so, and no launcher has started this process)";
    assert_eq!(info(by_itself), line);

    // What the launcher does is left to it, and said once.
    let variables = [("SHMEM_OUTPUT", "label"), ("SHMEM_BIND", "core"), ("SHMEM_DEBUGGER", "gdb:1")];
    for mut command in both("hello", "") {
        let ended = run(command.envs(variables));
        assert!(ended.status.success() && ended.lines().len() == 3, "{ended:#?}");
        for (variable, value) in variables {
            let line = format!("shmem: {variable}={value} is not used: over a C library, its launcher ");
            assert_eq!(ended.stderr.matches(&line).count(), 1, "{ended:#?}");
        }
    }

    let ended = run(launched(3, "hello", "").env("SHMEM_DEBUG", "1").env("SHMEM_SYMMETRIC_SIZE", "64M"));
    let reports = ended.reports();
    assert!(reports.len() == 1 && reports[0].starts_with("shmem: 3 PEs over "), "{ended:#?}");
    assert!(reports[0].ends_with(" bytes of symmetric heap each"), "{ended:#?}");
    let ended = run(itself("hello", "").env("SHMEM_DEBUG", "1"));
    let reports = ended.reports();
    assert!(reports.len() == 2 && reports[0].starts_with("shmem: starting 3 PEs by "), "{ended:#?}");
}

/// The library would start alone in each process.
fn another_launcher_is_named() {
    for rank in ["0", "3"] {
        let mut command = program("hello");
        for_tests(&mut command);
        command.env("PMI_RANK", rank).env("PMI_SIZE", "4");
        let ended = fails(command);
        let report = format!(
            "shmem: PE {rank} of 4 could not join the job: the launcher has started 4 processes (PMI_SIZE=4), and the C \
             library knows of 1: this program is linked with "
        );
        ended.assert_failed(1, &report);
        assert!(ended.stdout.is_empty(), "{ended:#?}");
    }
}

fn a_heap_that_cannot_be_had() {
    for size in ["100T", "8388607T"] {
        for mut command in both("hello", "") {
            command.env("SHMEM_SYMMETRIC_SIZE", size);
            let ended = fails(command);
            assert!(!ended.status.success() && ended.stdout.is_empty(), "{ended:#?}");
            let told = ended.reports();
            assert!(!told.is_empty() && told[0].contains("SHMEM_SYMMETRIC_SIZE"), "{ended:#?}");
        }
    }
}

fn launchers_that_cannot_be_run() {
    for (launcher, name) in [("/no/such/oshrun -x A", "oshrun"), ("no-such-launcher", "no-such-launcher")] {
        let mut command = itself("hello", "");
        command.env("SHMEM_LAUNCHER", launcher);
        let ended = fails(command);
        ended.assert_failed(1, &format!("shmem: cannot run the launcher {name}"));
        assert!(ended.stderr.contains("or name another in SHMEM_LAUNCHER"), "{ended:#?}");
    }
}

/// It runs the program, and says nothing of a job.
fn launchers_that_are_none() {
    if !Path::new("/usr/bin/nice").exists() {
        return;
    }
    let mut command = itself("hello", "");
    command.env("SHMEM_LAUNCHER", "nice");
    let ended = fails(command);
    assert_eq!(ended.status.code(), Some(1), "{ended:#?}");
    assert!(ended.stderr.contains("SHMEM_LAUNCHER must be the launcher of the C library"), "{ended:#?}");
    // It ends itself.
    let mut command = itself("hello", "");
    command.env("SHMEM_LAUNCHER", "false");
    fails(command).assert_failed(1, "shmem: the job ended with status 1, and no PE recorded a reason");
}

/// It has no say in what the library takes.
fn a_program_with_threads_is_told_what_to_set() {
    let ended = fails(launched(1, "caught", "before"));
    assert_eq!(ended.status.code(), Some(1), "{ended:#?}");
    let told = "as the process had other threads before it joined the job: start them in the function";
    assert!(ended.reports()[0].contains(told), "{ended:#?}");
}

/// The library is left while a thread goes on, as on one machine.
fn what_a_program_leaves_behind_does_no_harm() {
    for way in ["put", "large", "own", "add", "fetch", "test"] {
        for direct in ["1", "0"] {
            run(launched(2, "behind", way).env("SHMEM_DIRECT", direct)).assert_quiet_success();
        }
    }
}

/// The threads that the library has are left out of account, and no others.
fn whichever_thread_accesses_in_a_phase_is_caught() {
    for way in ["before", "main"] {
        for _ in 0..2 {
            let mut command = launched(1, "caught", way);
            // What a PE with several threads cannot set itself.
            command.env("SHMEM_SYMMETRIC_HEAP_SIZE", "300M");
            let ended = run(&mut command);
            assert!([Some(101), Some(139)].contains(&ended.status.code()), "{way}: {ended:#?}");
            assert_eq!(ended.stdout, "", "{way}: {ended:#?}");
            assert!(ended.stderr.contains("local phase"), "{way}: {ended:#?}");
        }
    }
}

/// The library may have used its memory before, or not have cleared it.
fn what_is_zero_at_first_was_written() {
    for npes in [1, 2, 3, 4] {
        // As on one host, and as on hosts of their own.
        for direct in ["1", "0"] {
            let mut command = launched(npes, "dirty", "");
            run(command.env("SHMEM_DIRECT", direct).env(FILL, "1")).assert_quiet_success();
        }
    }
}

/// With the handles of `shmem::raw`, as on one host and as on hosts of their own; on one machine
/// without the library there are none.
fn a_program_calls_the_library_itself() {
    let lines = |npes: usize, what: &str| -> Vec<String> {
        (0..npes).map(|pe| format!("PE {pe} has {what}")).collect()
    };
    for npes in [1, 2, 3, 4, 7] {
        for direct in ["1", "0"] {
            let ended = run(launched(npes, "mixed", "").env("SHMEM_DIRECT", direct));
            ended.assert_quiet_success();
            assert_eq!(ended.lines(), lines(npes, "called the library"));
        }
    }
    let ended = run(&mut program("mixed"));
    ended.assert_quiet_success();
    assert_eq!(ended.lines(), lines(3, "no library"));
}

/// As on one host, and as on hosts of one PE or two: there a PE that is inside of the library cannot
/// say where it waits.
fn pes_in_different_meetings_are_named() {
    let returned = ["barrier", "sum", "broadcast", "phase", "row"];
    let pairs = returned.map(|others| (others, "return")).into_iter().chain([
        ("return", "barrier"),
        ("phase", "barrier"),
        ("broadcast", "phase"),
        ("row", "barrier"),
        ("sum", "team_barrier"),
        ("team_barrier", "sum"),
        ("sum", "two_sums"),
    ]);
    for (others, last) in pairs {
        for (direct, is_near) in [("1", true), ("0", false), ("2", false)] {
            match (others, last) {
                // Not found between hosts, as the book says.
                ("row", "barrier") if !is_near => continue,
                // Not found on one host in a run that is not checked: one of them returns.
                ("sum", "team_barrier" | "two_sums") | ("team_barrier", "sum") if is_near => continue,
                _ => {}
            }
            // Of hosts of two, the last shares its host.
            let npes = if direct == "2" { 4 } else { 3 };
            let mut command = launched(npes, "meetings", &format!("{others},{last}"));
            command.env("SHMEM_DIRECT", direct).env("SHMEM_CHECK", "0");
            let ended = fails(command);
            assert!(
                ended.status.code() == Some(1) && ended.stdout.is_empty(),
                "{others}, {last}: {ended:#?}"
            );
            let reports = ended.reports();
            assert!(!reports.is_empty(), "{others}, {last}: {ended:#?}");
            for report in reports {
                assert!(report.contains("the PEs disagree: PE "), "{others}, {last}: {ended:#?}");
                for meeting in [others, last] {
                    let is_named = if meeting == "return" {
                        report.contains(" has returned from its function, and PE ")
                    } else {
                        let kinds = [
                            "in a barrier or another collective call of all PEs",
                            "in another collective call, or in one with other arguments (SHMEM_CHECK=1 says which);",
                            "in `local_phase`;",
                        ];
                        report.contains(&called(meeting))
                            || !is_near && kinds.iter().any(|kind| report.contains(kind))
                    };
                    assert!(is_named, "{others}, {last}, {direct}: {ended:#?}");
                }
            }
        }
    }
}

/// Of a program that declares that one thread calls, another thread: on one host, and as if each PE had a host of its own.
pub(crate) fn a_thread_that_may_not_call_is_named() {
    let program = |direct: &'static str| {
        move |name: &str, argument: &str| {
            let mut command = itself(name, argument);
            command.env("SHMEM_DIRECT", direct);
            command
        }
    };
    crate::levels::assert_refused(program("1"), &[("barrier", "`barrier_all` at ")]);
    let transfer = "a call of the OpenSHMEM library (RUST_BACKTRACE=1 shows where)";
    crate::levels::assert_refused(
        program("0"),
        &[("sum", "`sum` at "), ("put", transfer), ("update", transfer)],
    );
}
