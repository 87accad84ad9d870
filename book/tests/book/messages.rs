//! The page with the messages of the compiler has all that the tests of the messages have, so that
//! the search finds them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::{check_file, files, read};

/// The folders of `ui-tests`, and what the mistakes there are about.
const FOLDERS: [(&str, &str); 18] = [
    ("remote", "remote!"),
    ("local", "local!"),
    ("wait", "wait! and poll!"),
    ("collective", "collective!"),
    ("symmetric", "#\\[symmetric\\]"),
    ("derive", "#\\[derive(Symmetric)\\]"),
    ("main", "#\\[shmem::main\\]"),
    ("kernel", "#\\[shmem::kernel\\]"),
    ("test", "#\\[shmem::test\\]"),
    ("array", "Arrays sized at run time"),
    ("global", "Global arrays"),
    ("phase", "Local phases"),
    ("context", "Contexts"),
    ("nbi", "Non-blocking operations"),
    ("batch", "Batches"),
    ("lock", "Locks"),
    ("gpu", "GPUs"),
    ("gpu-kernel", "#\\[shmem::gpu::kernel\\]"),
];

/// Folders of programs that compile, that name the insides of the crate, or that other pages show.
const OTHERS: [&str; 4] = ["book", "examples", "private", "tests"];

/// The first lines of the errors in a folder, without the numbers of the compiler.
fn messages(folder: &str) -> BTreeSet<String> {
    let mut messages = BTreeSet::new();
    for file in files(&format!("../ui-tests/{folder}"), "stderr") {
        for line in read(&file).lines() {
            let Some(rest) = line.strip_prefix("error") else { continue };
            let message = match rest.strip_prefix('[') {
                Some(number) => number.split_once("]: "),
                None => rest.split_once(": "),
            };
            if let Some((_, message)) = message {
                messages.insert(message.to_owned());
            }
        }
    }
    messages
}

/// A message as Markdown: what is not between backticks has no meaning there.
fn escaped(message: &str) -> String {
    let mut text = String::new();
    for (at, part) in message.split('`').enumerate() {
        if at % 2 == 1 {
            text += &format!("`{part}`");
            continue;
        }
        for letter in part.chars() {
            if "\\<>[]*_#|&".contains(letter) {
                text.push('\\');
            }
            text.push(letter);
        }
    }
    text
}

#[test]
fn the_page_has_all_messages() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = fs::read_dir(book.join("../ui-tests")).expect("a folder");
    for folder in folders.map(|entry| entry.expect("an entry")) {
        let name = folder.file_name().to_string_lossy().into_owned();
        let known = FOLDERS.iter().any(|(folder, _)| *folder == name)
            || OTHERS.contains(&name.as_str());
        assert!(known || !folder.path().is_dir(), "{name} is in neither list");
    }
    let mut page = "\
<!-- Made by book/tests/book/messages.rs: BOOK=overwrite cargo test -p book messages -->

# Messages of the compiler

This page has the first line of each message that the compiler gives in the tests of this crate, so
that the search finds it. Names and numbers are those of the tests. Most messages say after a colon
what to write instead. [What mistakes look like](mistakes.md) shows some of them whole, with their
programs, and [Running](running.md#when-a-pe-fails) what a job says that fails.
"
    .to_owned();
    let mut count = 0;
    for (folder, about) in FOLDERS {
        page += &format!("\n## {about}\n\n");
        for message in messages(folder) {
            page += &format!("* {}\n", escaped(&message));
            count += 1;
        }
    }
    assert!(count > 300, "only {count} messages");
    let path = book.join("src/messages.md");
    check_file(&path, &page, "messages");
}
