//! Jobs inside a test harness: one test function is both the supervisor and, in copies of the harness, its PEs.

use std::process::{self, ExitCode};

use crate::World;
use crate::env::{self, Env};
use crate::transport::smp::system::System;

use super::job::Job;
use super::supervisor::{self, Failure, Plan, Test};
use super::{Outcome, heap_size, pe};

/// Runs a `#[shmem::test]`: a job of copies of the test harness for each count in `npes`, or, in such a copy,
/// one PE. `name` is the test's path with the crate in front, as `module_path!` has it.
///
/// What the PEs print appears as the test's own output, each line with its PE in front.
///
/// # Panics
///
/// When a PE fails, with the report that names it and says why, and when the test takes too long.
#[track_caller]
pub fn test(name: &str, npes: &[usize], heap: Option<&'static str>, body: impl FnOnce(&World) -> Outcome) {
    // The harness names a test by its path inside the crate.
    let name = name.split_once("::").map_or(name, |(_crate, path)| path);
    let done = match Job::from_env() {
        Ok(Some((job, descriptors))) => {
            // The harness was asked for this test alone, by its exact name.
            assert_eq!(job.test.as_deref(), Some(name), "this process was started as a PE of another test");
            let code = pe::run(&job, descriptors, body);
            // Not back to the harness: it would report one test per PE, and would print over the others.
            process::exit(if code == ExitCode::SUCCESS { 0 } else { 1 });
        }
        Ok(None) => npes.iter().try_for_each(|npes| supervise(name, *npes, heap)),
        Err(error) => Err(Failure::from(error)),
    };
    if let Err(failure) = done {
        panic!("{failure}");
    }
}

/// Runs the test once, on `npes` PEs. `SHMEM_NPES` does not change the count: a test says what it tests.
fn supervise(name: &str, npes: usize, heap: Option<&'static str>) -> Result<(), Failure> {
    let env = Env::read()?;
    let system = System::from_env()?;
    let npes = env::npes("npes", &npes.to_string())?;
    let heap = heap_size(&env, heap, npes)?;
    let limit = env.test_timeout;
    supervisor::run(&Plan { npes, heap, system, debug: env.debug, test: Some(Test { name, limit }) })
}
