//! Programs over the C library: how they start, how they end, and what the user is told. Needs the
//! library's launcher.

mod cases;
mod dirty;
#[path = "../harness/mod.rs"]
mod harness;
#[path = "../harness/levels.rs"]
mod levels;
mod mixed;
#[path = "../harness/open_mpi.rs"]
mod open_mpi;
#[path = "../harness/meetings.rs"]
mod program_of_meetings;
mod programs;
mod table;
// Part of it is for jobs on one machine.
#[allow(dead_code)]
#[path = "../harness/watch.rs"]
mod watch;

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::main(programs::PROGRAMS, cases::all)
}
