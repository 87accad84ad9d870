//! The tables of the collectives on the pages. The table of the macros makes them, and nothing in
//! them is written by hand.

#[allow(dead_code, reason = "the macros use the rest of it")]
#[rustfmt::skip] // Not by the width of the book.
#[path = "../../../shmem-macros/src/collective/table.rs"]
mod table;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::read;
use table::{COLLECTIVES, code};

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The lines of the grammar: words with data, and words without.
fn words() -> String {
    let words = |bare: bool| {
        let words: Vec<String> = COLLECTIVES
            .iter()
            .filter(|one| one.is_bare() == bare)
            .map(|one| format!("\"{}\"", one.word))
            .collect();
        let lines: Vec<String> =
            words.chunks(7).map(|line| line.join("  |  ")).collect();
        lines.join("\n          | ")
    };
    format!("word      = {}\nbare      = {}\n", words(false), words(true))
}

/// Rows for the page of all names.
fn methods() -> String {
    let mut rows =
        "| method | every PE gets | more |\n|---|---|---|\n".to_owned();
    for group in COLLECTIVES.chunk_by(|one, next| one.method() == next.method())
    {
        let (method, gives) = (group[0].method(), group[0].gives);
        let names = [Some(method.to_owned()), group[0].method_of_values()];
        let names = code(names.into_iter().flatten());
        rows += &format!(
            "| {names} | {gives} | [Collectives](collectives.md#methods) |\n"
        );
    }
    rows
}

/// Rows for the page of all routines.
fn routines() -> String {
    let mut rows = "| routine | here | tested in |\n|---|---|---|\n".to_owned();
    for one in COLLECTIVES.iter().filter(|one| !one.routines.is_empty()) {
        let call = format!("collective!({}; on team)", one.written("sel").0);
        let (routines, tests) = (
            code(one.routines.split_whitespace()),
            code(one.tests.split_whitespace()),
        );
        rows += &format!("| {routines} | {} | {tests} |\n", code([call]));
    }
    rows
}

/// The file, whose parts the pages include.
fn file() -> String {
    let parts = [
        ("forms", table::forms(|method| format!("`{method}`"))),
        ("words", words()),
        ("methods", methods()),
        ("routines", routines()),
    ];
    let mut file = "<!-- Made by book/tests/book/collectives.rs: BOOK=overwrite cargo test -p book collectives -->\n".to_owned();
    for (name, part) in parts {
        file += &format!(
            "\n<!-- ANCHOR: {name} -->\n{part}<!-- ANCHOR_END: {name} -->\n"
        );
    }
    file
}

/// The text of a page, with the parts of the file that it includes.
pub(crate) fn page(name: &str) -> String {
    let page = read(&src().join(name));
    let file = file();
    let part = |line: &str| {
        let name = line
            .strip_prefix("{{#include figures/collectives.md:")?
            .strip_suffix("}}")?;
        let (_, part) = file.split_once(&format!("ANCHOR: {name} -->\n"))?;
        Some(part.split("<!--").next()?.trim_end().to_owned())
    };
    let lines: Vec<String> = page
        .lines()
        .map(|line| part(line).unwrap_or_else(|| line.to_owned()))
        .collect();
    lines.join("\n")
}

#[test]
fn the_tables_are_those_of_the_macros() {
    let path = src().join("figures/collectives.md");
    let file = file();
    if env::var_os("BOOK").is_some_and(|value| value == "overwrite") {
        fs::write(&path, &file).expect("the file can be written");
    }
    assert!(
        read(&path) == file,
        "figures/collectives.md is not what the table makes: BOOK=overwrite cargo test -p book collectives"
    );
    for (part, on) in [
        ("forms", "collectives.md"),
        ("words", "grammar.md"),
        ("methods", "names.md"),
        ("routines", "routines.md"),
    ] {
        let include = format!("{{{{#include figures/collectives.md:{part}}}}}");
        assert!(read(&src().join(on)).contains(&include), "{on}: {include}");
    }
}

/// What a PE moves is measured, for one collective of each method.
#[test]
fn the_costs_are_tested() {
    let test = read(&src().join("../../shmem-core/tests/statistics.rs"));
    for group in COLLECTIVES.chunk_by(|one, next| one.method() == next.method())
    {
        let word = group[0].word;
        assert!(test.contains(&format!("(\"{word}\", ")), "{word}");
    }
}
