//! The whole programs of the pages for those who come from another language: they print what those
//! of this crate print, where this machine has what they need.
//!
//! `scripts/test-shmem4py` runs the one in Python. Those over Lamellar, in Chapel and in UPC++ are not run.

#[path = "../../../shmem-c/tests/archive/mod.rs"]
mod archive;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::languages::{
    compile, fortran_on_several_images, ours, printed, printed_by_open_mpi,
};
use crate::sessions::programs;

/// How many PEs the programs have: Open MPI may have no windows in a job of one process.
const NPES: [usize; 3] = [2, 3, 4];

/// A program in another language.
fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("languages").join(name)
}

/// Where this project's own C library is installed for the tests of the book, if cargo has built it.
pub(crate) fn own_c() -> Option<&'static Path> {
    static PREFIX: OnceLock<Option<PathBuf>> = OnceLock::new();
    PREFIX.get_or_init(install).as_deref()
}

fn install() -> Option<PathBuf> {
    let test = env::current_exe().expect("this test knows its own file");
    let folder = |levels| test.ancestors().nth(levels).expect("folders");
    let (archives, programs) = (folder(1), folder(2));
    let archive = archive::newest(archives);
    let installer = programs.join("install-shmem-c");
    let (Some(archive), true) = (archive, installer.exists()) else {
        println!("not tested: cargo build -p shmem-c makes the C library");
        return None;
    };
    let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book-c");
    let output = Command::new(installer)
        .args([&prefix, &archive, &programs.join("oshrun")])
        .output()
        .expect("the installer starts");
    assert!(output.status.success(), "{output:?}");
    Some(prefix)
}

/// The compiler and the launcher of this project's own C library.
fn tools() -> Option<(String, String)> {
    let tool = |name: &str| {
        let path = own_c()?.join("bin").join(name).into_os_string();
        Some(path.into_string().expect("a path of cargo is plain text"))
    };
    Some((tool("oshcc")?, tool("oshrun")?))
}

const WARNINGS: [&str; 4] = ["-std=c11", "-Wall", "-Wextra", "-Werror"];

#[test]
fn c_prints_what_rust_prints() {
    let Some((oshcc, oshrun)) = tools() else { return };
    let Some(rod) = compile(&[&oshcc], &WARNINGS, &["-lm"], &source("rod.c"))
    else {
        return;
    };
    for npes in NPES {
        let mut command = Command::new(&oshrun);
        command.args(["-n", &npes.to_string()]).arg(&rod);
        assert_eq!(printed(&mut command), ours("from_c", npes), "{npes} PEs");
    }
}

/// The two programs of the page on porting.
#[test]
fn the_ported_program_prints_what_it_printed_in_c() {
    let Some((oshcc, oshrun)) = tools() else { return };
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let stencil = book.join("../benches/kernels/prk_stencil.c");
    let options = ["-std=c11", "-O2"];
    let Some(in_c) = compile(&[&oshcc], &options, &["-lm"], &stencil) else {
        return;
    };
    let in_rust = programs().join("prk_stencil");
    if !in_rust.exists() {
        println!("not tested: cargo build -p examples --examples makes it");
        return;
    }
    // The last line has times.
    let result = |command: &mut Command| -> String {
        let printed = printed(command.args(["5", "60"]));
        printed.lines().next().expect("a line").to_owned()
    };
    for npes in [1, 2, 4, 6] {
        let mut launcher = Command::new(&oshrun);
        let c = result(launcher.args(["-n", &npes.to_string()]).arg(&in_c));
        let mut command = Command::new(&in_rust);
        let rust = result(command.env("SHMEM_NPES", npes.to_string()));
        // Rust's has no plural of one PE.
        assert_eq!(c.replace("on 1 PEs", "on 1 PE"), rust);
        assert!(rust.contains("the L1 norm is 12, as it must be"), "{rust}");
    }
}

#[test]
fn mpi_prints_what_rust_prints() {
    for name in ["life_two_sided.c", "life_one_sided.c"] {
        let Some(life) = compile(&["mpicc"], &WARNINGS, &[], &source(name))
        else {
            return;
        };
        for npes in NPES {
            let mpi = printed_by_open_mpi("mpirun", npes, &life);
            assert_eq!(mpi, ours("from_mpi", npes), "{name}, {npes} PEs");
        }
    }
}

#[test]
fn fortran_prints_what_rust_prints() {
    let Some(solve) = fortran_on_several_images(&source("solve.f90")) else {
        return;
    };
    for npes in NPES {
        let fortran = printed_by_open_mpi("mpirun", npes, &solve);
        assert_eq!(fortran, ours("from_fortran", npes), "{npes} PEs");
    }
}
