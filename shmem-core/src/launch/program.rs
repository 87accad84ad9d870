//! The program that a job consists of: this one again, or another one.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::names::{self, JobName};
use super::supervisor::system;
use crate::system::error::Error;

/// What each PE of a job has in its environment besides: by its number, and the number of PEs.
#[cfg_attr(not(feature = "untyped"), allow(unreachable_pub))]
pub type PeVariables = fn(usize, usize) -> Vec<(&'static str, String)>;

/// A program with its arguments, and the changes of its environment.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Looked for on the `PATH` if it is a mere name.
    file: PathBuf,
    /// Its own name for itself, its argument 0; the file where there is none.
    name: Option<OsString>,
    arguments: Vec<OsString>,
    /// The variables that are set or, where they have no value, removed.
    environment: Vec<(OsString, Option<OsString>)>,
    /// The variables of each PE, by its number and the number of PEs.
    of_pes: PeVariables,
}

impl Program {
    /// What `command` starts. Its streams, its folder and what it does before the program starts
    /// are not taken over.
    pub(crate) fn of(command: &Command) -> Program {
        let environment = command.get_envs();
        Program {
            file: command.get_program().into(),
            name: None,
            arguments: command.get_args().map(OsStr::to_owned).collect(),
            environment: environment
                .map(|(name, value)| (name.to_owned(), value.map(OsStr::to_owned)))
                .collect(),
            of_pes: |_, _| Vec::new(),
        }
    }

    /// The same program with variables that differ by PE.
    pub(crate) fn with_variables(self, of_pes: PeVariables) -> Program {
        Program { of_pes, ..self }
    }

    /// Whether it may be a program that knows of no job.
    pub(super) fn is_any(&self) -> bool {
        self.name.is_none()
    }

    /// The same program with other arguments.
    pub(super) fn with(self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Program {
        Program { arguments: arguments.into_iter().map(Into::into).collect(), ..self }
    }

    /// The program of this process, with the arguments of this process.
    ///
    /// The file is its path, so that tools show the program's name. If a new build has replaced it
    /// meanwhile, it is the system's link to the running program.
    pub(super) fn itself() -> Result<Program, Error> {
        let running = PathBuf::from("/proc/self/exe");
        let path =
            env::current_exe().map_err(|source| system("cannot find the program to start again", source))?;
        let identity = |path: &Path| File::open(path)?.metadata().map(|found| (found.dev(), found.ino()));
        let file = match (identity(&path), identity(&running)) {
            (Ok(found), Ok(wanted)) if found != wanted => running,
            (Err(_), Ok(_)) => running,
            _ => path,
        };
        let mut arguments = env::args_os();
        let name = arguments.next();
        Ok(Program {
            file,
            name,
            arguments: arguments.collect(),
            environment: Vec::new(),
            of_pes: |_, _| Vec::new(),
        })
    }

    /// As [`itself`](Program::itself), by the name that it was called by: an interpreter may find its
    /// files by it. That name is also its argument 0.
    pub(super) fn as_called() -> Result<Program, Error> {
        let program = Program::itself()?;
        let running = program.file.canonicalize();
        let is_running = |path: &PathBuf| {
            running.as_ref().is_ok_and(|running| path.canonicalize().is_ok_and(|path| path == *running))
        };
        let called = program.name.as_ref().map(PathBuf::from);
        let called = called.and_then(|name| match name.components().count() {
            1 => env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(&name)).find(is_running),
            _ => Some(name).filter(is_running),
        });
        Ok(Program { file: called.unwrap_or(program.file), name: None, ..program })
    }

    /// The name of a job of this program.
    pub(super) fn job_name(&self) -> JobName {
        // The user may have started it by a link with another name.
        JobName::of_program(self.name.as_ref().map_or(&self.file, Path::new))
    }

    /// The command that starts it as `pe` of the `npes` of the job with this name.
    pub(super) fn command(&self, job: &JobName, pe: usize, npes: usize) -> Command {
        let mut command = Command::new(&self.file);
        // Another program than this one may look at its argument 0 before this library is loaded
        // into it, as interpreters do.
        let own = self.name.as_deref().filter(|_| names::TITLES);
        if own.is_some() {
            command.arg0(job.title(pe));
        } else if let Some(name) = &self.name {
            command.arg0(name);
        }
        command.env(names::VARIABLE, job.encode(own));
        command.args(&self.arguments);
        self.change_environment(&mut command);
        command.envs((self.of_pes)(pe, npes));
        command
    }

    /// Changes the environment of `command` as that of the program. Returns the names of the
    /// variables that are set.
    pub(super) fn change_environment(&self, command: &mut Command) -> Vec<&OsStr> {
        let mut set = Vec::new();
        for (name, value) in &self.environment {
            match value {
                Some(value) => {
                    command.env(name, value);
                    set.push(name.as_os_str());
                }
                None => {
                    command.env_remove(name);
                }
            }
        }
        set
    }

    /// The file and the arguments, for a process other than this one to start it.
    #[cfg(feature = "openshmem")]
    pub(super) fn words(&self) -> impl Iterator<Item = OsString> {
        let file = if self.file == Path::new("/proc/self/exe") {
            format!("/proc/{}/exe", std::process::id()).into()
        } else {
            self.file.clone().into_os_string()
        };
        std::iter::once(file).chain(self.arguments.iter().cloned())
    }

    /// The name of its file.
    pub(super) fn name(&self) -> String {
        // The link to the running program has no name of its own.
        let file = match &self.name {
            Some(name) if self.file == Path::new("/proc/self/exe") => Path::new(name),
            _ => &self.file,
        };
        file.file_name().map_or_else(|| "program".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// Its file, for messages.
    pub(super) fn file(&self) -> std::path::Display<'_> {
        self.file.display()
    }
}
