//! What the compiler says about programs that are wrong; and programs that must compile and run, in
//! `examples`.
//!
//! One fact per file, a folder per macro. A wrong program has the compiler's words beside it, in a
//! `.stderr` file that only `TRYBUILD=overwrite cargo test -p ui-tests` writes: read the difference
//! as the user who made the mistake. The words are those of the toolchain that
//! `rust-toolchain.toml` names; another one may say the same differently.
//!
//! What a macro says itself, through `compile_error!`, is a unit test of `shmem-macros`, where it
//! takes no time. Here are some three of these for each macro, which show how they look, and what
//! rustc says.
//!
//! The wrong programs are checked, as by `cargo check`, so a mistake that only `cargo build` would
//! find fails its test. The right ones are built and run; each is a job that starts its own PEs.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};
use trybuild::TestCases;

/// The folders with wrong programs. In `private` are programs that call by hand what expansions are
/// made of: nothing safe in it may break a promise, and users never see these messages. Those in `book` are shown there.
const WRONG: [&str; 20] = [
    "remote",
    "local",
    "global",
    "symmetric",
    "derive",
    "array",
    "collective",
    "wait",
    "lock",
    "context",
    "gpu",
    "gpu-kernel",
    "nbi",
    "batch",
    "main",
    "kernel",
    "test",
    "phase",
    "private",
    "book",
];

fn main() -> ExitCode {
    // SAFETY: this is the only thread.
    unsafe { give_all_crates_the_same_flags() };
    let wrong = WRONG.map(|folder| {
        Trial::test(folder, move || {
            TestCases::new().compile_fail(format!("{folder}/*.rs"));
            Ok(())
        })
    });
    let right = right().into_iter().map(|name| Trial::test(format!("right::{name}"), move || run(&name)));
    libtest_mimic::run(&Arguments::from_args(), wrong.into_iter().chain(right).collect()).exit_code()
}

/// Makes `trybuild` compile dependencies and programs with the same flags. By itself it gives the
/// programs alone the width of messages, so that cargo would compile each dependency twice.
///
/// # Safety
///
/// No other thread reads or writes the environment meanwhile.
unsafe fn give_all_crates_the_same_flags() {
    let flags = ["--cfg", "trybuild", "--verbose", "-A", "dead_code", "--diagnostic-width=140"];
    // SAFETY: the caller's promise. Cargo takes this variable before the flags that `trybuild` gives it.
    unsafe { env::set_var("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")) };
}

/// The names of the right programs. Those whose names begin with `hostile` use the language well in
/// surroundings that no macro should count on: other crate names, shadowed names, macros in macros.
fn right() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = fs::read_dir(folder)
        .expect("the folder of the right programs")
        .map(|file| file.expect("a file").path());
    let names = files.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned()));
    names.collect()
}

/// Runs a right program, which `cargo test -p ui-tests` has built.
fn run(name: &str) -> Result<(), Failed> {
    let test = env::current_exe()?;
    let program = test.ancestors().nth(2).ok_or("this test is in a folder")?.join("examples").join(name);
    if !program.exists() {
        return Err(format!("cargo build -p ui-tests --example {name} makes the program").into());
    }
    let output = Command::new(program).output()?;
    if output.status.success() { Ok(()) } else { Err(format!("{output:#?}").into()) }
}
