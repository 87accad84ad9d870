//! `cargo shmem` and `shmemrun`: conveniences for programs of the crate shmem.
//!
//! A program starts its own PEs, so the tools never start one. They set the variables that the
//! program reads, and become cargo or the program by `exec`. The process that the user sees is then
//! the supervisor of the job: signals, exit status and standard input are the job's, and nothing is
//! left if the process is killed.
//!
//! * `cli`: the command lines;
//! * `passing`: which words of a command line are the tool's, and which are cargo's;
//! * `job`: the options that are variables of the library;
//! * `cargo`: `cargo shmem run`, `test` and `bench`;
//! * `run`: of `shmemrun`;
//! * `info`: what this machine has, and what a program would do;
//! * `running`: the jobs that run on this machine: `where`, `kill`, and their part of `info`;
//! * `checkpoint`: what is in a checkpoint;
//! * `new`: a new package;
//! * `shell`: completions and manual pages;
//! * `top`: what the PEs of a job do, again and again.

pub(crate) mod cargo;
pub(crate) mod checkpoint;
pub(crate) mod cli;
pub(crate) mod failure;
pub(crate) mod info;
pub(crate) mod job;
pub(crate) mod new;
pub(crate) mod passing;
pub(crate) mod print;
pub(crate) mod run;
pub(crate) mod running;
pub(crate) mod shell;
pub(crate) mod top;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::{Cli, Command, ShmemRun};

/// Runs `cargo shmem` with these arguments; the first is the name of the program.
///
/// cargo starts `cargo-shmem shmem run …`, and a person may type `cargo-shmem run …`.
pub fn cargo_shmem(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|word| word == "shmem") {
        arguments.remove(1);
    }
    let (ours, cargos) = passing::separate(&cli::command(), arguments);
    let done = match Cli::parse_from(ours).command {
        Command::Run(options) => cargo::run(&options, &cargos),
        Command::Test(options) => cargo::test(&options, &cargos),
        Command::Bench(options) => cargo::bench(&options, &cargos),
        Command::Where(which) => running::report(&which),
        Command::Top(which) => top::run(&which),
        Command::Kill(which) => running::kill(&which),
        Command::Info(which) => info::run(&which),
        Command::Checkpoint(command) => checkpoint::run(&command),
        Command::New(options) => new::run(&options),
        Command::Completions { shell } => shell::completions(shell),
        Command::Man { folder } => shell::manual(&folder),
    };
    failure::status(done)
}

/// Runs `shmemrun` with these arguments; the first is the name of the program.
pub fn shmemrun(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    failure::status(run::run(&ShmemRun::parse_from(arguments)))
}
