//! The floors of the crate, and the order of the modules on each: every module imports from those
//! below it alone, so there is no circle of modules. And the names of its types, each of one type.
//!
//! A module is a file or a folder of `src`. Its imports are read from its text: paths that begin
//! with `crate::`, and those that leave the module by `super::`.

#[path = "harness/sources.rs"]
mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use sources::files;

/// From the top down, as are the modules of each floor. `lib.rs` names all modules, and stands
/// above them.
const FLOORS: [(&str, &[&str]); 5] = [
    (
        "the targets of the language",
        &["macros", "__private", "untyped", "launch", "bench", "far_tests", "message_tests"],
    ),
    (
        "what users hold",
        &[
            "raw",
            "gpu",
            "checkpoint",
            "halo",
            "nbi",
            "batch",
            "phase",
            "collective",
            "lock",
            "partners",
            "event",
            "wait",
            "signal",
            "world",
            "global",
            "array",
            "remote",
            "context",
            "number",
            "select",
            "symmetric",
            "remedies",
            "text",
        ],
    ),
    ("the runtime of one process", &["runtime"]),
    ("transport", &["transport"]),
    ("the system", &["system"]),
];

/// The number of its floor, and its place there, both from the top.
fn place_of(module: &str) -> (usize, usize) {
    let on = |modules: &[&str]| modules.iter().position(|name| *name == module);
    (FLOORS.iter().enumerate())
        .find_map(|(floor, (_, modules))| Some((floor, on(modules)?)))
        .unwrap_or_else(|| panic!("the module `{module}` is on no floor: add it to the list in {}", file!()))
}

/// The modules that the text of a file names, `depth` modules below the root of the crate.
fn imports(text: &str, depth: usize) -> BTreeSet<String> {
    let mut code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join(" ");
    // What only tests import is no part of the floors.
    if let Some(tests) = code.find("#[cfg(test)] mod tests {") {
        code.truncate(tests);
    }
    let root = "super::".repeat(depth);
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut found = BTreeSet::new();
    for start in ["crate::", root.as_str()] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '$')) {
                continue;
            }
            let rest = &code[at + start.len()..];
            match rest.strip_prefix('{') {
                None => found.extend([name(rest)]),
                Some(group) => {
                    let mut depth = 0;
                    let mut item = String::new();
                    for c in group.chars() {
                        match c {
                            '{' => depth += 1,
                            '}' if depth == 0 => break,
                            '}' => depth -= 1,
                            ',' if depth == 0 => found.extend([name(&std::mem::take(&mut item))]),
                            _ => {}
                        }
                        if depth == 0 && c != ',' {
                            item.push(c);
                        }
                    }
                    found.extend([name(&item)]);
                }
            }
        }
    }
    found
}

/// For each module of the crate, the modules that it imports.
fn graph() -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let all = files(&root);
    let module = |path: &Path| -> Vec<String> {
        let mut parts: Vec<String> =
            path.strip_prefix(&root).unwrap().iter().map(|part| part.to_string_lossy().into()).collect();
        let last = parts.pop().unwrap();
        match last.trim_end_matches(".rs") {
            "mod" | "lib" => {}
            name => parts.push(name.to_owned()),
        }
        parts
    };
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in &all {
        let parts = module(path);
        let Some(first) = parts.first() else { continue };
        let named = imports(&fs::read_to_string(path).unwrap(), parts.len());
        graph.entry(first.clone()).or_default().extend(named);
    }
    let modules: BTreeSet<String> = graph.keys().cloned().collect();
    for (module, named) in &mut graph {
        named.retain(|name| modules.contains(name) && name != module);
    }
    graph
}

#[test]
fn modules_import_downwards() {
    for (module, named) in graph() {
        for other in named {
            let (from, to) = (place_of(&module), place_of(&other));
            assert!(
                from < to,
                "`{module}` ({}) imports `{other}`, which is above it ({})",
                FLOORS[from.0].0,
                FLOORS[to.0].0
            );
        }
    }
}

#[test]
fn imports_are_found() {
    let text = "use crate::{a::{x, y}, b};\nuse super::c;\nfn f() { $crate::no(); crate::d::g(); self::super_::h() } // crate::e\n";
    let found: Vec<String> = imports(text, 1).into_iter().collect();
    assert_eq!(found, ["a", "b", "c", "d"]);
    assert!(imports("use super::super::m::x;", 2).contains("m"));
    assert!(graph()["launch"].contains("runtime"), "the test reads the files of this crate");
}

/// The names of the types and traits that the text of a file defines, those of its tests left out.
fn types(text: &str) -> Vec<&str> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    text.lines()
        .filter_map(|line| {
            let line = line.trim_start();
            let line = line.strip_prefix("pub").map_or(line, |rest| match rest.strip_prefix('(') {
                Some(rest) => rest.split_once(')').map_or("", |(_, rest)| rest),
                None => rest,
            });
            let line = line.trim_start();
            let line = line.strip_prefix("unsafe ").unwrap_or(line);
            let (kind, rest) = line.split_once(' ')?;
            matches!(kind, "struct" | "enum" | "union" | "trait").then_some(rest)
        })
        .filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next())
        .collect()
}

/// A name stands for one type: who searches the crate for it finds one definition.
#[test]
fn each_type_has_a_name_of_its_own() {
    let found =
        types("pub(crate) struct A<T>(T);\nenum B {\npub unsafe trait C: D {\n// struct E\nstruct $name;\n");
    assert_eq!(found, ["A", "B", "C", ""]);
    let mut homes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        if path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests")) {
            continue;
        }
        for name in types(&fs::read_to_string(&path).unwrap()) {
            homes.entry(name.to_owned()).or_default().push(path.display().to_string());
        }
    }
    homes.remove(""); // made by a macro
    assert!(homes.len() > 200, "only {} types were found", homes.len());
    homes.retain(|_, homes| homes.len() > 1);
    assert!(homes.is_empty(), "types of one name: {homes:#?}");
}

/// The pages for contributors name the floors as they are, and no file that is not there.
#[test]
fn the_pages_name_what_is_there() {
    let core = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = core.parent().unwrap();
    let page = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let architecture = page("ARCHITECTURE.md");
    for (floor, modules) in FLOORS {
        let row = architecture.lines().find(|line| line.starts_with(&format!("| {floor} |")));
        let row = row.unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for {floor}"));
        let named: Vec<&str> = row.split('|').nth(2).unwrap().split('`').skip(1).step_by(2).collect();
        let named: BTreeSet<&str> = named.into_iter().collect();
        let there: BTreeSet<&str> =
            modules.iter().copied().filter(|name| !name.ends_with("_tests")).collect();
        assert_eq!(named, there, "the row of ARCHITECTURE.md for {floor}");
    }
    let mut folders =
        vec![root.to_owned(), core.join("src"), core.join("src/transport"), root.join("shmem-macros/src")];
    folders.extend(["launch", "runtime"].map(|folder| core.join("src").join(folder)));
    for text in [architecture, page("CONTRIBUTING.md")] {
        for word in
            text.split('`').skip(1).step_by(2).filter(|word| word.ends_with(".rs") || word.ends_with('/'))
        {
            assert!(folders.iter().any(|folder| folder.join(word).exists()), "there is no `{word}`");
        }
    }
}
