//! Programs under the tools: what the user gives and gets is the job's.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::package::{SHMEMRUN, command, ended, ended_with, package, scratch, target, tool};

/// The program of examples/ends.rs, by `cargo shmem run` and by `shmemrun`.
fn both(npes: usize, arguments: &str) -> [Command; 2] {
    let by_cargo = tool(&format!("run -q -n {npes} --example ends -- {arguments}"));
    let mut by_shmemrun = command(SHMEMRUN, &package());
    let program = target().join("debug/examples/ends");
    by_shmemrun.args(["-n", &npes.to_string()]).arg(program).args(arguments.split(' '));
    [by_cargo, by_shmemrun]
}

#[test]
fn as_many_pes_as_are_asked_for() {
    for npes in [1, 2, 3, 4, 7] {
        let expected: Vec<String> = (0..npes)
            .map(|pe| format!("PE {pe} of {npes} got a message from PE {}", (pe + npes - 1) % npes))
            .collect();
        let by_cargo = ended(&mut tool(&format!("run --quiet -n{npes}")));
        assert_eq!(by_cargo.lines(), expected, "{by_cargo:#?}");
        let program = target().join("debug/ring");
        let by_shmemrun = ended(command(SHMEMRUN, &package()).args(["-n", &npes.to_string()]).arg(program));
        assert_eq!(by_shmemrun.lines(), expected, "{by_shmemrun:#?}");
        assert_eq!((by_cargo.status, by_shmemrun.stderr.as_str()), (0, ""));
    }
}

#[test]
fn the_status_is_that_of_the_job() {
    for (way, status) in [("status 0", 0), ("status 7", 7), ("panic", 101), ("abort", 134)] {
        for mut run in both(2, way) {
            let ended = ended(&mut run);
            assert_eq!(ended.status, status, "{way}: {ended:#?}");
        }
    }
}

#[test]
fn arguments_arrive_as_they_are() {
    for mut run in both(1, "print -n 3 --release -- *") {
        let end = ended(&mut run);
        assert_eq!(end.stdout, "[\"print\", \"-n\", \"3\", \"--release\", \"--\", \"*\"]\n", "{end:#?}");
    }
}

#[test]
fn standard_input_goes_to_pe_0() {
    for mut run in both(3, "echo") {
        ended_with(&mut run, "a line\n").assert(0, "PE 0 of 3 read \"a line\\n\"\n", "");
    }
}

/// The process that the user has started is the job: a signal to it ends all PEs, which hold the
/// pipe of the output open as long as they live.
#[test]
fn a_signal_ends_the_job() {
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        for mut run in both(3, "wait") {
            let mut child = run.stdout(Stdio::piped()).spawn().expect("the program can be started");
            let mut output = BufReader::new(child.stdout.take().expect("the output is a pipe"));
            let mut line = String::new();
            output.read_line(&mut line).expect("a pipe can be read");
            assert_eq!(line, "ready\n");
            kill_process(Pid::from_child(&child), signal).expect("the process is there");
            output.read_to_string(&mut line).expect("a pipe can be read");
            let status = child.wait().expect("a child can be waited for");
            assert_eq!((line.as_str(), status.signal()), ("ready\n", Some(signal.as_raw())));
        }
    }
}

#[test]
fn a_program_of_something_else_gets_a_warning() {
    let folder = package();
    let ours = target().join("debug/ring");
    let shmemrun = |words: &[&str]| {
        let mut run = command(SHMEMRUN, &folder);
        run.args(["-n", "2"]).args(words);
        ended(&mut run)
    };
    let echo = which::which("echo").expect("every system has it");
    let other = shmemrun(&["echo", "once"]);
    let warning = format!(
        "warning: {} does not contain the crate shmem: unless it starts a program that does, it runs once, and ignores -n 2\n",
        echo.display()
    );
    other.assert(0, "once\n", &warning);
    // A wrapper, and a script.
    let ours = ours.to_str().expect("a plain path");
    let wrapped = shmemrun(&["env", "ONE=1", ours]);
    assert_eq!((wrapped.lines().len(), wrapped.stderr.as_str()), (2, ""), "{wrapped:#?}");
    let script = scratch().join("script");
    std::fs::write(&script, format!("#!/bin/sh\nexec {ours}\n")).expect("a file can be written");
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755))
        .expect("a file can be made executable");
    let by_script = shmemrun(&[script.to_str().expect("a plain path")]);
    assert_eq!((by_script.lines().len(), by_script.stderr.as_str()), (2, ""), "{by_script:#?}");
}

/// A program in C that calls an OpenSHMEM library. It needs no library to be installed: the tool
/// looks for the name of the call.
#[test]
fn a_program_of_a_c_library_is_told_from_ours() {
    let source = scratch().join("calls.c");
    let program = scratch().join("calls");
    std::fs::write(&source, "__attribute__((weak)) void shmem_init(void);\nint main(void) { if (shmem_init) shmem_init(); return 0; }\n")
        .expect("a file can be written");
    let built = Command::new("cc").arg("-o").arg(&program).arg(&source).status();
    if !built.is_ok_and(|status| status.success()) {
        eprintln!("NOT TESTED: a program in C, as there is no cc");
        return;
    }
    let run = ended(command(SHMEMRUN, scratch()).args(["-n", "2", "./calls"]));
    run.assert(
        0,
        "",
        "warning: ./calls does not contain the crate shmem, and calls another OpenSHMEM library: it runs once, and \
         ignores -n 2\nhelp: start it with the launcher of that library, such as oshrun -n 2 ./calls\n",
    );
}

/// The same words start a job on this machine and, with one more option, over the C library.
#[test]
fn a_job_over_the_c_library() {
    let over = |transport: &str| {
        let line =
            format!("run -q -n 3 --transport {transport} --features shmem/openshmem --example launched");
        let mut run = tool(&line);
        // oshrun refuses to run as root without them.
        run.env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .env("SHMEM_INFO", "1");
        ended(&mut run)
    };
    let is_missing = ["oshcc", "oshrun"].iter().any(|program| which::which(program).is_err());
    let smp = if is_missing { None } else { Some(over("smp")) };
    let Some(smp) = smp.filter(|run| !run.stderr.contains("libclang")) else {
        eprintln!("NOT TESTED: jobs over the C library, as oshcc, oshrun or libclang is missing");
        return;
    };
    let pes = ["PE 0 of 3", "PE 1 of 3", "PE 2 of 3"];
    assert_eq!((smp.status, smp.lines()), (3, pes.to_vec()), "{smp:#?}");
    assert!(smp.stderr.contains("\n  transport smp ("), "{smp:#?}");
    let library = over("openshmem");
    assert_eq!((library.status, library.lines()), (3, pes.to_vec()), "{library:#?}");
    assert!(library.stderr.contains("\n  transport openshmem ("), "{library:#?}");
}

#[test]
fn benchmarks_run_on_as_many_pes() {
    // The profile is that of all that is built already. cargo itself adds the last argument.
    let run = ended(&mut tool("bench -q -n 3 --profile dev --bench rate -- word"));
    let expected: Vec<String> = (0..3).map(|pe| format!("PE {pe} of 3: word --bench")).collect();
    assert_eq!((run.status, run.lines()), (0, expected.iter().map(String::as_str).collect()), "{run:#?}");
}

#[test]
fn tests_run_at_the_numbers_that_are_asked_for() {
    let all = ended(&mut tool("test -q"));
    assert!(all.status == 0 && all.stdout.contains("1 passed"), "{all:#?}");
    let some = ended(&mut tool("test -q -n 2,4 neighbour -- --nocapture"));
    let left_out: Vec<&str> =
        some.lines().into_iter().filter(|line| line.starts_with("not run on")).collect();
    assert_eq!(left_out.len(), 3, "{some:#?}");
    assert!(some.status == 0 && left_out[1].starts_with("not run on 3 PEs"), "{some:#?}");
}
