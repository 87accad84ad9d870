//! `cargo shmem info`: what this machine has for jobs, and what a program would do here.

use std::fmt::Write as _;
use std::fs;
use std::num::NonZero;
use std::process::{Command, Stdio};
use std::thread;

use cargo_metadata::Metadata;
use rustix::process::{Resource, getrlimit};

use crate::cargo::{has_openshmem, library, metadata};
use crate::cli;
use crate::failure::Done;
use crate::print::print;
use crate::running;

/// Describes the job, or this machine if none is named.
pub(crate) fn run(which: &cli::Job) -> Done {
    if which.job.is_some() {
        return running::describe(which);
    }
    let metadata = metadata(&[]);
    let mut text = format!("cargo-shmem {}\n", env!("CARGO_PKG_VERSION"));
    let mut add = |part: String| text.push_str(&part);
    add(machine());
    add(running::overview());
    add(c_library());
    add(package(metadata.as_ref()));
    add(prospect(metadata.as_ref().is_some_and(has_openshmem)));
    print(&text)
}

/// Cores, memory and limits.
fn machine() -> String {
    let mut text = String::from("\nthis machine\n");
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "  {key:<12} {value}");
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    line("cores", format!("{cores}"));
    if let Some((total, available)) = memory() {
        line("memory", format!("{}, of which {} are available", bytes(total), bytes(available)));
    }
    let limit =
        |resource| getrlimit(resource).current.map_or("no limit".to_owned(), |limit| limit.to_string());
    line("processes", format!("{} of this user (ulimit -u)", limit(Resource::Nproc)));
    line("open files", format!("{} of a process (ulimit -n)", limit(Resource::Nofile)));
    let address = getrlimit(Resource::As).current.map_or("no limit".to_owned(), bytes);
    line("addresses", format!("{address} of a process (ulimit -v)"));
    text
}

/// The total memory and what is available, in bytes.
fn memory() -> Option<(u64, u64)> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let of = |key: &str| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        let kibibytes: u64 = line.trim_start_matches(':').trim().strip_suffix(" kB")?.parse().ok()?;
        Some(kibibytes << 10)
    };
    Some((of("MemTotal")?, of("MemAvailable")?))
}

/// A number of bytes in the largest unit that it has.
pub(crate) fn bytes(count: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.into_iter().find(|(shift, _)| count >> shift > 0) {
        // Halves and tenths tell enough.
        Some((shift, unit)) => format!("{:.1} {unit}", (count >> (shift - 10)) as f64 / 1024.0),
        None => format!("{count} B"),
    }
}

/// The OpenSHMEM library that is installed.
fn c_library() -> String {
    let mut text = String::from("\nOpenSHMEM library\n");
    for name in ["oshcc", "oshrun"] {
        let found = which::which(name)
            .map_or_else(|_| "not on the PATH".to_owned(), |path| path.display().to_string());
        let _ = writeln!(text, "  {name:<12} {found}");
    }
    if let Some((vendor, version)) = header() {
        let _ = writeln!(text, "  {:<12} {vendor}, OpenSHMEM {version}", "header");
    }
    text
}

/// The name of the library and the version of the specification, as the header has them.
fn header() -> Option<(String, String)> {
    let oshcc = std::env::var_os("OSHCC").unwrap_or_else(|| "oshcc".into());
    let output = Command::new(oshcc)
        .args(["-E", "-dM", "-include", "shmem.h", "-x", "c", "/dev/null"])
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let of = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix("#define ")?.strip_prefix(name))?;
        Some(line.trim().trim_matches('"').to_owned())
    };
    let version = format!("{}.{}", of("SHMEM_MAJOR_VERSION ")?, of("SHMEM_MINOR_VERSION ")?);
    Some((of("SHMEM_VENDOR_STRING ")?, version))
}

/// The package of this folder, and its dependency on the library.
fn package(metadata: Option<&Metadata>) -> String {
    let mut text = String::from("\nthis folder\n");
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "  {key:<12} {value}");
    };
    let Some(metadata) = metadata else {
        line("package", "none".to_owned());
        return text;
    };
    line("packages in", metadata.workspace_root.to_string());
    match library(metadata) {
        Some(library) => {
            let origin = library.source.as_ref().map_or_else(
                || library.manifest_path.parent().map_or_else(String::new, ToString::to_string),
                |source| source.repr.clone(),
            );
            line(&library.name, format!("{}, {origin}", library.version));
            let is = if has_openshmem(metadata) { "on" } else { "off" };
            line("openshmem", format!("{is} (the feature for jobs over the OpenSHMEM library)"));
        }
        None => line(crate::cargo::LIBRARY, "no package depends on it".to_owned()),
    }
    text
}

/// What a program would do, in the library's own words.
fn prospect(openshmem: bool) -> String {
    let mut text = String::from("\na program that is started here\n");
    match shmem::tool::prospect(openshmem) {
        Ok(prospect) => {
            let role = match prospect.npes {
                Some(npes) => format!("starts {npes} PEs, unless its attribute says how many"),
                None => "is a PE of the job of a launcher".to_owned(),
            };
            let huge = if prospect.huge_pages { "may" } else { "may not" };
            let _ =
                writeln!(text, "  {role}\n  memory of the job {huge} consist of huge pages (shmem_enabled)");
            // The first line is the version of the library that this tool contains.
            for line in prospect.announcement.lines().skip(1) {
                let _ = writeln!(text, "{line}");
            }
        }
        Err(error) => {
            let _ = writeln!(text, "  fails: {error}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_bytes() {
        let told = [0, 1023, 1024, 1536, 1 << 20, (8 << 30) - (1 << 20), 12 << 40].map(bytes);
        assert_eq!(told, ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "1.0 MiB", "8.0 GiB", "12288.0 GiB"]);
    }
}
