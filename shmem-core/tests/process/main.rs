//! What becomes of the processes of a job: how they start, how they end, and what the user is told.
//!
//! This binary is its own subject: started as `process --program NAME` it is one of the `#[shmem::main]` programs in
//! [`programs`], otherwise a test harness that starts such programs and looks at them from outside.

mod cases;
mod phases;
mod programs;
mod watch;

use std::process::ExitCode;

use libtest_mimic::{Arguments, run};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("--program") {
        return programs::run(&arguments.next().unwrap_or_default());
    }
    run(&Arguments::from_args(), cases::all()).exit_code()
}
