//! What the tools say about wrong command lines.

use std::path::Path;

use crate::package::{SHMEMRUN, TOOL, command, ended, scratch, tool};

#[test]
fn values_are_checked_before_anything_is_built() {
    for (line, message) in [
        (
            "run -n 0",
            "error: invalid value '0' for '--npes <PES>': write a whole number of PEs from 1 to 4096, such as -n 4",
        ),
        ("run -n abc", "error: invalid value 'abc' for '--npes <PES>': write a whole number of PEs"),
        ("run -n", "error: a value is required for '--npes <PES>'"),
        ("run --size 1Q", "error: invalid value '1Q' for '--size <SIZE>': it is not a size"),
        ("run --size 0", "such as --size 64M or --size 1.5G"),
        ("run --transport mpi", "[possible values: smp, openshmem]"),
        (
            "test -n 1,,2",
            "error: invalid value '1,,2' for '--npes <LIST>': write numbers of PEs from 1 to 4096, such as -n 1,2,4",
        ),
        ("test --timeout 0", "such as --timeout 60"),
        (
            "run --timeout 1d",
            "write a time of at least a second, a whole number of seconds, or a number and one of s, m, h, such as --timeout 30s or --timeout 5m",
        ),
        (
            "run --output lines",
            "write --output plain, --output label, --output files, or --output files=FOLDER",
        ),
        ("bench --bind 3", "error: invalid value '3' for '--bind <WHERE>': write --bind none or --bind core"),
        ("run --debugger ddd:3", "such as --debugger gdb:3 or --debugger lldb:0,2; the debuggers are gdb, "),
        (
            "test --stats=yes",
            "error: invalid value 'yes' for '--stats[=<FORM>]': write --stats=0, --stats=1 or --stats=json",
        ),
        (
            "run --trace run.txt",
            "write a file whose name ends with .json (a timeline for Perfetto) or .svg (a picture), such as --trace run.json",
        ),
        (
            "run --races=2",
            "error: invalid value '2' for '--races[=<FORM>]': write --races=0, --races=1 or --races=all",
        ),
        ("bench -n 4097", "write a whole number of PEs from 1 to 4096"),
        ("rum", "error: unrecognized subcommand 'rum'"),
    ] {
        ended(&mut tool(line)).assert_fails(2, message);
    }
    ended(tool("run").args(["--size", ""]))
        .assert_fails(2, "error: invalid value '' for '--size <SIZE>': the value is empty");
}

/// cargo's own messages.
#[test]
fn cargo_says_what_it_knows_better() {
    let unknown = ended(&mut tool("run -n 2 --example heap"));
    unknown.assert_fails(101, "error: no example target named `heap`");
    ended(&mut tool("run --new-option")).assert_fails(1, "error: unexpected argument '--new-option' found");
    ended(&mut tool("run --features fast")).assert_fails(101, "fast");
    let nowhere = ended(command(TOOL, Path::new("/")).args(["shmem", "run", "-n", "2"]));
    nowhere.assert(101, "", "error: could not find `Cargo.toml` in `/` or any parent directory\n");
}

#[test]
fn a_package_without_the_library() {
    let folder = scratch().join("other");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("src")).expect("a folder can be made");
    std::fs::write(folder.join("src/main.rs"), "fn main() {}\n").expect("a file can be written");
    let manifest = "[package]\nname = \"other\"\nedition = \"2024\"\n\n[workspace]\n";
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("a file can be written");
    let run = ended(command(TOOL, &folder).args(["shmem", "run", "-n", "2"]));
    run.assert_fails(
        1,
        "depends on shmem-core, so a program of it runs once\nhelp: run `cargo run`, or add the dependency",
    );
}

#[test]
fn a_job_over_the_c_library_needs_the_feature() {
    let run = ended(&mut tool("run --transport openshmem"));
    run.assert_fails(
        1,
        "error: `--transport openshmem` needs the feature `openshmem` of the package shmem-core, which is off\n\
         help: add `--features shmem/openshmem`, or write `features = [\"openshmem\"]` in the dependency `shmem` of ",
    );
    assert_eq!(run.stdout, "");
}

#[test]
fn programs_that_cannot_be_started() {
    let run = |words: &[&str]| ended(command(SHMEMRUN, scratch()).args(words));
    run(&["-n", "0", "true"]).assert_fails(2, "write a whole number of PEs from 1 to 4096, such as -n 4");
    run(&["-n", "2"]).assert_fails(2, "error: the following required arguments were not provided");
    run(&["no-such-program"]).assert(1, "", "error: no program `no-such-program` is on the PATH\n");
    run(&["./no-such-program"]).assert(
        1,
        "",
        "error: cannot run ./no-such-program: No such file or directory (os error 2)\n",
    );
    run(&["./"]).assert(1, "", "error: ./ is a folder, and not a program\n");
    std::fs::write(scratch().join("plain"), "text").expect("a file can be written");
    run(&["./plain"]).assert(1, "", "error: ./plain is not executable\n");
    run(&["plain"]).assert(
        1,
        "",
        "error: no program `plain` is on the PATH\nhelp: write ./plain for the file in this folder\n",
    );
}
