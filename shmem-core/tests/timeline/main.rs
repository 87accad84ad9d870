//! `SHMEM_TRACE`: timelines and pictures of programs whose operations are known. Timelines are read as
//! JSON, and compared with what the programs did.

mod cases;
#[path = "../harness/mod.rs"]
mod harness;
mod library;
#[path = "../harness/open_mpi.rs"]
mod open_mpi;
mod pictures;
mod programs;
#[path = "../harness/small_disk.rs"]
mod small_disk;
mod timeline;
// It can do more than is needed here.
#[allow(dead_code)]
#[path = "../harness/watch.rs"]
mod watch;

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::main(programs::PROGRAMS, cases::all)
}
