//! For binaries that are their own subjects: started as `BINARY --program NAME` they are one of
//! their `#[shmem::main]` programs, otherwise a test harness that starts such programs and looks at
//! them from outside.

use std::io::Write as _;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial, run};

/// A name for each program; the programs have other signatures.
pub(crate) type Program = (&'static str, fn() -> ExitCode);

/// Runs the program that the command line names, or else the tests.
pub(crate) fn main(programs: &[Program], trials: fn() -> Vec<Trial>) -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("--program") {
        let name = arguments.next().unwrap_or_default();
        let (_, program) = programs.iter().find(|(known, _)| *known == name).expect("a program of this name");
        return program();
    }
    run(&Arguments::from_args(), trials()).exit_code()
}

/// Prints a line in one piece, so that PEs do not mix theirs.
// Not every binary prints.
#[allow(dead_code)]
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes())
        .and_then(|()| out.flush())
        .expect("standard output is open");
}

/// What was printed on standard error, without what Open MPI's launcher may say of itself when all
/// PEs end at once.
// Not every binary reads it.
#[allow(dead_code)]
pub(crate) fn without_launcher(stderr: &str) -> String {
    stderr.split_inclusive('\n').filter(|line| !line.starts_with("[warn] Epoll ")).collect()
}

/// Functions as tests, which fail by a panic.
// Not every binary uses it.
#[allow(unused_macros)]
macro_rules! trials {
    ($($test:ident)*) => {
        vec![$(libtest_mimic::Trial::test(stringify!($test), || {
            $test();
            Ok(())
        })),*]
    };
}
#[allow(unused_imports)]
pub(crate) use trials;
