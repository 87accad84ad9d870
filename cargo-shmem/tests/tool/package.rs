//! The package that `cargo shmem new` makes, and the tools in it.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{LazyLock, OnceLock};

pub(crate) const TOOL: &str = env!("CARGO_BIN_EXE_cargo-shmem");
pub(crate) const SHMEMRUN: &str = env!("CARGO_BIN_EXE_shmemrun");
/// The folder of this test, outside of the workspace: cargo would make each new package a member.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    // Each checkout has one, and each user.
    let mut hasher = DefaultHasher::new();
    (BUILT, rustix::process::getuid().as_raw()).hash(&mut hasher);
    let folder = env::temp_dir().join(format!("cargo-shmem-{:016x}", hasher.finish()));
    remove_at_exit(&folder);
    fs::create_dir_all(folder.join(".cargo")).expect("a folder can be made");
    fs::write(folder.join(".cargo/config.toml"), PROFILE).expect("a file can be written");
    folder
});
/// As long as a process of this test runs, it has a lock on this file, which names the folder.
/// `scripts/test` removes that at its end.
static USED: OnceLock<File> = OnceLock::new();

/// Has the folder removed when this process ends, if it runs all tests, and no other one uses it.
/// Where a process runs one test of many, the folder stays for the next.
fn remove_at_exit(folder: &Path) {
    unsafe extern "C" {
        // C runs the function after `main`, in the one thread that ends the process.
        safe fn atexit(function: extern "C" fn()) -> i32;
    }
    extern "C" fn remove() {
        if USED.get().is_some_and(|used| used.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(&*FOLDER);
        }
    }
    let name = Path::new(BUILT).join("cargo-shmem.folder");
    // Not emptied: another process may read it.
    let mut used =
        File::options().create(true).truncate(false).write(true).open(name).expect("a file can be made");
    used.lock_shared().expect("a file can be locked");
    used.write_all(folder.as_os_str().as_encoded_bytes()).expect("a file can be written");
    let _ = USED.set(used);
    if env::var_os("NEXTEST").is_none() && !env::args().any(|argument| argument == "--exact") {
        atexit(remove);
    }
}
/// A folder of this test in the workspace's folder for what is built.
const BUILT: &str = env!("CARGO_TARGET_TMPDIR");
/// The profile of this workspace, for all packages in the folder: so what is built for the tests of
/// this workspace is not built again.
const PROFILE: &str = "[profile.dev]\nopt-level = 0\ndebug = \"line-tables-only\"\n\n\
                       [profile.dev.package.shmem-core]\nopt-level = 0\n";
/// The sources of this test.
const SOURCES: &str = env!("CARGO_MANIFEST_DIR");

/// The benchmark of the package.
const BENCHMARK: &str = "rate.rs";
/// The examples of the package.
const PROGRAMS: [&str; 4] = ["ends.rs", "heat.rs", "launched.rs", "pipeline.rs"];

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit status, or 128 and the number of the signal, as a shell has it.
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    #[track_caller]
    pub(crate) fn assert(&self, status: i32, stdout: &str, stderr: &str) {
        assert_eq!((self.status, self.stdout.as_str(), self.stderr.as_str()), (status, stdout, stderr));
    }

    #[track_caller]
    pub(crate) fn assert_fails(&self, status: i32, message: &str) {
        assert!(self.status == status && self.stderr.contains(message), "{message}\n{self:#?}");
    }

    /// The lines of the output in order; PEs print in any.
    pub(crate) fn lines(&self) -> Vec<&str> {
        let mut lines: Vec<&str> = self.stdout.lines().collect();
        lines.sort_unstable();
        lines
    }
}

/// A command in `folder`, in an environment that says nothing about jobs.
pub(crate) fn command(program: impl AsRef<OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    for (name, _) in env::vars_os() {
        // What cargo sets for a test is not set in a shell.
        let name = name.to_string_lossy();
        if ["SHMEM_", "CARGO_", "RUST_", "NEXTEST", "OUT_DIR"].iter().any(|prefix| name.starts_with(prefix))
            && name != "CARGO_HOME"
        {
            command.env_remove(&*name);
        }
    }
    command
        .env("CARGO", cargo())
        // Everything that is needed has been downloaded with this workspace.
        .env("CARGO_NET_OFFLINE", "true")
        .env("CARGO_TARGET_DIR", target())
        .env("CARGO_TERM_COLOR", "never")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null());
    command
}

/// Gives this thread and the processes that it starts a network of their own, where the names of
/// sockets are their own too: no other job is found there. Returns false if the system refuses.
pub(crate) fn is_alone() -> bool {
    #[cfg(target_os = "linux")]
    // SAFETY: the thread gives up no memory, descriptors or folder that other threads share; only
    // the network is its own afterwards, and no code here keeps a socket of the former one.
    let done = unsafe { rustix::thread::unshare_unsafe(rustix::thread::UnshareFlags::NEWNET) }.is_ok();
    #[cfg(not(target_os = "linux"))]
    let done = false;
    if !done {
        eprintln!("NOT TESTED: jobs that are not named, as this user gets no network of its own");
    }
    done
}

/// The folder of this test.
pub(crate) fn scratch() -> &'static Path {
    &FOLDER
}

/// An empty folder of this name in it.
pub(crate) fn empty(name: &str) -> PathBuf {
    let folder = scratch().join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// The cargo that runs this test.
pub(crate) fn cargo() -> PathBuf {
    env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
}

/// The folder that the packages of this test are built to, which is the workspace's.
pub(crate) fn target() -> &'static Path {
    Path::new(BUILT).parent().expect("the workspace's folder")
}

/// `cargo shmem` with the words of `line`, in the package.
pub(crate) fn tool(line: &str) -> Command {
    let mut command = command(TOOL, &package());
    command.arg("shmem").args(line.split_whitespace());
    command
}

/// Runs a command to its end.
pub(crate) fn ended(command: &mut Command) -> Ended {
    let Output { status, stdout, stderr } = command.output().expect("the program can be started");
    let status = status.code().unwrap_or_else(|| 128 + status.signal().expect("an exit or a signal"));
    let text = |bytes| String::from_utf8(bytes).expect("what is printed is text");
    Ended { status, stdout: text(stdout), stderr: text(stderr) }
}

/// Runs a command with this standard input.
pub(crate) fn ended_with(command: &mut Command, input: &str) -> Ended {
    let (reader, mut writer) = std::io::pipe().expect("a pipe can be had");
    command.stdin(reader);
    // The pipe holds it until the program reads.
    writer.write_all(input.as_bytes()).expect("a pipe can be written");
    drop(writer);
    ended(command)
}

/// The package, which the first test makes. It is the template with examples for the tests.
pub(crate) fn package() -> PathBuf {
    let folder = scratch().join("ring");
    let lock = File::create(folder.with_extension("lock")).expect("a file can be made");
    // Under nextest each test is a process.
    lock.lock().expect("a file can be locked");
    let made = |path: &Path| path.metadata().and_then(|found| found.modified()).ok();
    let ready = folder.join("ready");
    let sources = PROGRAMS.map(|name| Path::new(SOURCES).join("tests/programs").join(name));
    let benchmark = Path::new(SOURCES).join("tests/programs").join(BENCHMARK);
    let newest = sources
        .iter()
        .chain([&benchmark])
        .map(|source| made(source))
        .max()
        .flatten()
        .max(made(Path::new(TOOL)));
    if made(&ready) > newest {
        return folder;
    }
    let _ = fs::remove_dir_all(&folder);
    let made = ended(command(TOOL, &FOLDER).args(["shmem", "new", "ring"]));
    assert_eq!(made.status, 0, "{made:#?}");
    finish(&folder);
    fs::create_dir(folder.join("examples")).expect("a folder can be made");
    for (name, source) in PROGRAMS.iter().zip(&sources) {
        fs::copy(source, folder.join("examples").join(name)).expect("a program can be copied");
    }
    fs::create_dir(folder.join("benches")).expect("a folder can be made");
    fs::copy(benchmark, folder.join("benches").join(BENCHMARK)).expect("a program can be copied");
    let mut manifest =
        File::options().append(true).open(folder.join("Cargo.toml")).expect("the package has a manifest");
    manifest
        .write_all(b"\n[[bench]]\nname = \"rate\"\nharness = false\n")
        .expect("a manifest can be written");
    // Built before a test counts on what cargo prints.
    let built = ended(command(cargo(), &folder).args(["build", "--quiet", "--bins", "--examples"]));
    built.assert(0, "", "");
    File::create(&ready).expect("a file can be made");
    folder
}

/// Gives a package the versions that this workspace has.
pub(crate) fn finish(folder: &Path) {
    let lock = Path::new(SOURCES).parent().expect("the workspace").join("Cargo.lock");
    fs::copy(lock, folder.join("Cargo.lock")).expect("a file can be copied");
}
