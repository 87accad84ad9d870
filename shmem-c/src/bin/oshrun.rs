//! `oshrun`: starts a program on each PE of a job.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use shmem::untyped::{self, JobOptions};

const USAGE: &str = "usage: oshrun [-n PES] [-x VARIABLE[=VALUE]]... PROGRAM [ARGUMENT]...

Starts PROGRAM on each PE of a job, on this machine.

  -n, -np, --np PES        how many PEs (default: SHMEM_NPES, or one for each core)
  -x VARIABLE[=VALUE]      a variable of the PEs
  -h, --help               this text
  -V, --version            the version

The variables of the library are those of the language: SHMEM_INFO=1 lists them.";

/// What the command line asks for.
struct Wish {
    npes: Option<usize>,
    command: Command,
}

/// Reads the command line; a text is what to print instead.
fn read(words: impl Iterator<Item = OsString>) -> Result<Wish, Result<String, String>> {
    let mut words = words.peekable();
    let mut npes = None;
    let mut variables = Vec::new();
    while let Some(word) = words.next_if(|word| word.to_string_lossy().starts_with('-')) {
        let word = word.to_string_lossy().into_owned();
        let mut value = || {
            let missing = || Err(format!("{word} takes a value"));
            words.next().map(|value| value.to_string_lossy().into_owned()).ok_or_else(missing)
        };
        match word.as_str() {
            "-n" | "-np" | "--np" | "-c" => {
                let value = value()?;
                let number = value.parse().ok().filter(|npes| *npes > 0);
                npes = Some(number.ok_or_else(|| Err(format!("{word} {value}: not a number of PEs")))?);
            }
            "-x" => {
                let value = value()?;
                // One without a value is passed on as it is, as are all others.
                if let Some((name, value)) = value.split_once('=') {
                    variables.push((name.to_owned(), value.to_owned()));
                }
            }
            "-h" | "--help" => return Err(Ok(USAGE.to_owned())),
            "-V" | "--version" => return Err(Ok(format!("oshrun {}", env!("CARGO_PKG_VERSION")))),
            "--" => break,
            _ => return Err(Err(format!("{word}: there is no such option\n\n{USAGE}"))),
        }
    }
    let program = words.next().ok_or_else(|| Err(format!("no program\n\n{USAGE}")))?;
    let mut command = Command::new(program);
    command.args(words).envs(variables);
    Ok(Wish { npes, command })
}

fn main() -> ExitCode {
    match read(std::env::args_os().skip(1)) {
        Ok(Wish { npes, command }) => {
            // What is said here decides before a variable that is set for all jobs.
            if let Some(npes) = npes {
                // SAFETY: this process has one thread yet.
                unsafe { std::env::set_var("SHMEM_NPES", npes.to_string()) };
            }
            untyped::launch(&command, JobOptions::default())
        }
        Err(Ok(text)) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(Err(mistake)) => {
            eprintln!("oshrun: {mistake}");
            ExitCode::from(2)
        }
    }
}
