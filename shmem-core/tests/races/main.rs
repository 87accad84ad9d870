//! `SHMEM_RACES`: programs that race and programs that do not, and what is said of them.

mod cases;
#[path = "../harness/mod.rs"]
mod harness;
mod library;
#[path = "../harness/open_mpi.rs"]
mod open_mpi;
mod programs;
mod singles;
// It can do more than is needed here.
#[allow(dead_code)]
#[path = "../harness/watch.rs"]
mod watch;

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::main(programs::PROGRAMS, cases::all)
}
