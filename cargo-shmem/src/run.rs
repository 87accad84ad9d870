//! `shmemrun`: sets the variables of the library, and becomes the program.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use memchr::memmem;

use crate::cli::ShmemRun;
use crate::failure::{Done, Failure};
use crate::job::Variables as _;

/// What a file is, as far as a tool can tell without running it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A compiled program that contains the library.
    OfThisLibrary,
    /// A compiled program that calls the C interface of OpenSHMEM.
    OfAnotherLibrary,
    /// Another compiled program.
    Other,
    /// A script, which may start any program.
    Script,
}

/// Becomes the program. Returns only if it cannot.
pub(crate) fn run(options: &ShmemRun) -> Done {
    let (name, arguments) =
        options.program.split_first().ok_or_else(|| Failure::new("no program is named"))?;
    let file = which::which(name).map_err(|_| not_found(name))?;
    let shown = if is_path(name) { Path::new(name) } else { &file };
    warn(options, &file, shown, arguments);
    let mut command = Command::new(&file);
    command.arg0(name).args(arguments);
    options.job.set(&mut command);
    let error = command.exec();
    Err(Failure::new(format!("cannot run {}: {error}", file.display())))
}

/// Whether a name is a path, which is not looked for on the `PATH`.
fn is_path(name: &OsStr) -> bool {
    name.as_encoded_bytes().contains(&b'/')
}

fn not_found(name: &OsStr) -> Failure {
    let path = PathBuf::from(name);
    let shown = path.display();
    if !is_path(name) {
        let failure = Failure::new(format!("no program `{shown}` is on the PATH"));
        return if path.is_file() {
            failure.help(format!("write ./{shown} for the file in this folder"))
        } else {
            failure
        };
    }
    match path.metadata() {
        Ok(found) if found.is_dir() => Failure::new(format!("{shown} is a folder, and not a program")),
        Ok(_) => Failure::new(format!("{shown} is not executable")),
        Err(error) => Failure::new(format!("cannot run {shown}: {error}")),
    }
}

/// Warns if the program is none of this library and, as far as can be seen, starts none: it would
/// run once, and ignore the options.
///
/// A wrapper such as `env`, `valgrind` or `numactl` has the program among its arguments, and passes
/// the variables on. A script may start anything.
fn warn(options: &ShmemRun, file: &Path, shown: &Path, arguments: &[OsString]) {
    let Ok(own) = kind(file) else { return };
    let starts_another = || {
        let kinds = arguments.iter().filter_map(|argument| kind(&which::which(argument).ok()?).ok());
        kinds.into_iter().any(|kind| matches!(kind, Kind::OfThisLibrary | Kind::Script))
    };
    if matches!(own, Kind::OfThisLibrary | Kind::Script) || starts_another() {
        return;
    }
    let shown = shown.display();
    let once = match options.job.npes() {
        Some(npes) => format!("runs once, and ignores -n {npes}"),
        None => "runs once".to_owned(),
    };
    if own == Kind::OfAnotherLibrary {
        let npes = options.job.npes().map_or(String::new(), |npes| format!("-n {npes} "));
        eprintln!(
            "warning: {shown} does not contain the crate shmem, and calls another OpenSHMEM library: it {once}\n\
             help: start it with the launcher of that library, such as oshrun {npes}{shown}"
        );
    } else {
        eprintln!(
            "warning: {shown} does not contain the crate shmem: unless it starts a program that does, it {once}"
        );
    }
}

/// Looks into a file.
fn kind(file: &Path) -> io::Result<Kind> {
    let content = fs::read(file)?;
    let is_compiled = [b"\x7fELF".as_slice(), b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"];
    if !is_compiled.iter().any(|start| content.starts_with(start)) {
        return Ok(Kind::Script);
    }
    let has = |text: &str| memmem::find(&content, text.as_bytes()).is_some();
    Ok(if has(shmem::tool::MARK) {
        Kind::OfThisLibrary
    } else if has("\0shmem_init\0") {
        Kind::OfAnotherLibrary
    } else {
        Kind::Other
    })
}
