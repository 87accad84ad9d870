//! Starting a job, and the role of each of its processes.
//!
//! A program or a test that no launcher has started becomes the [`supervisor`]: it starts one copy
//! of itself per PE on this machine, [watches](watch) them, and ends the whole job as soon as one
//! of them fails, with one [`report`]. A copy finds in its environment the [`job`] that it belongs
//! to, and becomes a [`pe`] of it. The macros `#[shmem::main]` and `#[shmem::test]` expand to calls
//! of [`main`] and [`test`](fn@test). A launcher for other faces than the Rust language starts
//! another [`program`].
//!
//! The supervisor also says [what each PE does](table), by an [`observer`]: on SIGQUIT ([`quit`]), at a
//! socket ([`control`]), and when it [sees](inspect) that no PE moves or that some PEs are [`stuck`].
//! It adds [`why`] they do not go on.
//!
//! With the feature `openshmem`, a process that a launcher of OpenSHMEM programs has started is a
//! PE of that launcher's job (`cluster`). A process with `SHMEM_TRANSPORT=openshmem` starts such a
//! launcher itself (`starter`). A process makes this [`choice`] once.

mod bind;
mod choice;
#[cfg(feature = "openshmem")]
mod cluster;
mod control;
mod core_file;
mod debugger;
mod forward;
mod history;
#[cfg(feature = "openshmem")]
mod host_news;
#[cfg(feature = "openshmem")]
mod host_rows;
#[cfg(feature = "openshmem")]
mod host_watch;
#[cfg(feature = "openshmem")]
mod hosts;
mod inspect;
mod interrupts;
mod job;
#[cfg(feature = "openshmem")]
mod leftovers;
mod names;
mod observer;
mod output;
#[cfg(feature = "openshmem")]
mod passing;
pub(crate) mod pe;
mod program;
mod quit;
mod races;
#[cfg(feature = "openshmem")]
mod records;
mod report;
#[cfg(feature = "openshmem")]
mod starter;
mod stuck;
pub(crate) mod supervisor;
mod table;
mod test;
mod timeline;
#[cfg(feature = "tool")]
pub mod tool;
mod top;
mod view;
mod watch;
mod why;

use std::convert::Infallible;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::num::NonZero;
use std::ops::{Deref, Index};
use std::panic::Location;
use std::process::{ExitCode, Termination};

use crate::World;
use crate::checkpoint;
use crate::runtime;
use crate::system::env::{self, Env, OutputForm};
use crate::system::error::Error;
use crate::system::os::System;
use crate::system::threads::{self, ThreadLevel};
use crate::transport::layout;

use self::choice::{Choice, Origin, Role};
#[cfg(feature = "openshmem")]
use self::choice::{DetectedLauncher, Launched};
#[cfg(feature = "openshmem")]
use self::cluster::Task;
use self::forward::Forwarding;
use self::job::Job;
use self::pe::Joined;
#[cfg_attr(not(feature = "untyped"), allow(unreachable_pub))]
pub use self::program::PeVariables;
pub(crate) use self::program::Program;
#[cfg(feature = "openshmem")]
use self::starter::Order;
use self::supervisor::{Failure, Plan};
pub use self::test::{TestOptions, test};

/// The default heap of each PE on this machine. It is address space, which costs memory only where
/// it is touched.
const DEFAULT_HEAP: usize = 4 << 30;
/// The most address space that the heaps of all PEs take by default; a process has 128 TiB on most
/// machines.
const DEFAULT_HEAPS: usize = 64 << 40;

/// The arguments of `#[shmem::main]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct JobOptions {
    /// `npes = 4`: how many PEs to start, unless `SHMEM_NPES` is set.
    pub npes: Option<usize>,
    /// `heap = "64M"`: the symmetric heap of each PE, unless `SHMEM_SYMMETRIC_SIZE` is set.
    pub heap: Option<&'static str>,
    /// `threads = single`: which threads of a PE call the library; any, if it is not given.
    pub threads: Option<ThreadLevel>,
    /// `restore = "checkpoints"`: the directory whose newest checkpoint is restored at the start.
    pub restore: Option<&'static str>,
}

/// How the user's function ended on this PE.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The exit status that its value stands for.
    pub code: ExitCode,
    /// The `Debug` text of an `Err`.
    pub failure: Option<String>,
}

/// Turns the value that the user's function returns into an [`Outcome`]:
/// `ReturnForm::outcome(&Returns::of(&value)[()], value)` takes any type that implements [`Termination`],
/// and keeps the error text of a [`Result`].
///
/// ```
/// # use shmem::__private::launch::{ReturnForm, Returns};
/// let failed: Result<(), &str> = Err("no input");
/// assert_eq!(ReturnForm::outcome(&Returns::of(&failed)[()], failed).failure.as_deref(), Some("\"no input\""));
/// assert_eq!(ReturnForm::outcome(&Returns::of(&())[()], ()).failure, None);
/// ```
///
/// The bounds are on the method, not on the implementation: so for a function that returns another
/// type, rustc reports the missing bound in its own words.
pub trait ReturnForm<R> {
    /// The type that has an exit status: `R`, or the type of an `Ok`.
    type Value;
    /// The type of an `Err`.
    type Error;
    /// The exit status, with the `Debug` text of an `Err`.
    fn outcome(&self, returned: R) -> Outcome
    where
        Self::Value: Termination,
        Self::Error: Debug;
}

/// The [`ReturnForm`] of a [`Result`].
#[derive(Debug)]
pub struct IsResult;

impl<T, E> ReturnForm<Result<T, E>> for IsResult {
    type Value = T;
    type Error = E;
    fn outcome(&self, returned: Result<T, E>) -> Outcome
    where
        T: Termination,
        E: Debug,
    {
        match returned {
            Ok(value) => Outcome { code: value.report(), failure: None },
            Err(error) => Outcome { code: ExitCode::FAILURE, failure: Some(format!("{error:?}")) },
        }
    }
}

/// The [`ReturnForm`] of any other type that `main` may return.
#[derive(Debug)]
pub struct IsOther;

impl<R> ReturnForm<R> for IsOther {
    type Value = R;
    type Error = Infallible;
    fn outcome(&self, returned: R) -> Outcome
    where
        R: Termination,
    {
        Outcome { code: returned.report(), failure: None }
    }
}

/// Finds the [`ReturnForm`] of `R`: its own index, if `R` is a [`Result`], else that of the type to which
/// it dereferences.
///
/// A method could be found in the same way, but its lookup would include all traits that the user
/// has in scope. An index has one trait.
pub struct Returns<R>(AnyReturns<R>);

/// See [`Returns`].
pub struct AnyReturns<R>(PhantomData<fn(R)>);

impl<R> Returns<R> {
    /// The value for the type of `returned`.
    pub fn of(_returned: &R) -> Returns<R> {
        Returns(AnyReturns(PhantomData))
    }
}

impl<T, E> Index<()> for Returns<Result<T, E>> {
    type Output = IsResult;
    fn index(&self, (): ()) -> &IsResult {
        &IsResult
    }
}

impl<R> Deref for Returns<R> {
    type Target = AnyReturns<R>;
    fn deref(&self) -> &AnyReturns<R> {
        &self.0
    }
}

impl<R> Index<()> for AnyReturns<R> {
    type Output = IsOther;
    fn index(&self, (): ()) -> &IsOther {
        &IsOther
    }
}

/// Whether this program is linked with the C library.
const OPENSHMEM: bool = cfg!(feature = "openshmem");

/// Runs a `#[shmem::main]` program: as a PE if it was started as one, else as the supervisor of a
/// new job.
///
/// Collective on the PEs. Returns the exit status of the process, for its `main` to return. `body` is a pointer, as in
/// [`test`](test()), so that all of this is compiled once, with the crate.
#[track_caller]
pub fn main(options: JobOptions, body: fn(&World) -> Outcome) -> ExitCode {
    let place = Location::caller();
    if let Some(level) = options.threads {
        threads::declare(level, place);
    }
    let body = |world: &World| {
        let restored =
            options.restore.map_or(Ok(false), |directory| checkpoint::at_start(world, directory, place));
        match restored {
            Ok(_) => body(world),
            Err(error) => Outcome { code: ExitCode::FAILURE, failure: Some(error.to_string()) },
        }
    };
    let done = match Job::found() {
        Ok(Some((job, descriptors))) => return pe::run(|| Joined::of_job(&job, descriptors), body),
        Ok(None) => begin(options, body),
        Err(error) => Err(Failure::from(error)),
    };
    done.unwrap_or_else(fail)
}

/// Starts `program` as a job, and watches it to its end. `labels` are wanted where the command line says so,
/// which decides before the environment. Returns the exit status for a launcher to end with. Failures are
/// reported.
pub(crate) fn launch(program: Program, options: JobOptions, labels: bool) -> ExitCode {
    let _forwarding = Forwarding::begin();
    let setting = Setting::of_launcher().map_err(Failure::from);
    let done = setting.and_then(|mut setting| {
        if labels {
            setting.env.output = OutputForm::Label;
        }
        start(&setting, program, options)
    });
    done.map_or_else(fail, |()| ExitCode::SUCCESS)
}

/// As [`launch`], of the program of this process. Returns the exit status as a number; `None` where a
/// launcher has started this process, or it has left a job that it can join again.
pub(crate) fn launch_itself(options: JobOptions, variables: PeVariables) -> Option<u8> {
    #[cfg(all(feature = "untyped", not(feature = "openshmem")))]
    env::read_as_c_library();
    if Job::is_there() {
        return None;
    }
    // What is wrong is reported by the attempt to join.
    let setting = Setting::read().ok().filter(|setting| matches!(setting.role, Role::Supervise))?;
    let program = Program::as_called().map(|program| program.with_variables(variables));
    let done = program.map_err(Failure::from).and_then(|program| start(&setting, program, options));
    Some(done.map_or_else(tell, |()| 0))
}

/// Reports a failed job. Returns the exit status that it calls for.
fn tell(failure: Failure) -> u8 {
    eprintln!("shmem: {failure}");
    failure.status
}

/// As [`tell`], for `main`.
fn fail(failure: Failure) -> ExitCode {
    ExitCode::from(tell(failure))
}

/// Makes this process a PE of the job that it was started for, or of another job of the same PEs if
/// it has left one. Collective.
///
/// # Errors
///
/// When it was not started as a PE, is in a job already, or cannot join. A PE must end then: the
/// reason is reported once for all PEs.
pub(crate) fn join(heap: Option<&'static str>) -> Result<Joined, Error> {
    #[cfg(all(feature = "untyped", not(feature = "openshmem")))]
    env::read_as_c_library();
    if runtime::find().is_some() {
        return Err(Error::Job { reason: String::from("this process is in a job already") });
    }
    if let Some(member) = Joined::again() {
        return Ok(member);
    }
    if let Some((job, descriptors)) = Job::found()? {
        return Joined::of_job(&job, descriptors);
    }
    let setting = Setting::read().map_err(|error| {
        // Another face has no features.
        if !OPENSHMEM
            && matches!(error, Error::Job { .. })
            && let Some(launcher) = Origin::read().ok().and_then(|origin| origin.launcher)
        {
            return Error::Job {
                reason: format!(
                    "another launcher has started this process, as {} tells, and it cannot join the others",
                    launcher.variable
                ),
            };
        }
        error
    })?;
    match &setting.role {
        #[cfg(feature = "openshmem")]
        Role::Join(launcher) => cluster::join(&setting.task(launcher, heap)),
        _ => {
            let _ = heap;
            Err(Error::Job {
                reason: String::from("no launcher has started this process, so it is no PE of a job"),
            })
        }
    }
}

/// What decides the role of a process that is no PE on this machine.
struct Setting {
    env: Env,
    system: System,
    /// Whether a launcher's variables are set that are meant for another process.
    nested: bool,
    /// The job that this library started the launcher for.
    #[cfg(feature = "openshmem")]
    launched: Option<Launched>,
    role: Role,
    /// The transport and the reason for it.
    why: String,
}

impl Setting {
    /// The setting of a program; not of a test harness.
    fn read() -> Result<Setting, Error> {
        let env = Env::read()?;
        let system = System::from_env()?;
        let mut origin = Origin::read()?;
        origin.is_program();
        let nested = origin.nested;
        #[cfg(feature = "openshmem")]
        let launched = origin.launched.clone();
        let Choice { role, why } = origin.choose(env.transport, OPENSHMEM)?;
        Ok(Setting {
            env,
            system,
            nested,
            #[cfg(feature = "openshmem")]
            launched,
            role,
            why,
        })
    }

    /// The setting of a launcher for programs that are not this one.
    #[cfg(feature = "openshmem")]
    fn of_launcher() -> Result<Setting, Error> {
        Setting::read()
    }

    /// The same where it is a C library's: it starts PEs on this machine, also for a program over it that
    /// has started it.
    #[cfg(not(feature = "openshmem"))]
    fn of_launcher() -> Result<Setting, Error> {
        #[cfg(feature = "untyped")]
        env::read_as_c_library();
        let why = String::from("smp (its own launcher has started it)");
        let (env, system) = (Env::read()?, System::from_env()?);
        Ok(Setting { env, system, nested: env::carries(), role: Role::Supervise, why })
    }

    /// The parameters of a PE that `launcher` has started.
    #[cfg(feature = "openshmem")]
    fn task<'a>(&'a self, launcher: &'a DetectedLauncher, heap: Option<&'a str>) -> Task<'a> {
        let launched = self.launched.as_ref();
        Task { env: &self.env, heap, why: &self.why, launcher, launched, races: false }
    }
}

/// Runs a program that is no PE on this machine: it starts a job, or joins that of a launcher.
fn begin(options: JobOptions, body: impl FnOnce(&World) -> Outcome) -> Result<ExitCode, Failure> {
    let setting = Setting::read()?;
    #[cfg(feature = "openshmem")]
    if let Role::Join(launcher) = &setting.role {
        let task = setting.task(launcher, options.heap);
        return Ok(pe::run(|| cluster::join(&task), body));
    }
    #[cfg(not(feature = "openshmem"))]
    let _ = body;
    start(&setting, Program::itself()?, options)?;
    Ok(ExitCode::SUCCESS)
}

/// Starts a job of `program`, and watches it to its end.
fn start(setting: &Setting, program: Program, options: JobOptions) -> Result<(), Failure> {
    let Setting { env, system, nested, why, .. } = setting;
    match &setting.role {
        Role::Supervise => {
            eprint!("{}{}", env.announcement(why), env::warnings(*nested));
            let npes = number_of_pes(env, options)?;
            let heap = heap_size(env, options.heap, default_heap(npes))?;
            supervisor::run(&Plan { program, npes, heap, system: *system, env, test: None })
        }
        #[cfg(feature = "openshmem")]
        Role::Launch => {
            eprint!("{}{}{}", env.announcement(why), env::warnings(true), env.left_to_the_launcher());
            let npes = number_of_pes(env, options)?;
            let heap = heap_size(env, options.heap, cluster::DEFAULT_HEAP)?;
            starter::run(&Order { program, env, npes, heap, test: None, nested: *nested })
        }
        _ => Err(Failure::from(Error::Job {
            reason: format!("this process was started as a PE, and starts no job: {why}"),
        })),
    }
}

/// The number of PEs that a program starts: from the environment, else the attribute, else one for
/// each core.
fn number_of_pes(env: &Env, options: JobOptions) -> Result<usize, Error> {
    // At least two: a job of one PE on a one-core machine would communicate with no other PE.
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    match (env.npes, options.npes) {
        (Some(npes), _) => Ok(npes),
        (None, Some(npes)) => env::npes("npes", &npes.to_string()),
        (None, None) => Ok(cores().clamp(2, env::MAX_PES)),
    }
}

/// The default heap of each PE on this machine.
fn default_heap(npes: usize) -> usize {
    DEFAULT_HEAP.min(DEFAULT_HEAPS / npes)
}

/// The size of each PE's heap: from the environment, else the attribute, else the default; whole
/// pages.
fn heap_size(env: &Env, attribute: Option<&str>, default: usize) -> Result<usize, Error> {
    let heap = match (env.heap, attribute) {
        (Some(heap), _) => heap,
        (None, Some(text)) => env::size("heap", text)?,
        (None, None) => default,
    };
    let page = rustix::param::page_size();
    // The runtime's own part is added. A size that cannot be enlarged cannot be mapped either; the
    // attempt reports that.
    let whole = heap.checked_add(layout::END).and_then(|size| size.checked_next_multiple_of(page));
    Ok(whole.unwrap_or(heap))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the macros expand: they do not know whether the type is a result.
    macro_rules! outcome {
        ($returned:expr) => {{
            let returned = $returned;
            ReturnForm::outcome(&Returns::of(&returned)[()], returned)
        }};
    }

    #[test]
    fn results_keep_their_error() {
        let ok: Result<(), String> = Ok(());
        let outcome = outcome!(ok);
        assert_eq!((outcome.code, outcome.failure), (ExitCode::SUCCESS, None));

        let failed: Result<(), String> = Err(String::from("no input"));
        let outcome = outcome!(failed);
        assert_eq!((outcome.code, outcome.failure), (ExitCode::FAILURE, Some(String::from("\"no input\""))));

        let inner: Result<ExitCode, String> = Ok(ExitCode::from(3));
        assert_eq!(outcome!(inner).code, ExitCode::from(3));
    }

    #[test]
    fn everything_else_has_a_status() {
        fn opaque() -> impl Termination {
            ExitCode::from(9)
        }
        assert_eq!(outcome!(()).code, ExitCode::SUCCESS);
        assert_eq!(outcome!(ExitCode::from(7)).code, ExitCode::from(7));
        assert_eq!(outcome!(opaque()).code, ExitCode::from(9));
    }

    #[test]
    fn the_environment_decides_the_heap_before_the_attribute() {
        let env = |heap| Env { heap, ..Env::read().unwrap() };
        // The runtime's own part is added.
        let heap_size = |env: &Env, attribute, npes| {
            heap_size(env, attribute, default_heap(npes)).map(|all| all - layout::END)
        };
        assert_eq!(heap_size(&env(Some(1 << 20)), Some("2M"), 4).unwrap(), 1 << 20);
        assert_eq!(heap_size(&env(None), Some("2M"), 4).unwrap(), 2 << 20);
        assert_eq!(heap_size(&env(None), None, 4).unwrap(), 4 << 30);
        assert_eq!(heap_size(&env(None), None, 4096).unwrap() * 4096, 16 << 40);
        assert_eq!(heap_size(&env(Some(1)), None, 1).unwrap(), rustix::param::page_size());
        let error = heap_size(&env(None), Some("2Q"), 4).unwrap_err().to_string();
        assert!(error.starts_with("heap=\"2Q\" is not understood: "), "{error}");
    }
}
