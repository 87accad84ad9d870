//! The book shows programs, what they print, and what the compiler says about wrong ones. These
//! tests hold it to that.
//!
//! * [`chapters`]: every block of code on a page is a file, and every file is on a page;
//! * [`sessions`]: every `examples/*.out` is a session at a terminal, which is run again and
//!   compared;
//! * [`debugging`]: what gdb shows of programs that the page on debugging stops;
//! * [`routines`]: the table of all routines has them all, and names tests that there are;
//! * [`c_names`]: the page with C's names has all of them, for the search;
//! * [`columns`]: the lines of the pages are at most 100 columns long;
//! * [`collectives`]: the tables of the collectives, which the table of the macros makes;
//! * [`exits`]: the page with errors and exit statuses has those that there are;
//! * [`index`]: the glossary, and the index, which is made;
//! * [`known`]: the table of what is wrong in libraries, and its tests;
//! * [`languages`]: the same programs in four languages, compiled where there are compilers, and their
//!   lines;
//! * [`messages`]: the page with the messages of the compiler has all of them, for the search;
//! * [`numbers`]: what other libraries take, and this crate, from the measurements;
//! * [`whole`]: the whole programs in another language, run beside those of this crate;
//! * [`names`]: the page with the names of this crate has its methods;
//! * [`packages`]: the packages that are published are complete, and say what they are;
//! * [`pictures`]: the pictures, which are drawn from what the crate does;
//! * [`races`]: the programs that the page on the memory model calls races, and no others, are;
//! * [`variables`]: the page with all variables of the environment has those that are read;
//! * [`ring`] and [`wrong`]: the tests that the page on testing shows, those that pass and those
//!   that fail.
//!
//! Beside them, `rendered` looks at the pages in a browser. The wrong programs that pages show are tests of
//! `ui-tests`.
//!
//! `BOOK=overwrite cargo test -p book` writes what programs print into their `.out`: look at the
//! difference before you commit it.

mod c_names;
mod chapters;
mod collectives;
mod columns;
mod debugging;
mod exits;
mod index;
mod known;
mod languages;
mod messages;
mod names;
mod numbers;
mod packages;
mod pictures;
mod races;
mod ring;
mod routines;
mod sessions;
mod variables;
mod whole;
mod wrong;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder of the book with an extension, in order.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no .{extension} in {}", folder.display());
    files
}

/// Compares a file with what `tests` make, or writes it.
fn check_file(path: &Path, made: &str, tests: &str) {
    if env::var_os("BOOK").is_some_and(|value| value == "overwrite") {
        fs::write(path, made).expect("the file can be written");
    }
    assert!(
        fs::read_to_string(path).is_ok_and(|file| file == made),
        "{} is not what is made: BOOK=overwrite cargo test -p book {tests}",
        path.display()
    );
}

/// The Rust sources in a folder of the project and in the folders within it, in order.
fn sources(folder: &str) -> Vec<PathBuf> {
    fn add(folder: &Path, found: &mut Vec<PathBuf>) {
        let entries = fs::read_dir(folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry.expect("a folder can be listed").path();
            if path.is_dir() {
                add(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    add(&project.join(folder), &mut found);
    found.sort();
    found
}

/// The text of a page of the book, as it is in its file.
fn page(name: &str) -> String {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(name))
}

/// The text of a file.
fn read(path: &Path) -> String {
    fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
