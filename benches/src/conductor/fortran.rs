//! The peer in Coarray Fortran: how it is compiled and started.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::command;

/// The names of GNU's compiler, on systems that have several of them.
const COMPILERS: [&str; 4] = ["gfortran", "gfortran-14", "gfortran-13", "gfortran-12"];
/// The library of OpenCoarrays: as Debian names it, which has it for two libraries of MPI, and as its own
/// installer does.
const LIBRARIES: [&str; 2] = ["caf_openmpi", "caf_mpi"];

/// Compiles the program.
///
/// # Errors
///
/// When it cannot be compiled; the text says why.
pub(super) fn compile(scratch: &Path) -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/fortran");
    let scratch = scratch.join("fortran");
    fs::create_dir_all(&scratch).map_err(|error| format!("cannot make {}: {error}", scratch.display()))?;
    let program = scratch.join("peer");
    let given = env::var_os("BENCH_FORTRAN");
    let compilers = given.iter().cloned().chain(COMPILERS.map(Into::into));
    let found = compilers.take(if given.is_some() { 1 } else { COMPILERS.len() }).find(|compiler| {
        !matches!(Command::new(compiler).arg("--version").output(), Err(error) if error.kind() == ErrorKind::NotFound)
    });
    let compiler = found.ok_or("there is no gfortran")?;
    let mut said = String::new();
    for library in LIBRARIES {
        let mut compile = Command::new(&compiler);
        // It says that the C compiler does not know its option: warnings are no errors here.
        compile.args(["-O3", "-fcoarray=lib", "-o"]).arg(&program);
        compile.arg(folder.join("conductor.c")).arg(folder.join("peer.f90")).arg(format!("-l{library}"));
        // It writes the files of modules there.
        let output = compile.current_dir(&scratch).output();
        let output = output.map_err(|error| format!("cannot start {}: {error}", compiler.display()))?;
        if output.status.success() {
            return Ok(program);
        }
        let words = String::from_utf8_lossy(&output.stderr);
        // Of several reasons, one that is not the absence of a library.
        if said.is_empty() || !words.contains(&format!("-l{library}")) {
            said = words.trim_end().to_owned();
        }
    }
    Err(format!("{} does not compile, which needs OpenCoarrays:\n{said}", folder.display()))
}

/// The program on `n_pes` images.
pub(super) fn launched(program: &Path, n_pes: usize, heap: &str) -> Command {
    let mut command = command(Path::new("mpirun"), n_pes, heap);
    command.arg("-np").arg(n_pes.to_string()).arg(program);
    command
}
