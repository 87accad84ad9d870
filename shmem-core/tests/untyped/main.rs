//! The untyped floor of the runtime, as another face than the Rust language stands on it: programs
//! without `#[shmem::main]`, which a launcher starts.

mod cases;
mod cells;
#[path = "../harness/mod.rs"]
mod harness;
mod memory;
#[path = "../harness/open_mpi.rs"]
mod open_mpi;
mod programs;
mod races;
#[path = "../harness/random.rs"]
mod random;
// Part of it is for programs that start themselves.
#[allow(dead_code)]
#[path = "../harness/watch.rs"]
mod watch;

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::main(programs::PROGRAMS, cases::all)
}
