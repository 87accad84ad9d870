//! What the compiler says about programs that are wrong, and programs that must compile.
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

use trybuild::TestCases;

fn wrong(folder: &str) {
    TestCases::new().compile_fail(format!("{folder}/*.rs"));
}

fn right(folder: &str) {
    TestCases::new().pass(format!("{folder}/*.rs"));
}

#[test]
fn remote() {
    wrong("remote");
}

#[test]
fn local() {
    wrong("local");
}

#[test]
fn global() {
    wrong("global");
}

#[test]
fn symmetric() {
    wrong("symmetric");
}

#[test]
fn derive() {
    wrong("derive");
}

#[test]
fn array() {
    wrong("array");
}

#[test]
fn collective() {
    wrong("collective");
}

#[test]
fn wait() {
    wrong("wait");
}

#[test]
fn lock() {
    wrong("lock");
}

#[test]
fn context() {
    wrong("context");
}

#[test]
fn gpu() {
    wrong("gpu");
}

#[test]
fn gpu_kernel() {
    wrong("gpu-kernel");
}

#[test]
fn nbi() {
    wrong("nbi");
}

#[test]
fn batch() {
    wrong("batch");
}

#[test]
fn main() {
    wrong("main");
}

#[test]
fn kernel() {
    wrong("kernel");
}

#[test]
fn test() {
    wrong("test");
}

#[test]
fn phase() {
    wrong("phase");
}

/// What expansions are made of, called by hand: nothing safe in it may break a promise. Users never
/// see these messages.
#[test]
fn private() {
    wrong("private");
}

/// The language, used well.
#[test]
fn pass() {
    right("pass");
}

/// Used well, in surroundings that no macro should count on: other crate names, shadowed names,
/// macros in macros.
#[test]
fn hostile() {
    right("hostile");
}
