//! What `cargo shmem` asks the library, with the feature `tool`. Not part of the API.
//!
//! The tool says what a program would do. It has no list of variables and no checks of its own: the
//! answers here are those of a program that is started in the same environment.

use std::ffi::OsString;

use crate::system::env::Env;
use crate::system::error::Error;
use crate::system::os::System;

use super::choice::{Choice, Origin, Role};
use super::{JobOptions, job, number_of_pes};

/// A text that every program has in it that contains this library: the name of the variable that
/// makes a process a PE.
pub const MARK: &str = job::VARIABLE;

/// What a program would do that is started in the environment of this process.
#[derive(Clone, Debug)]
pub struct Prospect {
    /// The number of PEs that it would start, unless its attribute has another; `None` if it would
    /// be a PE of a launcher's job.
    pub npes: Option<usize>,
    /// What it would print with `SHMEM_INFO=1`.
    pub announcement: String,
    /// Whether the memory of a job may consist of huge pages.
    pub huge_pages: bool,
}

/// Checks that `value` is valid for `variable`.
///
/// # Errors
///
/// What to write instead, with the variable's name in it.
pub fn check(variable: &str, value: &str) -> Result<(), String> {
    let look = |name: &str| (name == variable).then(|| OsString::from(value));
    match Env::from(look) {
        Ok(_) => Ok(()),
        Err(Error::Environment { expected, .. }) => Err(expected),
        Err(other) => Err(other.to_string()),
    }
}

/// Says what a program would do. `openshmem` is true if it is built with the C library.
///
/// # Errors
///
/// The program's own error, if it would not start.
pub fn prospect(openshmem: bool) -> Result<Prospect, Error> {
    let env = Env { info: true, ..Env::read()? };
    let system = System::from_env()?;
    let mut origin = Origin::read()?;
    origin.is_program();
    let Choice { role, why } = origin.choose(env.transport, openshmem)?;
    let npes = match role {
        Role::Join(_) => None,
        Role::Supervise | Role::Launch => Some(number_of_pes(&env, JobOptions::default())?),
    };
    Ok(Prospect { npes, announcement: env.announcement(&why), huge_pages: system.huge_pages() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked_as_a_program_checks_them() {
        assert_eq!(check("SHMEM_NPES", "4"), Ok(()));
        assert_eq!(check("SHMEM_SYMMETRIC_SIZE", "1.5G"), Ok(()));
        let why = "write a whole number of PEs from 1 to 4096, such as SHMEM_NPES=4";
        assert_eq!(check("SHMEM_NPES", "0"), Err(why.to_owned()));
        assert_eq!(
            check("SHMEM_TEST_NPES", "1,,2").unwrap_err().split(',').next(),
            Some("write numbers of PEs from 1 to 4096")
        );
    }
}
