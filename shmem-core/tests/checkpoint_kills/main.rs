//! Jobs that are killed while they write checkpoints, and jobs that go on from there.

mod another;
mod cases;
mod ghosts;
#[path = "../harness/mod.rs"]
mod harness;
mod programs;
#[path = "../harness/random.rs"]
mod random;
#[cfg(target_os = "linux")]
#[path = "../harness/small_disk.rs"]
mod small_disk;
mod terminal;
#[path = "../harness/watch.rs"]
// Other tests use the rest of it.
#[allow(dead_code)]
mod watch;

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::main(programs::PROGRAMS, cases::all)
}
