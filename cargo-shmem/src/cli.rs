//! The command lines of the two programs.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueHint};
use clap_complete::Shell;

use crate::job::{JobOptions, TestOptions};
use crate::passing::{CargoOptions, OfBench, OfRun, OfTest};

/// Runs, tests and inspects programs of the crate shmem.
///
/// Every program starts its own PEs, under `cargo run` too. This tool sets the variables that the
/// program reads, says what a program would do here, and makes new packages.
#[derive(Debug, Parser)]
#[command(name = "cargo-shmem", bin_name = "cargo shmem", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Builds a program or an example, and runs it on several PEs, by `cargo run`
    #[command(
        override_usage = "cargo shmem run [OPTIONS] [OPTIONS OF cargo run] [-- ARGS]",
        after_help = "Exit status, signals and standard input are those of the job."
    )]
    Run(Run),
    /// Runs the tests, by `cargo test`
    #[command(override_usage = "cargo shmem test [OPTIONS] [OPTIONS OF cargo test] [TESTNAME] [-- ARGS]")]
    Test(Test),
    /// Runs the benchmarks, by `cargo bench`
    #[command(override_usage = "cargo shmem bench [OPTIONS] [OPTIONS OF cargo bench] [BENCHNAME] [-- ARGS]")]
    Bench(Bench),
    /// Prints where each PE of a running job is, and what it waits for
    Where(Job),
    /// Shows what each PE of a running job does, every second
    #[command(
        after_help = "Calls and bytes are those to other PEs, and are counted if the job was started with SHMEM_STATS=1. If standard \
                      output is no terminal, the state is printed once."
    )]
    Top(Job),
    /// Ends a running job
    Kill(Job),
    /// Describes a running job; without one, this machine, and what a program would do here
    Info(Job),
    /// Lists what is in a checkpoint, prints parts of it, and exports arrays
    #[command(subcommand)]
    Checkpoint(Checkpoint),
    /// Makes a package with a first program, a test, and a file for GitHub Actions
    New(New),
    /// Prints completions for a shell
    #[command(after_help = "For bash, add this line to ~/.bashrc: source <(cargo shmem completions bash)")]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Writes the manual pages to a folder
    Man {
        /// The folder, which must exist
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        folder: PathBuf,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) job: JobOptions,
    #[command(flatten)]
    pub(crate) cargo: CargoOptions<OfRun>,
}

#[derive(Args, Debug)]
pub(crate) struct Test {
    #[command(flatten)]
    pub(crate) job: TestOptions,
    #[command(flatten)]
    pub(crate) cargo: CargoOptions<OfTest>,
}

#[derive(Args, Debug)]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) job: JobOptions,
    #[command(flatten)]
    pub(crate) cargo: CargoOptions<OfBench>,
}

/// A running job.
#[derive(Args, Debug)]
pub(crate) struct Job {
    /// The name of the job or the number of its process [default: the only job of this user]
    pub(crate) job: Option<String>,
}

/// What to do with a checkpoint.
#[derive(Debug, Subcommand)]
pub(crate) enum Checkpoint {
    /// Lists the objects with their types and checksums, or prints elements of one
    #[command(
        after_help = "A selection is that of the language: 'HALO[0..8]', 'GRID[3, ..;2]', 'array 0[..]'; a name alone is all \
                      of the object. Quote it, because brackets mean something to a shell."
    )]
    Show {
        #[command(flatten)]
        which: Generation,
        /// The elements to print [default: none: list the objects]
        selection: Option<String>,
        /// Of this PE alone [default: all PEs]
        #[arg(long)]
        pe: Option<usize>,
        /// Read everything, and compare all checksums
        #[arg(long, conflicts_with = "selection")]
        verify: bool,
    },
    /// Writes elements of an object to a file for NumPy (.npy)
    #[command(
        after_help = "Without --pe, the first axis of the array is the PE. A type that NumPy does not have is exported as raw \
                      bytes."
    )]
    Export {
        #[command(flatten)]
        which: Generation,
        /// The object, or some of its elements, as in `cargo shmem checkpoint show`
        selection: String,
        /// The file to write
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Of this PE alone [default: all PEs]
        #[arg(long)]
        pe: Option<usize>,
    },
}

/// A checkpoint on the disk.
#[derive(Args, Debug)]
pub(crate) struct Generation {
    /// The directory of checkpoints, as the program names it
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,
    /// The number of the checkpoint in it [default: the newest]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) generation: Option<u64>,
}

#[derive(Args, Debug)]
pub(crate) struct New {
    /// The folder to make, whose name is that of the package
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) name: PathBuf,
    /// A checkout of the repository of the crate shmem [default: the one that this tool was built in]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "git")]
    pub(crate) path: Option<PathBuf>,
    /// The address of a repository of the crate shmem
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) git: Option<String>,
}

/// Starts a program of the crate shmem on several PEs.
///
/// It sets the variables that the program reads, and becomes the program: exit status, signals and
/// standard input are those of the job.
#[derive(Debug, Parser)]
#[command(name = "shmemrun", version)]
pub(crate) struct ShmemRun {
    #[command(flatten)]
    pub(crate) job: JobOptions,
    /// The program with its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM", value_hint = ValueHint::CommandWithArguments)]
    pub(crate) program: Vec<OsString>,
}

/// The command line of `cargo shmem`, complete.
pub(crate) fn command() -> clap::Command {
    let mut command = Cli::command();
    command.build();
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_lines_are_consistent() {
        Cli::command().debug_assert();
        ShmemRun::command().debug_assert();
    }
}
