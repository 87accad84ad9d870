//! What becomes of the processes of a job: how they start, how they end, and what the user is told.

mod batches;
mod cases;
mod debugger;
#[path = "../harness/mod.rs"]
mod harness;
#[path = "../harness/levels.rs"]
mod levels;
mod meetings;
mod output;
mod phases;
#[path = "../harness/meetings.rs"]
mod program_of_meetings;
mod programs;
#[cfg(target_os = "linux")]
#[path = "../harness/small_disk.rs"]
mod small_disk;
#[cfg(feature = "gpu")]
mod streams;
mod stuck;
mod surroundings;
#[path = "../harness/watch.rs"]
mod watch;
mod windows;

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::main(programs::PROGRAMS, cases::all)
}
