//! Errors, as cargo and rustc print them: `error: …`, and below it `help: …`.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    help: Option<String>,
}

/// The result of a command.
pub(crate) type Done = Result<(), Failure>;

impl Failure {
    /// A failure with what went wrong, in one sentence.
    pub(crate) fn new(what: impl Into<String>) -> Failure {
        Failure { what: what.into(), help: None }
    }

    /// Adds what to do about it.
    pub(crate) fn help(self, help: impl Into<String>) -> Failure {
        Failure { help: Some(help.into()), ..self }
    }

    /// Adds what another failure says to do.
    pub(crate) fn help_of(self, other: Failure) -> Failure {
        Failure { help: other.help, ..self }
    }

    /// The failure of a call of the system.
    pub(crate) fn system(what: impl fmt::Display) -> impl FnOnce(io::Error) -> Failure {
        move |source| Failure::new(format!("{what}: {source}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.what)?;
        match &self.help {
            Some(help) => write!(f, "\nhelp: {help}"),
            None => Ok(()),
        }
    }
}

/// Reports a failure. Returns the exit status of the tool.
pub(crate) fn status(done: Done) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}
