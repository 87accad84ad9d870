//! Jobs inside a test harness: one test function both starts the job and, in copies of the harness,
//! runs as its PEs.

use std::process::{self, ExitCode};

use crate::World;
use crate::system::env::{self, Env};
use crate::system::error::Error;
use crate::system::os::System;

use super::choice::{Choice, Launched, Origin, Role};
#[cfg(feature = "openshmem")]
use super::cluster::{self, Task};
use super::job::Job;
use super::pe::{self, Joined};
use super::program::Program;
#[cfg(feature = "openshmem")]
use super::starter::{self, Order};
use super::supervisor::{self, Failure, Plan, Test};
use super::{OPENSHMEM, Outcome, default_heap, heap_size};

/// The arguments of `#[shmem::test]`.
#[derive(Clone, Copy, Debug)]
pub struct TestOptions {
    /// `npes = [1, 2, 4]`: a job for each of these numbers of PEs.
    pub npes: &'static [usize],
    /// `heap = "64M"`: the symmetric heap of each PE, unless `SHMEM_SYMMETRIC_SIZE` is set.
    pub heap: Option<&'static str>,
    /// `races`: look for races, unless `SHMEM_RACES` is set.
    pub races: bool,
}

/// Runs a `#[shmem::test]`: a job of copies of the test harness for each number of PEs, or, in
/// such a copy, one PE. `name` is the test's path with the crate in front, as `module_path!` has
/// it.
///
/// What the PEs print appears as the test's own output, each line with its PE in front.
///
/// # Panics
///
/// When a PE fails, with the report that names it and the reason, and when the test takes too long.
#[track_caller]
pub fn test(name: &str, options: TestOptions, body: fn(&World) -> Outcome) {
    // The harness names a test by its path inside the crate.
    let name = name.split_once("::").map_or(name, |(_crate, path)| path);
    let done = match Job::found() {
        Ok(Some((job, descriptors))) => {
            // The harness was started for this test alone, by its exact name.
            assert_eq!(job.test.as_deref(), Some(name), "this process was started as a PE of another test");
            leave(pe::run(|| Joined::of_job(&job, descriptors), body));
        }
        Ok(None) => start(name, options, body),
        Err(error) => Err(Failure::from(error)),
    };
    if let Err(failure) = done {
        panic!("{failure}");
    }
}

/// Ends a copy of the harness. It does not return to the harness, which would report one test per
/// PE, and would print over the others.
fn leave(code: ExitCode) -> ! {
    process::exit(if code == ExitCode::SUCCESS { 0 } else { 1 })
}

/// Runs the test at each count, or is a PE of the job that a launcher was started for.
fn start(
    name: &str,
    TestOptions { npes, heap, races }: TestOptions,
    body: fn(&World) -> Outcome,
) -> Result<(), Failure> {
    let env = Env::read()?;
    let system = System::from_env()?;
    let mut origin = Origin::read()?;
    let launched = origin.launched.clone();
    match &launched {
        Some(Launched { test, .. }) => {
            assert_eq!(test.as_deref(), Some(name), "this process was started as a PE of another test");
        }
        None => origin.is_harness()?,
    }
    let nested = origin.nested;
    let Choice { role, why } = origin.choose(env.transport, OPENSHMEM)?;
    #[cfg(not(feature = "openshmem"))]
    let _ = (why, body);
    let test = Test { name, limit: env.test_timeout, races };
    let program = || Ok::<_, Error>(Program::itself()?.with(test.arguments()));
    let test = Some(test);
    match role {
        Role::Supervise => {
            eprint!("{}", env::warnings(nested));
            each(npes, &env, |npes| {
                let heap = heap_size(&env, heap, default_heap(npes))?;
                supervisor::run(&Plan { program: program()?, npes, heap, system, env: &env, test })
            })
        }
        #[cfg(feature = "openshmem")]
        Role::Launch => {
            eprint!("{}", env::warnings(true));
            let heap = heap_size(&env, heap, cluster::DEFAULT_HEAP)?;
            each(npes, &env, |npes| {
                starter::run(&Order { program: program()?, env: &env, npes, heap, test, nested })
            })
        }
        #[cfg(feature = "openshmem")]
        Role::Join(launcher) => {
            let launched = launched.as_ref();
            let task = Task { env: &env, heap, why: &why, launcher: &launcher, launched, races };
            leave(pe::run(|| cluster::join(&task), body))
        }
        #[cfg(not(feature = "openshmem"))]
        Role::Launch | Role::Join(_) => unreachable!("without the C library nothing is chosen that needs it"),
    }
}

/// Runs a test once at each of its counts that `SHMEM_TEST_NPES` allows. `SHMEM_NPES` does not
/// change them: a test specifies its own counts.
fn each(
    counts: &[usize],
    env: &Env,
    mut run: impl FnMut(usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let wanted = env.test_npes.as_ref().map(|wanted| wanted.of(counts));
    for npes in counts {
        let npes = env::npes("npes", &npes.to_string())?;
        if wanted.as_ref().is_none_or(|wanted| wanted.contains(&npes)) {
            run(npes)?;
        } else {
            let pes = if npes == 1 { "PE" } else { "PEs" };
            println!("not run on {npes} {pes}: SHMEM_TEST_NPES leaves this number out");
        }
    }
    Ok(())
}
