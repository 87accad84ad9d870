//! The untyped floor of the runtime, as another face than the Rust language stands on it: programs
//! without `#[shmem::main]`, which a launcher starts.

mod cases;
#[path = "../harness/mod.rs"]
mod harness;
mod memory;
mod programs;
#[path = "../harness/watch.rs"]
mod watch;

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::main(programs::PROGRAMS, cases::all)
}
