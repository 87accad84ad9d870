//! Debuggers that a job starts for its PEs, in a terminal; and the core files of PEs.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use shmem::prelude::*;

use crate::harness::say;
use crate::programs::argument;
use crate::watch::{clean, run, with};
use crate::windows::{Folder, LIMIT, Screen, Tmux, Windows as _, are_there};

/// Comes by a function with a name that a debugger knows. With an argument, PE 0 goes on when there is
/// a file of that name.
#[shmem::main(npes = 3)]
pub(crate) fn debugged(world: &World) {
    world.barrier_all();
    breaks_here();
    let file = argument();
    if world.my_pe() == 0 && !file.is_empty() {
        while !Path::new(&file).exists() {
            thread::sleep(Duration::from_millis(5));
        }
    }
    world.barrier_all();
    say(&format!("PE {} has gone on", world.my_pe()));
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn breaks_here() {
    std::hint::black_box(());
}

/// Each PE that is debugged has a window; the others wait for it.
pub(crate) fn debuggers_have_windows() {
    if !are_there(&["tmux", "gdb", "ps"]) {
        return;
    }
    let tmux = Tmux::start("windows", &with("debugged", "SHMEM_DEBUGGER", "gdb:2,0"), false);
    for window in [1, 2] {
        tmux.wait_for(window, "(gdb)");
        tmux.enter(window, "set pagination off");
        tmux.enter(window, "break breaks_here");
        tmux.wait_for(window, "Breakpoint 1 at");
    }
    let names = tmux.run(&["list-windows", "-F", "#{window_name}"]);
    let names: Vec<&str> = names.lines().collect();
    assert!(names[1].ends_with("[PE 0]") && names[2].ends_with("[PE 2]"), "{names:?}");
    assert!(!tmux.printed().contains("has gone on"), "{}", tmux.printed());
    for window in [1, 2] {
        tmux.enter(window, "continue");
    }
    for window in [1, 2] {
        tmux.wait_for(window, "Breakpoint 1, ");
        tmux.enter(window, "continue");
    }
    for window in [1, 2] {
        tmux.wait_for(window, "exited normally]");
        tmux.enter(window, "quit");
    }
    tmux.wait("status", || tmux.printed().ends_with("status 0\n"));
    for pe in 0..3 {
        assert!(tmux.printed().contains(&format!("PE {pe} has gone on\n")), "{}", tmux.printed());
    }
    for pe in [0, 2] {
        let told = format!("shmem: PE {pe} (process ");
        assert!(
            tmux.printed().contains(&told) && tmux.printed().contains("in the tmux window "),
            "{}",
            tmux.printed()
        );
    }
}

/// The same in screen.
pub(crate) fn debuggers_have_windows_of_screen() {
    if !are_there(&["screen", "gdb"]) {
        return;
    }
    let screen = Screen::start("screen", &with("debugged", "SHMEM_DEBUGGER", "gdb:1"));
    screen.wait("prompt", || screen.shows(1).contains("(gdb)"));
    screen.enter(1, "set pagination off");
    screen.enter(1, "break breaks_here");
    screen.wait("breakpoint", || screen.shows(1).contains("Breakpoint 1 at"));
    screen.enter(1, "continue");
    screen.wait("stop", || screen.shows(1).contains("Breakpoint 1, "));
    assert!(screen.run(1, &["-Q", "title"]).ends_with("[PE 1]"), "{}", screen.run(1, &["-Q", "title"]));
    screen.enter(1, "continue");
    screen.wait("end", || screen.shows(1).contains("exited normally]"));
    screen.enter(1, "quit");
    screen.wait("status", || screen.printed().ends_with("status 0\n"));
    assert!(screen.printed().contains("in the screen window "), "{}", screen.printed());
    // One that ends, and was not attached.
    let folder = Folder::new("fake-screen");
    let path = folder.with_gdb("sleep 2");
    let screen = Screen::start("fake-screen", with("debugged", "SHMEM_DEBUGGER", "gdb:1").env("PATH", &path));
    screen.wait("status", || screen.printed().ends_with("status 1\n"));
    let report = "shmem: gdb has ended, and was not attached to PE 1, which waits for it\n";
    assert!(screen.printed().contains(report), "{}", screen.printed());
}

/// Another debugger than gdb.
pub(crate) fn lldb_has_a_window() {
    if !are_there(&["tmux", "lldb"]) {
        return;
    }
    let tmux = Tmux::start("lldb", &with("debugged", "SHMEM_DEBUGGER", "lldb:2"), false);
    tmux.wait_for(1, "stop reason = ");
    tmux.enter(1, "breakpoint set --name breaks_here");
    tmux.wait_for(1, "Breakpoint 1: ");
    tmux.enter(1, "continue");
    tmux.wait_for(1, "stop reason = breakpoint 1");
    tmux.enter(1, "continue");
    tmux.wait_for(1, "exited with status = 0");
    tmux.enter(1, "quit");
    tmux.wait("status", || tmux.printed().ends_with("status 0\n"));
    assert!(tmux.printed().contains("PE 2 has gone on\n"), "{}", tmux.printed());
}

/// A debugger that the system does not let attach says so, and the PE waits. When the user leaves it,
/// the job ends with a report.
pub(crate) fn a_debugger_that_may_not_attach_is_named() {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root || !are_there(&["tmux", "gdb", "setpriv"]) {
        return;
    }
    let folder = Folder::new("refused");
    let gdb = std::env::var("PATH").unwrap_or_default();
    // Another user may not trace the processes of root.
    let path = folder.with_gdb(&format!("PATH={gdb} exec setpriv --reuid=65534 --clear-groups gdb \"$@\""));
    let tmux = Tmux::start("refused", with("debugged", "SHMEM_DEBUGGER", "gdb:1").env("PATH", &path), false);
    tmux.wait_for(1, "Operation not permitted");
    assert!(!tmux.printed().contains("status"), "{}", tmux.printed());
    tmux.enter(1, "quit");
    tmux.wait("status", || tmux.printed().ends_with("status 1\n"));
    let report = "shmem: gdb has ended, and was not attached to PE 1, which waits for it\n";
    assert!(tmux.printed().contains(report), "{}", tmux.printed());
}

/// One debugger may have the terminal of the job. Ctrl-C stops its PE, and not the job.
pub(crate) fn a_debugger_may_have_the_terminal_of_the_job() {
    if !are_there(&["tmux", "gdb"]) {
        return;
    }
    let signal = Folder::new("signal");
    let file = signal.0.join("go on");
    let mut job = with("debugged", "SHMEM_DEBUGGER", "gdb");
    job.env_remove("TMUX").env_remove("STY").arg(&file);
    let tmux = Tmux::start("here", &job, true);
    tmux.wait_for(0, "(gdb)");
    tmux.enter(0, "set pagination off");
    tmux.enter(0, "break breaks_here");
    tmux.enter(0, "continue");
    tmux.wait_for(0, "Breakpoint 1, ");
    tmux.enter(0, "continue");
    // gdb gives the terminal to the PE, which runs.
    let owner = || tmux.run(&["display-message", "-p", "-t", ":0", "#{pane_current_command}"]);
    tmux.wait("PE in the foreground", || owner().contains("[PE"));
    tmux.run(&["send-keys", "-t", ":0", "C-c"]);
    tmux.wait_for(0, "SIGINT");
    fs::write(&file, "").expect("a file can be written");
    tmux.enter(0, "detach");
    tmux.wait_for(0, "detached]");
    tmux.enter(0, "quit");
    tmux.wait_for(0, "status 0");
    for pe in 0..3 {
        tmux.wait_for(0, &format!("PE {pe} has gone on"));
    }
}

/// When the terminal is closed, the debugger ends, and the job with it.
pub(crate) fn a_job_ends_with_its_terminal() {
    if !are_there(&["tmux", "gdb"]) {
        return;
    }
    let mut job = with("debugged", "SHMEM_DEBUGGER", "gdb");
    job.env_remove("TMUX").env_remove("STY").arg("/dev/null/no");
    let tmux = Tmux::start("closed", &job, true);
    tmux.wait_for(0, "(gdb)");
    let shown = tmux.shows(0);
    let (_, rest) = shown.split_once("(process ").expect("the number of the process");
    let pe = rest.split(')').next().expect("a number");
    let stat = fs::read_to_string(format!("/proc/{pe}/stat")).expect("it is there");
    // After the name and the state stands the parent.
    let supervisor = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)).expect("a parent");
    let supervisor = Path::new("/proc").join(supervisor);
    tmux.run(&["kill-server"]);
    let begun = Instant::now();
    // A zombie has no command line.
    while fs::read(supervisor.join("cmdline")).is_ok_and(|line| !line.is_empty()) {
        assert!(begun.elapsed() < LIMIT, "the job goes on without its terminal");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A PE does not wait for a debugger that will never come, and what cannot be is said before any PE
/// is started.
pub(crate) fn debuggers_that_do_not_come_are_named() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let folder = Folder::new("fake");
    let path = folder.with_gdb("exit 0");
    let asked = |value: &str| {
        let mut command = with("debugged", "SHMEM_DEBUGGER", value);
        command.env("PATH", &path).env_remove("TMUX").env_remove("STY");
        command
    };
    for (value, why) in [
        ("gdb:3", "this job has 3 PEs, and no PE 3"),
        ("gdb:0,1", "each debugger needs a window of its own: start the job inside of tmux or screen"),
        ("gdb", "the debugger needs a terminal: start the job inside of tmux or screen"),
        ("rust-lldb:1", "rust-lldb is not on the PATH: install it"),
    ] {
        if value.starts_with("rust") && Command::new("rust-lldb").arg("--version").output().is_ok() {
            continue;
        }
        let ended = run(&mut asked(value));
        ended.assert_failed(1, "shmem: SHMEM_DEBUGGER=");
        assert!(ended.stderr.contains(why) && ended.stdout.is_empty(), "{ended:#?}");
    }
    // No tmux answers at this socket.
    let ended = run(asked("gdb:1").env("TMUX", "/dev/null,1,0"));
    if are_there(&["tmux"]) {
        assert_eq!(ended.status.code(), Some(1), "{ended:#?}");
        assert!(ended.stderr.contains("\nshmem: cannot start gdb for PE 1 (SHMEM_DEBUGGER): "), "{ended:#?}");
        let tmux = Tmux::start("fake", with("debugged", "SHMEM_DEBUGGER", "gdb:1").env("PATH", &path), false);
        tmux.wait("status", || tmux.printed().ends_with("status 1\n"));
        let report = "shmem: gdb has ended, and was not attached to PE 1, which waits for it\n";
        assert!(tmux.printed().contains(report), "{}", tmux.printed());
    }
}

/// The report of a PE that was killed by a signal says where its core file is.
pub(crate) fn core_files_are_named() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let folder = Folder::new("core");
    let dies = |limit: &str, debug: &str| {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("ulimit -c {limit} || exit 99; exec \"$0\" --program failing segv"));
        command.arg(std::env::current_exe().expect("the path of this binary"));
        clean(&mut command);
        command.env("SHMEM_SYMMETRIC_SIZE", "4M").env("SHMEM_DEBUG", debug).current_dir(&folder.0);
        run(&mut command)
    };
    let report = "shmem: PE 1 of 3 was killed by signal 11 (SIGSEGV)";
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
    // A program that takes cores gets them whatever the limit is.
    if !pattern.starts_with('|') {
        let ended = dies("0", "0");
        ended.assert_failed(139, report);
        assert_eq!(ended.reports(), [report]);
        let told = dies("0", "1");
        let hint = "; it left no core file, because the limit is 0 (ulimit -c unlimited raises it)";
        assert_eq!(told.reports()[1..], [format!("{report}{hint}")], "{told:#?}");
    }
    let ended = dies("unlimited", "0");
    if ended.status.code() == Some(99) {
        eprintln!("NOT TESTED: core files, which the limit of this shell forbids");
        return;
    }
    ended.assert_failed(139, report);
    let told = ended.reports()[0];
    if pattern.starts_with('|') || pattern.starts_with('/') {
        assert!(told.contains("; its core"), "{told}");
        return;
    }
    let path = told.split_once("; its core file is ").expect("the file is named").1;
    let path = path.split(", which another PE may replace").next().expect("a text");
    let core = fs::read(path).expect("the file is there");
    assert!(core.starts_with(b"\x7fELF") && Path::new(path).starts_with(&folder.0), "{told}");
}
