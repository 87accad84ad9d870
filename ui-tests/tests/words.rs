//! Messages speak of the user's program: no name and no place of this library's own.

use std::fs;
use std::path::{Path, PathBuf};

/// Names that no program writes.
const OURS: [&str; 15] = [
    "__private",
    "__symmetric",
    "Fix<",
    "PerPeDim",
    "Dyn",
    "NoElement",
    "InitFor",
    "StaticShape",
    "select::Index",
    "select::Span",
    "select::Range",
    "selections!",
    "selectors!",
    "Stacked",
    "sealed::",
];

/// The heads of notes that may show a place in the library: the compiler shows the item that the
/// program itself names, and nothing in the language turns that off. Whether the item is one that a
/// program can name, `OURS` says.
const SHOWN: [&str; 10] = [
    "note: required by a bound in `",
    "note: method defined here",
    "note: associated function defined here",
    "note: struct defined here",
    "note: required because it appears within the type",
    "note: requirement that the value outlives",
    "note: requirements that the value outlives",
    "note: `Static<",
    "help: there is a method `",
    "help: the trait `std::fmt::Display` is implemented for `Static<T>`",
];

/// Programs that name this library's insides themselves; and those where the
/// compiler puts a `.to_vec()` after the call of the macro that `remote!` is made of.
const EXCEPT: [&str; 4] = [
    "remote/result-vec-argument",
    "remote/result-vec-of-constant-range",
    "derive/crate-that-is-not-ours",
    "collective/operation-by-hand",
];

fn messages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = fs::read_dir(root).expect("the folder of this package");
    let mut all = Vec::new();
    for folder in folders.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()) {
        // Programs that take this library's own names in hand are told of these.
        if folder.ends_with("private") {
            continue;
        }
        let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        all.extend(files.filter(|file| {
            file.extension().is_some_and(|ending| ending == "stderr")
                && !EXCEPT.iter().any(|except| file.with_extension("").ends_with(except))
        }));
    }
    all.sort();
    all
}

/// What a message says that it should not.
fn wrong(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut head = "";
    for line in text.lines() {
        let words = line.trim_start();
        if ["error", "warning", "note: ", "help: "].iter().any(|start| line.starts_with(start))
            || words.starts_with("= note: ")
            || words.starts_with("= help: ")
        {
            head = words.trim_start_matches("= ");
        }
        // The compiler names the macros that an empty call went through.
        if head.starts_with("note: this error originates in the macro `") {
            continue;
        }
        wrong.extend(
            OURS.iter().filter(|name| line.contains(**name)).map(|name| format!("{name} in: {line}")),
        );
        if line.contains("$WORKSPACE") && !SHOWN.iter().any(|shown| head.starts_with(shown)) {
            wrong.push(format!("a place in the library, after: {head}"));
        }
    }
    wrong
}

#[test]
fn messages_speak_of_the_program() {
    let messages = messages();
    assert!(messages.len() > 300, "only {} messages are here", messages.len());
    let mut report = String::new();
    for file in messages {
        let text = fs::read_to_string(&file).expect("a message");
        for wrong in wrong(&text) {
            report += &format!("{}: {wrong}\n", file.display());
        }
    }
    assert!(report.is_empty(), "messages that speak of the library's insides:\n{report}");
}

#[test]
fn what_is_found() {
    let own = "error[E0308]: mismatched types\n = note: expected struct `Static<f64, (Fix<8>,)>`\n";
    assert_eq!(wrong(own).len(), 1);
    let place = "help: the trait `A` is implemented for `B`\n --> $WORKSPACE/shmem-core/src/select.rs\n";
    assert_eq!(wrong(place).len(), 1);
    let bound =
        "note: required by a bound in `shmem::__private::write`\n --> $WORKSPACE/shmem-core/src/remote.rs\n";
    assert_eq!(wrong(bound).len(), 1);
    let method = "note: required by a bound in `World::zeros`\n --> $WORKSPACE/shmem-core/src/world.rs\n";
    assert!(wrong(method).is_empty());
}
