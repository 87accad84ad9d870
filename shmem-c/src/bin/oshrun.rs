//! `oshrun`: starts a program on each PE of a job.

use std::env;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

use shmem::untyped::{self, JobOptions};

const USAGE: &str = "usage: oshrun [OPTION]... PROGRAM [ARGUMENT]...

Starts PROGRAM on each PE of a job, on this machine.

  -n, -np, --np, -c PES        how many PEs (default: SHMEM_NPES, or one for each core)
  -x VARIABLE[=VALUE]          a variable of the PEs
  -genv, -env VARIABLE VALUE   the same
  -wdir, --wdir FOLDER         where the PEs start
  -l, --tag-output             the number of its PE before each line (SHMEM_OUTPUT=label)
  -h, --help                   this text
  -V, --version                the version

Options of other launchers that have no meaning here are left out: silently those
for one machine (--oversubscribe, --bind-to, --mca, …), with a note those that name
hosts (-H, --hostfile, …).

The variables of the library are those of the language: SHMEM_INFO=1 lists them.";

/// What an option does.
#[derive(Clone, Copy)]
enum Does {
    Pes,
    /// A variable, with its value after an equals sign or not at all.
    Variable,
    /// A variable and its value.
    VariableAndValue,
    Folder,
    Tags,
    /// Nothing here, with so many values.
    Nothing(usize),
    /// Nothing here, with one value, and the user may think that it does.
    Hosts,
    Help,
    Version,
}

/// The options: those of this launcher, of Open MPI's and of Hydra's.
const OPTIONS: &[(&[&str], Does)] = &[
    (&["-n", "-np", "--np", "--n", "-c"], Does::Pes),
    (&["-x"], Does::Variable),
    (&["-genv", "-env"], Does::VariableAndValue),
    (&["-wdir", "--wdir", "-wd"], Does::Folder),
    (&["-l", "--tag-output", "-prepend-rank"], Does::Tags),
    (
        &[
            "--oversubscribe",
            "-oversubscribe",
            "--allow-run-as-root",
            "--use-hwthread-cpus",
            "-genvall",
            "-envall",
            "--report-bindings",
            "-q",
            "--quiet",
            "--nooversubscribe",
        ],
        Does::Nothing(0),
    ),
    (
        &[
            "--bind-to",
            "-bind-to",
            "--map-by",
            "-map-by",
            "--rank-by",
            "-genvlist",
            "-envlist",
            "-N",
            "-ppn",
            "--npernode",
            "-npernode",
            "--ppn",
        ],
        Does::Nothing(1),
    ),
    (&["--mca", "-mca", "--prtemca", "--pmixmca"], Does::Nothing(2)),
    (
        &[
            "-H",
            "-host",
            "--host",
            "-hosts",
            "--hosts",
            "-hostfile",
            "--hostfile",
            "-machinefile",
            "--machinefile",
            "-f",
        ],
        Does::Hosts,
    ),
    (&["-h", "--help"], Does::Help),
    (&["-V", "--version"], Does::Version),
];

/// Why a command line starts no job.
#[derive(Debug)]
enum Ending {
    /// The user asks for this text.
    Print(String),
    Mistake(String),
}

/// What the command line asks for.
struct Wish {
    npes: Option<usize>,
    /// Where the PEs start.
    folder: Option<OsString>,
    tags: bool,
    command: Command,
    /// What the user is told.
    notes: Vec<String>,
}

/// Reads the command line.
fn read(words: impl Iterator<Item = OsString>) -> Result<Wish, Ending> {
    let mut words = words.peekable();
    let (mut npes, mut folder, mut tags) = (None, None, false);
    let (mut variables, mut notes) = (Vec::new(), Vec::new());
    while let Some(word) = words.next_if(|word| word.to_string_lossy().starts_with('-')) {
        let word = word.to_string_lossy().into_owned();
        if word == "--" {
            break;
        }
        // A value may stand after an equals sign.
        let (option, mut joined) = match word.split_once('=') {
            Some((option, value)) if option.starts_with("--") => {
                (option.to_owned(), Some(OsString::from(value)))
            }
            _ => (word, None),
        };
        let known = OPTIONS.iter().find(|(names, _)| names.contains(&option.as_str()));
        let Some((_, does)) = known else {
            return Err(Ending::Mistake(format!("{option}: there is no such option\n\n{USAGE}")));
        };
        let mut value = || {
            joined
                .take()
                .or_else(|| words.next())
                .ok_or_else(|| Ending::Mistake(format!("{option} takes a value")))
        };
        match does {
            Does::Pes => {
                let value = value()?.to_string_lossy().into_owned();
                let number = value.parse().ok().filter(|npes| *npes > 0);
                npes = Some(
                    number
                        .ok_or_else(|| Ending::Mistake(format!("{option} {value}: not a number of PEs")))?,
                );
            }
            Does::Variable => {
                let value = value()?;
                let text = value.to_string_lossy();
                // One without a value is passed on as it is, as are all others.
                if let Some((name, value)) = text.split_once('=') {
                    variables.push((OsString::from(name), OsString::from(value)));
                }
            }
            Does::VariableAndValue => variables.push((value()?, value()?)),
            Does::Folder => folder = Some(value()?),
            Does::Tags => tags = true,
            Does::Nothing(values) => {
                for _ in 0..*values {
                    value()?;
                }
            }
            Does::Hosts => {
                let value = value()?;
                notes.push(format!(
                    "{option} {} has no effect: all PEs run on this machine",
                    value.to_string_lossy()
                ));
            }
            Does::Help => return Err(Ending::Print(USAGE.to_owned())),
            Does::Version => return Err(Ending::Print(format!("oshrun {}", env!("CARGO_PKG_VERSION")))),
        }
    }
    let program = words.next().ok_or_else(|| Ending::Mistake(format!("no program\n\n{USAGE}")))?;
    let arguments: Vec<OsString> = words.collect();
    if arguments.iter().any(|word| word == ":") {
        notes.push("a \":\" is an argument like any other: a job has one program".to_owned());
    }
    let mut command = Command::new(program);
    command.args(arguments).envs(variables);
    Ok(Wish { npes, folder, tags, command, notes })
}

/// Starts the job.
fn start(Wish { npes, folder, tags, command, notes }: Wish) -> ExitCode {
    for note in notes {
        eprintln!("oshrun: {note}");
    }
    if let Some(folder) = folder
        && let Err(error) = env::set_current_dir(&folder)
    {
        eprintln!("oshrun: cannot change to the folder {}: {error}", folder.to_string_lossy());
        return ExitCode::from(2);
    }
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    // What is said on the command line decides before a variable that is set for all jobs.
    let mut settings = Vec::new();
    settings.extend(npes.map(|npes| ("SHMEM_NPES", npes.to_string())));
    // The name of the variable in version 1.2.
    if let Some(size) = env::var("SMA_SYMMETRIC_SIZE").ok().filter(|_| !is_set("SHMEM_SYMMETRIC_SIZE")) {
        settings.push(("SHMEM_SYMMETRIC_SIZE", size));
    }
    for (name, value) in settings {
        // SAFETY: this process has one thread yet.
        unsafe { env::set_var(name, value) };
    }
    // Its reports have places of the program.
    shmem_c::show_notes();
    untyped::launch(&command, JobOptions::default(), shmem_c::pe_variables, tags)
}

fn main() -> ExitCode {
    match read(env::args_os().skip(1)) {
        Ok(wish) => start(wish),
        Err(Ending::Print(text)) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(Ending::Mistake(mistake)) => {
            eprintln!("oshrun: {mistake}");
            ExitCode::from(2)
        }
    }
}
