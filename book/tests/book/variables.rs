//! The page with all variables of the environment: those that the sources read are on it, and no
//! others. What it says of a program's variables is what `SHMEM_INFO=1` prints.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::{page, read, sources};

/// Where variables of this project are read.
const SOURCES: [&str; 6] = [
    "cargo-shmem/src",
    "shmem-c/src",
    "shmem-core/src",
    "shmem-gpu/src",
    "shmem-sys/build",
    "shmem-sys/src",
];
/// What reads a variable, up to its name.
const READERS: [&str; 7] = [
    "env::var(",
    "env::var_os(",
    "env::set(",
    " set(",
    ".variable(",
    "rank: ",
    "size: Some(",
];
/// What tests read, what cargo and the system set for every process, and what a header of C defines.
const OTHERS: [&str; 10] = [
    "BOOK",
    "CARGO",
    "DOCS_RS",
    "HOST",
    "OUT_DIR",
    "PATH",
    "TARGET",
    "SHMEM_MAJOR_VERSION",
    "SHMEM_MINOR_VERSION",
    "SHMEM_VENDOR_STRING",
];

/// Whether a text is the name of a variable.
fn is_name(text: &str) -> bool {
    let is_letter = |letter: char| {
        letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_'
    };
    !text.is_empty() && text.chars().all(is_letter)
}

/// The names in the sources, and those of them that are variables for certain: by their own names,
/// or by what stands before them.
fn in_sources() -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut all, mut variables) = (BTreeSet::new(), BTreeSet::new());
    let no_tests =
        |path: &PathBuf| !path.to_string_lossy().ends_with("tests.rs");
    for path in SOURCES.into_iter().flat_map(sources).filter(no_tests) {
        let text = read(&path);
        let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or(&text);
        // Names of C for the search of the documentation.
        for line in text.lines().filter(|line| !line.contains("doc(alias")) {
            let mut before = "";
            for part in line.split('"') {
                let reads =
                    READERS.iter().any(|reader| before.ends_with(reader));
                let ours =
                    part.len() > 6 && part.starts_with("SHMEM_") || reads;
                if is_name(part) && !OTHERS.contains(&part) {
                    all.insert(part.to_owned());
                    if ours {
                        variables.insert(part.to_owned());
                    }
                }
                before = part;
            }
        }
    }
    (all, variables)
}

/// The rows of the page's tables: the names in the first column, and the other cells.
fn rows(page: &str) -> BTreeMap<String, Vec<String>> {
    let mut rows = BTreeMap::new();
    for line in page.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> =
            line.trim_matches('|').split('|').map(str::trim).collect();
        let told: Vec<String> =
            cells[1..].iter().map(|cell| (*cell).to_owned()).collect();
        for name in cells[0].split('`').filter(|name| is_name(name)) {
            let twice = rows.insert(name.to_owned(), told.clone());
            assert!(twice.is_none(), "{name} is on the page twice");
        }
    }
    rows
}

#[test]
fn the_page_has_the_variables_that_are_read() {
    let (all, variables) = in_sources();
    assert!(variables.len() > 40, "{variables:?}");
    let shown: BTreeSet<String> =
        rows(&page("variables.md")).into_keys().collect();
    let lost: Vec<&String> = variables.difference(&shown).collect();
    let left: Vec<&String> = shown.difference(&all).collect();
    assert!(
        lost.is_empty() && left.is_empty(),
        "not on the page: {lost:?}, and on the page, though nothing reads it: {left:?}"
    );
}

/// `running_info.out` is a session that is run again.
#[test]
fn the_page_says_what_the_program_prints() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let printed = read(&book.join("examples/running_info.out"));
    let rows = rows(&page("variables.md"));
    let mut count = 0;
    for line in printed.lines().filter_map(|line| line.strip_prefix("  SHMEM_"))
    {
        let (head, text) = line.split_once(": ").expect("a name and a text");
        let name = head.split(['=', ' ']).next().unwrap_or_default();
        let (does, default) = match text.rsplit_once(" (default: ") {
            Some((does, default)) => (does, default.trim_end_matches(')')),
            None => (text, "not set"),
        };
        let shown = &rows[&format!("SHMEM_{name}")];
        let plain: Vec<String> =
            shown[..2].iter().map(|cell| cell.replace('`', "")).collect();
        assert_eq!(
            plain,
            [does, default.replace('`', "").as_str()],
            "SHMEM_{name}"
        );
        count += 1;
    }
    assert!(count > 20, "{printed}");
}
