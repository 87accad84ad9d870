//! The tests.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::Command;
use std::time::Duration;

use libtest_mimic::Trial;
use rustix::process::{Pid, Signal, kill_process};

use crate::batches::*;
use crate::debugger::*;
use crate::harness::trials;
use crate::meetings::*;
use crate::output::*;
use crate::phases::*;
use crate::stuck::*;
use crate::surroundings::*;
use crate::watch::{Running, clean, is_ignored, program, run, run_typed, with};

/// Both forms of the system layer, where there are two.
pub(crate) const SYSTEMS: &[&str] =
    if cfg!(target_os = "linux") { &["linux", "portable"] } else { &["portable"] };

/// Every test, for the harness.
pub(crate) fn all() -> Vec<Trial> {
    #[cfg(target_os = "linux")]
    let on_disks = trials! { a_full_disk_under_the_files_is_named }
        .into_iter()
        .map(|trial| trial.with_ignored_flag(!crate::small_disk::is_possible()));
    #[cfg(not(target_os = "linux"))]
    let on_disks = [];
    #[cfg(feature = "gpu")]
    let of_streams = crate::streams::all();
    #[cfg(not(feature = "gpu"))]
    let of_streams = [];
    let all = trials! {
        a_failing_pe_ends_the_job_with_one_report
        every_pe_may_fail_at_once
        a_wait_that_nobody_can_end_is_named
        two_threads_in_collective_calls_are_named
        a_thread_that_may_not_call_is_named
        a_pe_that_has_returned_is_named
        pes_that_have_returned_are_named
        pes_in_different_meetings_are_named
        an_allocation_that_meets_another_call_is_named
        a_process_is_a_pe_once
        nothing_outlives_a_killed_supervisor
        nonsense_in_a_variable_is_named
        an_empty_variable_is_not_set
        an_unknown_variable_is_warned_of
        processes_are_named
        lines_are_labelled
        both_streams_in_one_keep_their_order
        the_last_words_of_a_pe_arrive
        any_bytes_pass
        output_that_nobody_takes_ends_the_job
        each_stream_has_a_file
        a_stream_that_is_held_holds_up_nobody
        files_of_other_jobs_are_safe
        labels_have_colours_on_a_terminal
        pes_are_bound_where_that_is_wished
        debuggers_have_windows
        debuggers_have_windows_of_screen
        lldb_has_a_window
        a_debugger_that_may_not_attach_is_named
        a_debugger_may_have_the_terminal_of_the_job
        a_job_ends_with_its_terminal
        debuggers_that_do_not_come_are_named
        core_files_are_named
        the_number_of_pes
        the_size_of_the_heap
        statics_that_do_not_fit
        arrays_that_do_not_fit
        heaps_beyond_the_address_space
        limits_of_the_shell_are_named
        the_limit_of_processes_is_named
        standard_input_goes_to_pe_0
        closed_streams_do_no_harm
        what_main_may_return
        a_long_error_is_printed_whole
        a_panicking_thread_is_not_the_pe
        all_output_arrives
        jobs_may_be_nested
        many_pes_meet
        what_the_variables_print
        a_launcher_of_other_programs_is_no_supervisor
        a_library_job_variable_from_elsewhere_is_no_job
        a_job_variable_of_ones_own_is_no_job
        nobody_cuts_the_memory
        a_reference_from_before_the_job_names_nothing
        what_a_phase_refuses_ends_the_job
        a_thread_that_accesses_in_a_phase_ends_the_job
        a_thread_that_waits_in_a_phase_ends_the_job
        faults_behind_a_phase_are_what_they_were
        what_was_printed_arrives
        phases_alone_and_beside_other_threads
        a_job_that_gets_no_more_memory_is_told_so
        a_job_whose_terminal_is_closed_ends
        a_signal_that_is_never_sent_is_named
        waits_for_several_cells_are_named
        crossed_locks_are_named
        a_pe_computes_if_any_of_its_threads_does
        absurd_numbers_of_elements_are_refused
        a_lock_in_a_barrier_is_named
        a_lock_in_a_wait_is_named
        a_phase_against_another_call_is_named
        updates_are_named_in_a_run_that_counts
        partners_that_wait_in_a_circle_are_named
        a_partner_that_does_not_come_is_named
        a_limit_ends_a_job_in_which_nobody_moves
        a_quit_signal_prints_the_table_and_the_job_goes_on
        a_job_answers_at_its_socket
        a_job_answers_top
        a_pe_that_has_not_looked_is_not_stuck
        a_pe_that_is_stopped_is_named
        threads_that_wait_end_no_wait
        the_pe_that_others_wait_for_is_named
        the_pe_that_is_late_for_the_end_of_a_batch_is_named
        pes_that_do_not_end_the_same_batch_are_named
        a_pe_that_fails_in_a_batch_ends_the_job
        a_panic_in_a_batch_says_what_was_done
    };
    all.into_iter().chain(on_disks).chain(of_streams).collect()
}

/// Each way of a PE to fail: the exit status and the report of the job, which ends although PE 0
/// waits and PE 2 computes.
fn a_failing_pe_ends_the_job_with_one_report() {
    let ways = [
        ("panic", 101, "panicked at shmem-core/tests/process/programs.rs:"),
        ("error", 1, "returned an error: \"no input\""),
        ("exit-0", 1, "exited with status 0"),
        ("exit-3", 3, "exited with status 3"),
        ("exit-256", 1, "exited with status 0"),
        ("abort", 134, "was killed by signal 6 (SIGABRT)"),
        ("kill", 137, "was killed by signal 9 (SIGKILL)"),
        ("segv", 139, "was killed by signal 11 (SIGSEGV)"),
        ("overflow", 134, "was killed by signal 6 (SIGABRT)"),
        ("double-panic", 134, "panicked at "),
        ("payload", 101, "panicked at "),
        ("resume", 101, "panicked at an unknown place: without a hook"),
        ("caught-abort", 134, "was killed by signal 6 (SIGABRT)"),
        ("caught-resume", 101, "panicked at an unknown place: without a hook"),
        ("resumed", 101, "panicked at shmem-core/tests/process/programs.rs:"),
        ("scoped", 101, "panicked at shmem-core/tests/process/programs.rs:"),
        ("joined", 101, "panicked at shmem-core/tests/process/programs.rs:"),
        ("bounds", 101, "panicked at shmem-core/tests/process/programs.rs:"),
        ("no-such-pe", 101, "panicked at shmem-core/tests/process/programs.rs:"),
    ];
    for system in SYSTEMS {
        for (way, status, report) in ways {
            let ended = run(with("failing", "SHMEM_SYSTEM", system).arg(way));
            ended.assert_failed(status, &format!("shmem: PE 1 of 3 {report}"));
        }
    }
    let panicked = run(program("failing").arg("panic"));
    assert!(panicked.reports()[0].ends_with(": a deliberate panic"), "{panicked:#?}");
    for (way, message) in [("scoped", "a scoped thread panicked"), ("joined", "Any { .. }")] {
        let ended = run(program("failing").arg(way));
        let report = &ended.reports()[0];
        let then = ": a panic of a thread; then at shmem-core/tests/process/programs.rs:";
        assert!(report.contains(then) && report.ends_with(message), "{report}");
    }
    let beyond = run(program("failing").arg("bounds"));
    assert!(beyond.reports()[0].contains("TABLE"), "{beyond:#?}");
}

fn every_pe_may_fail_at_once() {
    for npes in ["1", "2", "16"] {
        let ended = run(with("code", "SHMEM_NPES", npes).arg("all:9"));
        assert_eq!(ended.status.code(), Some(9), "{ended:#?}");
        let reports = ended.reports();
        assert_eq!(reports.len(), 1, "{ended:#?}");
        assert!(reports[0].contains(&format!(" of {npes} returned the exit status 9")), "{ended:#?}");
    }
}

/// Nobody is left who could end the wait, so it is no wait but a mistake.
fn a_wait_that_nobody_can_end_is_named() {
    // Elsewhere nothing is known of the threads of a PE.
    for system in SYSTEMS.iter().filter(|_| cfg!(target_os = "linux")) {
        nobody_can_end_it(system);
    }
}

fn nobody_can_end_it(system: &str) {
    let alone = |name| with(name, "SHMEM_SYSTEM", system);
    let told = ", and every other PE has returned from its function";
    let ended = run(&mut alone("waits-alone"));
    ended.assert_failed(101, "shmem: PE 1 of 3 panicked at shmem-core/tests/process/programs.rs:");
    assert!(ended.reports()[0].contains(&format!("this PE waits for NEVER == 3{told}")), "{ended:#?}");
    assert_eq!(ended.stdout, "all\n");
    let ended = run(alone("waits-alone").env("SHMEM_NPES", "1"));
    ended.assert_failed(101, "shmem: PE 0 of 1 panicked at shmem-core/tests/process/programs.rs:");
    let told = ", and the job has no other PE that could end the wait";
    assert!(ended.reports()[0].ends_with(&format!("this PE waits for NEVER == 3{told}")), "{ended:#?}");
    // PE 2 is there, and cannot release it.
    for npes in ["2", "3"] {
        let ended = run(alone("locks-alone").env("SHMEM_NPES", npes));
        ended.assert_failed(
            1,
            &format!(
                "shmem: PE 1 of {npes} was stopped: PE 1 waits at shmem-core/tests/process/programs.rs:"
            ),
        );
        let told = "for the lock HELD";
        let holder = "which PE 0 holds, and PE 0 has returned from its function";
        assert!(ended.reports()[0].contains(told) && ended.reports()[0].contains(holder), "{ended:#?}");
    }
}

/// They would take each other's turn.
fn two_threads_in_collective_calls_are_named() {
    if !cfg!(target_os = "linux") {
        return;
    }
    for check in ["0", "1"] {
        for first in ["barrier", "sum"] {
            let ended = run(with("two-threads", "SHMEM_CHECK", check).arg(first));
            let other = "and another one is in a collective call of the same team, at shmem-core/tests/process/programs.rs:";
            assert!(
                ended.stdout.contains(
                    "a thread of this PE calls `barrier_all` at shmem-core/tests/process/programs.rs:"
                ) && ended.stdout.contains(other),
                "{check}, {first}: {ended:#?}"
            );
        }
    }
}

/// Were it not, each PE would start PEs of its own, without end.
fn a_process_is_a_pe_once() {
    let ended = run(&mut program("twice"));
    assert_eq!(ended.stdout.lines().count(), 2 * 3, "{ended:#?}");
    assert!(ended.stderr.contains("a process joins only one job"), "{ended:#?}");
    for _ in 0..20 {
        let ended = run(&mut program("crowd"));
        assert!(ended.status.success() && ended.lines().len() == 3, "{ended:#?}");
        assert_eq!(ended.stderr.matches("a process joins only one job").count(), 3 * 7, "{ended:#?}");
    }
}

/// Names of shared memory that the job of this supervisor has left. The portable form gives its
/// memory one for an instant, before the first PE is started.
fn left_behind(supervisor: u32) -> Vec<String> {
    let Ok(entries) = fs::read_dir("/dev/shm") else { return Vec::new() };
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(&format!("shmem-{supervisor}-"))).collect()
}

/// A process of the system.
pub(crate) struct Process {
    number: Pid,
    // Only Linux has such files.
    stat: Option<File>,
}

impl Process {
    /// The one that has this number now; later another may have it.
    pub(crate) fn new(number: &str) -> Process {
        let pid = number.parse().ok().and_then(Pid::from_raw).expect("the number of a process");
        Process { number: pid, stat: File::open(format!("/proc/{number}/stat")).ok() }
    }

    /// Its state, as the system writes it; `None` when it is gone, and where nothing is known.
    fn state(&self) -> Option<char> {
        let mut stat = self.stat.as_ref()?;
        let mut text = String::new();
        // Of a process that is gone nothing can be read.
        stat.rewind().and_then(|()| stat.read_to_string(&mut text)).ok()?;
        // The state stands after the name, which is in brackets.
        text.rsplit(") ").next().and_then(|rest| rest.chars().next())
    }

    /// Waits until it does nothing any more.
    pub(crate) fn wait(&self) {
        // A zombie waits for its new parent only.
        while !matches!(self.state(), None | Some('Z' | 'X')) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Stops it.
    fn stop(&self) {
        kill_process(self.number, Signal::STOP).expect("the process is there");
        while self.state() != Some('T') {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn nothing_outlives_a_killed_supervisor() {
    for system in SYSTEMS {
        // With PEs that are stopped, as long as one is not.
        let ways =
            [(Signal::KILL, 2), (Signal::KILL, 0), (Signal::TERM, 1), (Signal::INT, 0), (Signal::HUP, 0)];
        for (signal, stopped) in ways {
            // Elsewhere a PE that is stopped may stay until it goes on.
            let stopped = if cfg!(target_os = "linux") { stopped } else { 0 };
            if is_ignored(signal) {
                continue;
            }
            let mut running = Running::start(&mut with("waiting", "SHMEM_SYSTEM", system));
            let processes: Vec<Process> = (0..3)
                .map(|_| Process::new(running.line().strip_prefix("process ").expect("a process number")))
                .collect();
            let supervisor = running.number();
            processes[..stopped].iter().for_each(Process::stop);
            running.send(signal);
            // Its standard output is closed when the last of its processes is gone: that they would
            // go on for minutes, and are gone, is what is tested.
            let ended = running.end();
            assert_eq!(ended.status.signal(), Some(signal.as_raw()), "{ended:#?}");
            // The kernel closes the files of a process a moment before it is a zombie.
            processes.iter().for_each(Process::wait);
            assert_eq!(left_behind(supervisor), Vec::<String>::new());
        }
    }
}

fn nonsense_in_a_variable_is_named() {
    let npes = "write a whole number of PEs from 1 to 4096, such as SHMEM_NPES=4";
    let size = "write a number of bytes, or a number and one of K, M, G, T, such as SHMEM_SYMMETRIC_SIZE=64M";
    let seconds = "write a whole number of seconds, at least 1, such as SHMEM_TEST_TIMEOUT=60";
    let transport = "write SHMEM_TRANSPORT=smp or SHMEM_TRANSPORT=openshmem";
    let output =
        "write SHMEM_OUTPUT=plain, SHMEM_OUTPUT=label, SHMEM_OUTPUT=files, or SHMEM_OUTPUT=files=FOLDER";
    let bind = "write SHMEM_BIND=none or SHMEM_BIND=core";
    let debugger = "write a debugger and the numbers of PEs, such as SHMEM_DEBUGGER=gdb:3";
    let table: [(&str, &[&str], &str); 10] = [
        ("SHMEM_TRANSPORT", &["mpi", "SMP"], transport),
        ("SHMEM_NPES", &["0", "-1", "+2", " 2", "two", "1e3", "2.0", "4097", "99999999999999999999"], npes),
        (
            "SHMEM_SYMMETRIC_SIZE",
            &["0", "0K", "K", "-5M", "12Q", "1..5M", "1,5M", "M5", "5MB", "9999999T"],
            size,
        ),
        ("SHMEM_DEBUGGER", &["3", "gdb:", "edb:1"], debugger),
        ("SHMEM_BIND", &["cores", "0", "Core"], bind),
        ("SHMEM_OUTPUT", &["labels", "files=", "Plain"], output),
        (
            "SHMEM_DIRECT",
            &["02", "yes", "-1"],
            "write SHMEM_DIRECT=0, SHMEM_DIRECT=1 or SHMEM_DIRECT=own, or a number of PEs",
        ),
        ("SHMEM_SYSTEM", &["windows", "Linux "], "on this machine it may be "),
        ("SHMEM_TEST_TIMEOUT", &["0", "soon", "-1", "1.5"], seconds),
        (
            "SHMEM_TIMEOUT",
            &["0", "soon", "-1s", "1.5m", "1d"],
            "such as SHMEM_TIMEOUT=30s or SHMEM_TIMEOUT=5m",
        ),
    ];
    for (variable, values, remedy) in table {
        for value in values {
            let ended = run(&mut with("hello", variable, value));
            ended.assert_failed(1, &format!("shmem: {variable}={value:?} is not understood: "));
            assert!(ended.stderr.contains(remedy) && ended.stdout.is_empty(), "{ended:#?}");
            assert_eq!(ended.stderr.lines().count(), 1, "{ended:#?}");
        }
        let mut not_text = program("hello");
        not_text.env(variable, OsStr::from_bytes(b"\xff4"));
        run(&mut not_text).assert_failed(1, &format!("shmem: {variable}="));
    }
    run(&mut with("hello", "SHMEM_SMP_JOB", "pe=1"))
        .assert_failed(1, "shmem: SHMEM_SMP_JOB=\"pe=1\" is not understood: ");
}

/// Every variable that is set to nothing is as if it were not there.
fn an_empty_variable_is_not_set() {
    let mut command = program("hello");
    for variable in [
        "NPES",
        "SYMMETRIC_SIZE",
        "TRANSPORT",
        "LAUNCHER",
        "OUTPUT",
        "BIND",
        "DEBUGGER",
        "INFO",
        "VERSION",
        "DEBUG",
        "SYSTEM",
        "DIRECT",
        "CHECK",
        "TIMEOUT",
        "TEST_TIMEOUT",
        "TEST_NPES",
        "STATS",
        "SMP_JOB",
        "NO_SUCH_VARIABLE",
    ] {
        command.env(format!("SHMEM_{variable}"), "");
    }
    let ended = run(&mut command);
    ended.assert_quiet_success();
    assert_eq!(ended.lines().len(), 3);
}

/// A name that nobody reads is warned of, once for a job, with the one that it may stand for.
fn an_unknown_variable_is_warned_of() {
    for (variable, hint) in [
        ("SHMEM_NPE", "did you mean SHMEM_NPES?"),
        ("SHMEM_SYMETRIC_SIZE", "did you mean SHMEM_SYMMETRIC_SIZE?"),
        ("SHMEM_SYMMETRIC_HEAP_SIZE", "did you mean SHMEM_SYMMETRIC_SIZE?"),
        ("SHMEM_BARRIER_ALGORITHM", "SHMEM_INFO=1 lists all variables"),
    ] {
        let ended = run(with("hello", variable, "4").env("SMA_SYMMETRIC_SIZE", "1M"));
        assert!(ended.status.success() && ended.lines().len() == 3, "{ended:#?}");
        let warning =
            format!("shmem: warning: {variable} is set, and no variable of that name is read: {hint}\n");
        assert_eq!(ended.stderr, warning);
    }
}

/// The system shows the job and the PE, and the program sees the arguments that it was given.
fn processes_are_named() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let supervisor = |name: &str| format!("supervisor: {}|", &name[..name.len().min(15)]);
    let file = std::env::current_exe().expect("the path of this binary");
    let file = file.file_name().expect("a file").to_string_lossy();
    for (name, npes, last) in [("./a b/heat", 1, "heat[PE 0]"), ("conduction", 12, "conducti[PE 11]")] {
        let mut command = with("names", "SHMEM_NPES", &npes.to_string());
        let ended = run(command.arg0(name).args(["", "x y"]));
        ended.assert_quiet_success();
        let lines = ended.lines();
        let count = |line: &str| lines.iter().filter(|other| **other == line).count();
        assert_eq!((count("child: sh"), count(&supervisor(&file))), (npes, npes), "{ended:#?}");
        let job = name.rsplit('/').next().expect("a name");
        for pe in 0..npes {
            // A thread's name has 15 bytes, and the number is whole.
            let mut short = job.to_owned();
            short.truncate(15 - format!("[PE {pe}]").len());
            let thread = format!("{short}[PE {pe}]");
            assert!(pe + 1 < npes || thread == last, "{thread}");
            let title = if cfg!(target_env = "gnu") { &format!("{job}[PE {pe}]") } else { name };
            let line = format!(
                "PE {pe}: {thread}| {thread}| worker| {title}|--program|names||x y| [{name:?}, \"--program\", \"names\", \"\", \
                 \"x y\"]"
            );
            assert_eq!(count(&line), 1, "{line}: {ended:#?}");
        }
    }
}

/// The processors that a process may use, as Linux lists them.
pub(crate) fn processors(status: &str) -> String {
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.expect("Linux tells").trim().to_owned()
}

/// PEs are bound to the processors that the supervisor may use, one after the other, and by default
/// to none.
fn pes_are_bound_where_that_is_wished() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let mine = processors(&fs::read_to_string("/proc/self/status").expect("Linux tells"));
    let allowed: Vec<usize> = mine
        .split(',')
        .flat_map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            first.parse().expect("a number")..=last.parse().expect("a number")
        })
        .collect();
    for npes in [1, 3, 5] {
        for how in ["", "none", "core"] {
            let mut command = with("bound", "SHMEM_BIND", how);
            let ended = run(command.env("SHMEM_NPES", npes.to_string()).env("SHMEM_INFO", "1"));
            assert!(ended.status.success(), "{ended:#?}");
            let chosen: Vec<&str> =
                ended.stderr.lines().filter_map(|line| line.strip_prefix("  PE ")).collect();
            let mut used = Vec::new();
            for pe in 0..npes {
                let line = ended.lines()[pe];
                let runs = line.strip_prefix(&format!("PE {pe} may use ")).expect("a line for each PE");
                if how == "core" {
                    used.push(runs.parse::<usize>().expect("one processor"));
                    assert_eq!(chosen[pe], format!("{pe} runs on processor {runs}"));
                } else {
                    assert_eq!((runs, chosen.len()), (mine.as_str(), 0), "{ended:#?}");
                }
            }
            assert!(used.iter().all(|processor| allowed.contains(processor)), "{used:?} of {mine}");
            for (pe, processor) in used.iter().enumerate() {
                // Each is used once before one is used again.
                let first = used.iter().position(|other| other == processor);
                assert_eq!(first, Some(pe % allowed.len()), "{used:?} of {mine}");
            }
        }
    }
}

/// The variable, then the attribute, then the machine.
fn the_number_of_pes() {
    for (command, npes) in [
        (program("hello"), 3),
        (with("hello", "SHMEM_NPES", "1"), 1),
        (with("hello", "SHMEM_NPES", "5"), 5),
        (program("default"), std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2))),
        (with("default", "SHMEM_NPES", "007"), 7),
    ] {
        let mut command = command;
        let ended = run(&mut command);
        ended.assert_quiet_success();
        let mut expected: Vec<String> = (0..npes).map(|pe| format!("hello from PE {pe} of {npes}")).collect();
        expected.sort_unstable();
        assert_eq!(ended.lines(), expected);
    }
}

/// What `heap` found free.
fn free(command: &mut Command) -> usize {
    let ended = run(command);
    ended.assert_quiet_success();
    let lines = ended.lines();
    assert_eq!(lines[0], lines[1], "the PEs have the same");
    lines[0].strip_suffix(" free").and_then(|free| free.parse().ok()).expect("a number")
}

fn the_size_of_the_heap() {
    let attribute = free(&mut program("heap"));
    let statics = (8 << 20) - attribute;
    assert!((1 << 20..2 << 20).contains(&statics), "the statics and the runtime take {statics} bytes");
    // 3.1M is 3250585.6 bytes, rounded up to whole bytes and then to pages.
    let page = rustix::param::page_size();
    for (size, bytes) in [
        ("3.1M", 3_250_586_usize.next_multiple_of(page)),
        ("3.1m", 3_250_586_usize.next_multiple_of(page)),
        ("5000000", 5_000_000_usize.next_multiple_of(page)),
        ("5000000.25", 5_000_001_usize.next_multiple_of(page)),
        ("12345.5K", 12_641_792_usize.next_multiple_of(page)),
        ("0.5G", 1 << 29),
        ("0.001t", 1_099_511_628_usize.next_multiple_of(page)),
        ("2g", 2 << 30),
        ("6144k", 6 << 20),
        ("1T", 1 << 40),
    ] {
        let found = free(&mut with("heap", "SHMEM_SYMMETRIC_SIZE", size));
        assert!((bytes - statics).abs_diff(found) <= page, "{size}: {found} free");
    }
}

/// The size that a message suggests.
fn suggestion(text: &str) -> &str {
    let (_, rest) = text.rsplit_once("SHMEM_SYMMETRIC_SIZE=").expect("a suggestion");
    rest.split(')').next().expect("a value")
}

fn statics_that_do_not_fit() {
    for size in ["1", "64K", "1M"] {
        let ended = run(&mut with("statics", "SHMEM_SYMMETRIC_SIZE", size));
        assert_eq!(ended.status.code(), Some(1), "{ended:#?}");
        let reports = ended.reports();
        assert_eq!(reports.len(), 1, "{ended:#?}");
        assert!(
            reports[0].contains("could not join the job: the symmetric heap is exhausted: the block of the program's symmetric statics needs "),
            "{ended:#?}"
        );
        // With what it suggests it runs.
        let ended = run(&mut with("statics", "SHMEM_SYMMETRIC_SIZE", suggestion(reports[0])));
        ended.assert_quiet_success();
        assert_eq!(ended.lines(), ["PE 0 has 2", "PE 1 has 1"]);
    }
}

fn arrays_that_do_not_fit() {
    let elements = "3000000";
    let ended = run(with("beyond", "SHMEM_SYMMETRIC_SIZE", "3.1M").arg(elements));
    assert_eq!(ended.status.code(), Some(1), "{ended:#?}");
    let reports = ended.reports();
    assert_eq!(reports.len(), 1, "{ended:#?}");
    assert!(
        reports[0].contains(
            "the symmetric heap is exhausted: SymmetricArray<u64, 1> of 3000000 at shmem-core/tests/process/programs.rs:"
        ),
        "{ended:#?}"
    );
    let ended = run(with(
        "beyond",
        "SHMEM_SYMMETRIC_SIZE",
        suggestion(reports[0].split(" (one other").next().expect("a text")),
    )
    .arg(elements));
    ended.assert_quiet_success();
    assert_eq!(ended.lines(), ["3000000 elements"; 2]);

    // More than the machine has: an error, not a kill.
    let ended = run(with("beyond", "SHMEM_SYMMETRIC_SIZE", "10T").arg((1_u64 << 40).to_string()));
    assert_eq!(ended.status.code(), Some(1), "{ended:#?}");
    assert!(ended.reports()[0].contains("out of memory: "), "{ended:#?}");
}

fn heaps_beyond_the_address_space() {
    for size in ["100T", "4000000T", "8388607T"] {
        let ended = run(&mut with("heap", "SHMEM_SYMMETRIC_SIZE", size));
        assert_eq!(ended.status.code(), Some(1), "{ended:#?}");
        let reports = ended.reports();
        assert_eq!(reports.len(), 1, "{ended:#?}");
        assert!(reports[0].contains("SHMEM_SYMMETRIC_SIZE"), "{ended:#?}");
    }
}

/// What a shell's `ulimit` forbids is one error that names the limit and what to do, and nothing is
/// left behind.
fn limits_of_the_shell_are_named() {
    let limited = |limit: &str, system: &str, settings: &[(&str, &str)]| {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("ulimit {limit} || exit 99; exec \"$0\" --program hello"));
        command.arg(std::env::current_exe().expect("the path of this binary"));
        clean(&mut command);
        let mut running = Running::start(command.env("SHMEM_SYSTEM", system).envs(settings.iter().copied()));
        let ended = running.end();
        assert_eq!(left_behind(running.number()), Vec::<String>::new());
        ended
    };
    let size = "for example SHMEM_SYMMETRIC_SIZE=";
    for system in SYSTEMS {
        for (limit, part, remedy) in [
            ("-f 0", "the limit for a file is 0; raise it (ulimit -f unlimited)", "set SHMEM_NPES to fewer"),
            ("-f 100000", "the limit for a file is ", size),
            ("-n 20", "the limit is 20; raise it (ulimit -n ", "set SHMEM_NPES to fewer"),
            (
                "-v 3000000",
                "of address space in every process, and the limit is 3072000000; raise it (ulimit -v unlimited)",
                size,
            ),
        ] {
            let ended = limited(limit, system, &[]);
            assert_eq!(ended.status.code(), Some(1), "{limit}: {ended:#?}");
            let reports = ended.reports();
            assert!(reports.len() == 1 && ended.stderr.lines().count() == 1, "{limit}: {ended:#?}");
            assert!(reports[0].contains(part) && reports[0].contains(remedy), "{limit}: {ended:#?}");
            // With what it suggests it runs.
            if remedy == size {
                let ended = limited(limit, system, &[("SHMEM_SYMMETRIC_SIZE", suggestion(reports[0]))]);
                ended.assert_quiet_success();
            }
        }
    }
}

/// The limit of processes is the user's, and the superuser has none: the test takes another user
/// then, where that can start the program.
fn the_limit_of_processes_is_named() {
    let limited = |processes: Option<u64>| {
        let mut command = program("hello");
        if rustix::process::geteuid().is_root() {
            // One that has no processes.
            command.uid(64_321);
        }
        if let Some(most) = processes {
            let limit = rustix::process::Rlimit { current: Some(most), maximum: Some(most) };
            // SAFETY: one system call between fork and exec.
            unsafe {
                command.pre_exec(move || {
                    Ok(rustix::process::setrlimit(rustix::process::Resource::Nproc, limit)?)
                });
            }
        }
        command
    };
    let Ok(ended) = limited(None).output() else {
        eprintln!("NOT TESTED: no other user can start this program");
        return;
    };
    assert!(ended.status.success(), "{ended:#?}");
    // The supervisor and one PE. A user who runs this test may have more processes already, and
    // cannot start the supervisor.
    let ended = run(&mut limited(Some(2)));
    assert_eq!(ended.status.code(), Some(1), "{ended:#?}");
    let reports = ended.reports();
    assert!(
        reports.len() == 1
            && reports[0].contains("this user may have 2 processes and threads at a time; ")
            && reports[0].contains("(ulimit -u)")
            && reports[0].contains("SHMEM_NPES to fewer"),
        "{ended:#?}"
    );
}

fn standard_input_goes_to_pe_0() {
    let ended = run_typed(program("stdin"), b"typed\n");
    ended.assert_quiet_success();
    assert_eq!(ended.lines(), ["PE 0 read Some(6): \"typed\\n\"", "PE 1 read Some(0): \"\""]);
}

fn closed_streams_do_no_harm() {
    let this = std::env::current_exe().expect("the path of this binary");
    let shell = |script: &str| {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).arg(&this);
        clean(&mut command);
        run(&mut command)
    };
    let ended = shell("exec \"$0\" --program stdin <&-");
    ended.assert_quiet_success();
    assert_eq!(ended.lines(), ["PE 0 read Some(0): \"\"", "PE 1 read Some(0): \"\""]);
    let ended = shell("\"$0\" --program meeting <&- >&- 2>&-; echo $?");
    assert_eq!(ended.stdout, "0\n", "{ended:#?}");
    let ended = shell("\"$0\" --program failing exit-3 <&- >/dev/null 2>&-; echo $?");
    assert_eq!(ended.stdout, "3\n", "{ended:#?}");
}

fn what_main_may_return() {
    run(program("code").arg("0")).assert_quiet_success();
    run(program("code").arg("7")).assert_failed(7, "shmem: PE 1 of 2 returned the exit status 7");
    run(program("result").arg("0")).assert_quiet_success();
    let ended = run(program("result").arg("255"));
    assert_eq!(ended.status.code(), Some(255), "{ended:#?}");
    assert!(
        ended.reports().len() == 1 && ended.stderr.contains("returned the exit status 255"),
        "{ended:#?}"
    );
    let ended = run(&mut program("never"));
    assert_eq!(ended.status.code(), Some(101), "{ended:#?}");
    assert!(ended.reports().len() == 1 && ended.reports()[0].contains(": it never returns"), "{ended:#?}");
}

fn a_long_error_is_printed_whole() {
    let ended = run(&mut program("long-error"));
    assert_eq!(ended.status.code(), Some(1), "{ended:#?}");
    assert!(ended.stderr.contains(&format!("begin {} end", "é".repeat(5000))), "{ended:#?}");
}

fn a_panicking_thread_is_not_the_pe() {
    let ended = run(&mut program("thread"));
    assert!(ended.status.success() && ended.reports().is_empty(), "{ended:#?}");
    assert_eq!(ended.lines(), ["PE 0 goes on with 3", "PE 1 goes on with 3", "PE 2 goes on with 3"]);
    assert_eq!(ended.stderr.matches("only this thread").count(), 3, "{ended:#?}");
}

fn all_output_arrives() {
    let ended = run(&mut program("large-output"));
    assert!(ended.status.success(), "{:?} {}", ended.status, ended.stderr);
    assert_eq!(ended.stdout.len(), 10_000 * (100 + 99 + 98));
    assert_eq!(ended.stdout.lines().count(), 30_000);
    assert!(ended.stdout.bytes().all(|byte| byte == b'x' || byte == b'\n'));
}

fn jobs_may_be_nested() {
    let ended = run(&mut program("nested"));
    ended.assert_quiet_success();
    assert_eq!(ended.lines(), ["hello from PE 0 of 3", "hello from PE 1 of 3", "hello from PE 2 of 3"]);
}

fn many_pes_meet() {
    for npes in [1, 16, 256] {
        let ended = run(&mut with("meeting", "SHMEM_NPES", &npes.to_string()));
        ended.assert_quiet_success();
        assert_eq!(
            ended.stdout,
            format!("{npes} PEs met, and their numbers make {}\n", npes * (npes - 1) / 2)
        );
    }
}

fn what_the_variables_print() {
    let version = format!("shmem {}\n", env!("CARGO_PKG_VERSION"));
    let greeted = ["hello from PE 0 of 3", "hello from PE 1 of 3", "hello from PE 2 of 3"];

    let ended = run(&mut with("hello", "SHMEM_VERSION", "1"));
    assert_eq!((ended.stderr.as_str(), ended.lines()), (version.as_str(), greeted.to_vec()), "{ended:#?}");

    let ended = run(with("hello", "SHMEM_INFO", "anything").env("SHMEM_SYMMETRIC_SIZE", "64M"));
    assert!(ended.stderr.starts_with(&version), "{ended:#?}");
    for line in ["  SHMEM_NPES (not set): ", "  SHMEM_SYMMETRIC_SIZE=64M: ", "  SHMEM_INFO=anything: "] {
        assert!(ended.stderr.contains(line), "{line:?}: {ended:#?}");
    }
    assert_eq!(ended.lines(), greeted);

    let ended = run(with("hello", "SHMEM_DEBUG", "1").env("SHMEM_SYSTEM", "portable"));
    assert!(ended.reports().len() == 1 && ended.stderr.lines().count() == 1, "{ended:#?}");
    assert!(ended.stderr.starts_with("shmem: 3 PEs on "), "{ended:#?}");
    assert!(ended.stderr.contains("bytes of symmetric heap each, system layer portable"), "{ended:#?}");

    // Nothing and 0 are off.
    for variable in ["SHMEM_INFO", "SHMEM_VERSION", "SHMEM_DEBUG"] {
        for off in ["", "0"] {
            run(&mut with("hello", variable, off)).assert_quiet_success();
        }
    }
}

/// Each process of a launcher would start a job of its own, and nobody would notice.
fn a_launcher_of_other_programs_is_no_supervisor() {
    let launched = |size: &str| {
        let mut command = with("hello", "PMI_RANK", "1");
        command.env("PMI_SIZE", size);
        command
    };
    if !cfg!(feature = "openshmem") {
        let ended = run(&mut launched("4"));
        ended
            .assert_failed(1, "shmem: this program was started 4 times (as PMI_SIZE tells), and cannot join");
        assert!(ended.stderr.contains("SHMEM_TRANSPORT=smp for a job of its own"), "{ended:#?}");
        run(&mut launched("1")).assert_quiet_success();
        let ended = run(&mut with("hello", "SHMEM_TRANSPORT", "openshmem"));
        ended.assert_failed(
            1,
            "shmem: SHMEM_TRANSPORT=\"openshmem\" is not understood: this program was built without",
        );
    }
    let ended = run(launched("4").env("SHMEM_TRANSPORT", "smp"));
    ended.assert_quiet_success();
    assert_eq!(ended.lines().len(), 3);
}

/// What a PE's child inherits of the environment does not make it a PE.
fn a_library_job_variable_from_elsewhere_is_no_job() {
    let stale = "pe=1,npes=4,heap=4096,memory=1,object=1:1,lifeline=2,supervisor=1,system=portable,debugged=false,journals=0,recording=0";
    let ended = run(&mut with("hello", "SHMEM_SMP_JOB", stale));
    ended.assert_quiet_success();
    assert_eq!(ended.lines().len(), 3);
}

/// Nor does what a program writes into its own environment, even if it has descriptors that fit.
fn a_job_variable_of_ones_own_is_no_job() {
    let ended = run(&mut program("forged"));
    ended.assert_quiet_success();
    assert_eq!(ended.lines().len(), 3);
}

/// The memory of all PEs keeps its size, whatever one of them does to its descriptor. The portable
/// form cannot promise it.
fn nobody_cuts_the_memory() {
    if cfg!(target_os = "linux") {
        let mut command = program("cut");
        command.env_remove("SHMEM_SYSTEM");
        run(&mut command).assert_quiet_success();
    }
}

/// A static has no place before the job: a reference of that time ends the PE that uses it, and
/// never meets another object's memory.
fn a_reference_from_before_the_job_names_nothing() {
    for direct in ["0", "1"] {
        for access in ["get", "put"] {
            let mut command = with("early", "SHMEM_DIRECT", direct);
            let ended = run(command.arg(access));
            let died = ended.stderr.contains("was killed by signal") || ended.stderr.contains("panicked at");
            assert!(died && !ended.status.success() && !ended.stdout.contains("not reached"), "{ended:#?}");
        }
    }
}

/// Of a program that declares that one thread calls, another thread.
pub(crate) fn a_thread_that_may_not_call_is_named() {
    let program = |name: &str, argument: &str| {
        let mut command = program(name);
        command.arg(argument);
        command
    };
    let calls = [("barrier", "`barrier_all` at "), ("sum", "`sum` at "), ("allocation", "an allocation at ")];
    crate::levels::assert_refused(program, &calls);
}
