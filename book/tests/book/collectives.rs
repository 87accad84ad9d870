//! The tables of the collectives on the pages. The table of the macros makes them, and nothing in
//! them is written by hand.

#[allow(dead_code, reason = "the macros use the rest of it")]
#[rustfmt::skip] // Not by the width of the book.
#[path = "../../../shmem-macros/src/collective/table.rs"]
mod table;

use std::path::{Path, PathBuf};

use crate::{check_file, page, read};
use table::{COLLECTIVES, Value, code};

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Rows for the page of all names.
fn methods() -> String {
    let mut rows =
        "| method | every PE gets | more |\n|---|---|---|\n".to_owned();
    for group in COLLECTIVES.chunk_by(|one, next| one.method() == next.method())
    {
        let (names, gives) = (code(group[0].methods()), group[0].gives);
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
pub(crate) fn with_tables(name: &str) -> String {
    let page = page(name);
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
    check_file(&path, &file, "collectives");
    for (part, on) in [
        ("forms", "collectives.md"),
        ("methods", "names.md"),
        ("routines", "routines.md"),
    ] {
        let include = format!("{{{{#include figures/collectives.md:{part}}}}}");
        assert!(read(&src().join(on)).contains(&include), "{on}: {include}");
    }
}

/// What a PE moves is measured, for one collective of each method that takes symmetric objects.
#[test]
fn the_costs_are_tested() {
    let test = read(&src().join("../../shmem-core/tests/statistics.rs"));
    for group in COLLECTIVES.chunk_by(|one, next| one.method() == next.method())
    {
        let word = group[0].word;
        if group[0].value == Value::Only {
            continue;
        }
        assert!(test.contains(&format!("(\"{word}\", ")), "{word}");
    }
}

/// The lines of the sources where a team has its methods.
fn methods_of_teams() -> Vec<String> {
    let sources = [
        "collective/exchange.rs",
        "collective/gather.rs",
        "collective/own.rs",
        "collective/pairwise.rs",
        "collective/scatter.rs",
        "collective/reduce.rs",
        "runtime/team/mod.rs",
    ];
    let text: String = sources
        .map(|file| read(&src().join("../../shmem-core/src").join(file)))
        .concat();
    text.lines().map(|line| line.trim().to_owned()).collect()
}

/// The search of the documentation leads from a routine to the method that stands for it.
#[test]
fn each_method_has_the_routines_as_aliases() {
    let lines = methods_of_teams();
    for one in COLLECTIVES {
        let starts =
            ["(", "<"].map(|next| format!("pub fn {}{next}", one.methods()[0]));
        let at = lines.iter().position(|line| {
            starts.iter().any(|start| line.starts_with(start))
        });
        let at = at.unwrap_or_else(|| panic!("no method `{}`", one.method()));
        let attributes: Vec<&String> = lines[..at]
            .iter()
            .rev()
            .take_while(|line| line.starts_with("#["))
            .collect();
        for routine in one.routines.split_whitespace() {
            let alias = format!("#[doc(alias = \"{routine}\")]");
            assert!(
                attributes.contains(&&alias),
                "{alias} at `{}`",
                one.method()
            );
        }
    }
}

/// What the compiler says to those who call a collective by another name: the names are those for
/// which `collective!` has an answer too, and what it advises is in the table.
#[test]
fn the_remedies_know_the_table() {
    let core = src().join("../../shmem-core/src");
    let mut names = 0;
    for file in ["remedies.rs", "world.rs"] {
        let text = read(&core.join(file));
        let start = "for<'x> &'x Self: Collective] =>";
        for table in text.split(start).skip(1) {
            let table = table.split(';').next().unwrap_or_default();
            for method in
                table.split_whitespace().filter(|word| word.contains('('))
            {
                let name = method.split('(').next().unwrap_or_default();
                assert!(
                    table::meant(name).is_some(),
                    "`collective!({name} …)` has no answer"
                );
                names += 1;
            }
        }
    }
    assert!(names > 4, "only {names} names are refused");

    let remedies = read(&core.join("remedies.rs"));
    let (notes, _) = remedies.split_once("pub trait Collective {}").unwrap();
    let (_, notes) =
        notes.rsplit_once("#[diagnostic::on_unimplemented(").unwrap();
    let advised: Vec<&str> = notes
        .split("collective!(")
        .skip(1)
        .map(|call| {
            call.split_once(" = ")
                .filter(|(place, _)| place.ends_with(']'))
                .map_or(call, |(_, rest)| rest)
        })
        .map(|call| call.split([' ', ')', '`']).next().unwrap_or_default())
        .collect();
    assert!(advised.len() > 4, "only {advised:?}");
    for word in advised {
        assert!(
            table::Collective::find(word).is_some(),
            "no collective `{word}`"
        );
    }
}
