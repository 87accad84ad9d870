//! The examples of this project that benchmarks run: their number of PEs, their folder, and how they are
//! built.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number of PEs that the user wants: `SHMEM_NPES`, or 2.
///
/// # Errors
///
/// When the variable is no number.
pub fn n_pes() -> Result<usize, String> {
    match env::var("SHMEM_NPES") {
        Ok(given) => given.parse().map_err(|_| format!("SHMEM_NPES={given} is not a number of PEs")),
        Err(_) => Ok(2),
    }
}

/// The target directory that a benchmark was built in, of which `scratch` is the `CARGO_TARGET_TMPDIR`.
///
/// # Panics
///
/// When `scratch` is no folder in another one.
#[must_use]
pub fn target(scratch: &str) -> PathBuf {
    Path::new(scratch).parent().expect("it is in the target directory").to_owned()
}

/// Where the examples are that were built in this target directory.
#[must_use]
pub fn folder(target: &Path) -> PathBuf {
    target.join("release/examples")
}

/// Builds these examples with one command.
///
/// # Errors
///
/// When one does not exist, or cannot be built.
pub fn build<'a>(
    names: impl IntoIterator<Item = &'a str>,
    target: &Path,
    features: &[&str],
) -> Result<(), String> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
    cargo.args(["build", "--release", "--package", "examples"]).args(features);
    cargo.args(names.into_iter().flat_map(|name| ["--example", name]));
    cargo.arg("--target-dir").arg(target).current_dir(env!("CARGO_MANIFEST_DIR"));
    let built = cargo.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if built.success() { Ok(()) } else { Err("cannot build the examples".to_owned()) }
}
