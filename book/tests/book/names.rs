//! The page with the names of this crate: the public methods are on it.

use std::collections::BTreeSet;

use crate::collectives::with_tables;
use crate::{read, sources};

/// The names of the methods in a file that are public and documented. Those that a macro makes are
/// not found.
fn methods(text: &str, found: &mut BTreeSet<String>) {
    let lines: Vec<&str> = text.lines().collect();
    // Whether the block is hidden in which the line is.
    let mut within_hidden = false;
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with(|first: char| first.is_alphabetic()) {
            within_hidden = at > 0 && lines[at - 1] == "#[doc(hidden)]";
        }
        let Some(head) = line.strip_prefix("    pub ") else { continue };
        let head = head.trim_start_matches("const ");
        let head = head.trim_start_matches("unsafe ");
        let Some(name) = head.strip_prefix("fn ") else { continue };
        let name: String = name
            .chars()
            .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
            .collect();
        let above: Vec<&str> = lines[..at]
            .iter()
            .rev()
            .map(|line| line.trim())
            .take_while(|line| line.starts_with(['#', '/', '@']))
            .collect();
        let documented = above.iter().any(|line| line.starts_with("///"));
        let hidden = above.contains(&"#[doc(hidden)]");
        if documented && !hidden && !within_hidden && !name.is_empty() {
            found.insert(name);
        }
    }
}

#[test]
fn the_page_has_the_public_methods() {
    let page = with_tables("names.md");
    let shown: BTreeSet<&str> = page.split('`').skip(1).step_by(2).collect();
    let (mut all, mut found) = (String::new(), BTreeSet::new());
    let core = sources("shmem-core/src");
    // Modules and files that are no part of the API.
    let no_api = ["transport", "launch", "untyped", "__private.rs", "bench.rs"];
    for path in core {
        let text = read(&path);
        all.push_str(&text);
        if !no_api.iter().any(|own| path.iter().any(|part| part == *own)) {
            methods(&text, &mut found);
        }
    }
    assert!(found.len() > 80, "only {found:?}");
    let lost: Vec<&String> =
        found.iter().filter(|name| !shown.contains(name.as_str())).collect();
    assert!(lost.is_empty(), "not on the page: {lost:?}");

    // What is on the page is in the sources, as a method or as what a macro makes one of.
    let words: BTreeSet<&str> =
        all.split(|end: char| !end.is_alphanumeric() && end != '_').collect();
    for name in shown.iter().filter(|name| {
        name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    }) {
        assert!(words.contains(name), "there is no {name}");
    }
}
