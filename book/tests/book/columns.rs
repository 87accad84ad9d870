//! The prose of the pages has lines of at most 100 columns. Tables, code, headings and what is made
//! stay as they are.

use std::path::Path;

use crate::{check_file, files, read};

const COLUMNS: usize = 100;

/// How many columns the mark of a list takes with which a line begins, if it does: `* `, `12. `.
fn mark(line: &str) -> Option<usize> {
    let text = line.trim_start();
    let rest = text.strip_prefix(['*', '-']).or_else(|| {
        text.trim_start_matches(|letter: char| letter.is_ascii_digit())
            .strip_prefix('.')
            .filter(|_| !text.starts_with('.'))
    })?;
    rest.starts_with(' ').then(|| line.len() - rest.len() + 1)
}

/// Whether a line that begins so is no prose, or would be none.
fn is_special(text: &str) -> bool {
    let signs = ["#", "|", "<", ">", "+", "=", "{{", "![", "```"];
    let is_target = text.starts_with('[')
        && text.split_once("]:").is_some_and(|(name, _)| !name.contains("]("));
    signs.iter().any(|sign| text.starts_with(sign)) || is_target
}

/// The words of a text. Code stays together, and what has a meaning at the beginning of a line
/// stays with the word before it.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut is_open) = (Vec::<String>::new(), false);
    for word in text.split_whitespace() {
        let begins = is_special(word) || mark(&format!("{word} ")).is_some();
        match words.last_mut().filter(|_| is_open || begins) {
            Some(last) => *last += &format!(" {word}"),
            None => words.push(word.to_owned()),
        }
        is_open ^= word.matches('`').count() % 2 == 1;
    }
    words
}

/// Adds a paragraph, or an entry of a list, to a page.
fn add(page: &mut String, lines: &mut Vec<&str>) {
    let is_long = |line: &&str| line.chars().count() > COLUMNS;
    let Some(first) = lines.first().filter(|_| lines.iter().any(is_long))
    else {
        lines.drain(..).for_each(|line| *page += &format!("{line}\n"));
        return;
    };
    let indent = first.len() - first.trim_start().len();
    let (head, text) = first.split_at(mark(first).unwrap_or(indent));
    let text = [&[text], &lines[1..]].concat().join(" ");
    let (mut line, mut has_words) = (head.to_owned(), false);
    for word in words(&text) {
        let len = line.chars().count() + 1 + word.chars().count();
        if has_words && len > COLUMNS {
            *page += &format!("{line}\n");
            (line, has_words) = (" ".repeat(head.len()), false);
        }
        line += if has_words { " " } else { "" };
        line += &word;
        has_words = true;
    }
    *page += &format!("{line}\n");
    lines.clear();
}

/// A page with paragraphs of at most 100 columns. Those that have no more stay as they are.
fn wrapped(page: &str) -> String {
    let (mut wrapped, mut lines, mut is_code) = (String::new(), vec![], false);
    for line in page.lines() {
        let text = line.trim_start();
        let begins_code = text.starts_with("```");
        let is_other = is_code || text.is_empty() || is_special(text);
        if is_other || mark(line).is_some() {
            add(&mut wrapped, &mut lines);
        }
        is_code ^= begins_code;
        if is_other {
            wrapped += &format!("{line}\n");
        } else {
            lines.push(line);
        }
    }
    add(&mut wrapped, &mut lines);
    wrapped
}

#[test]
fn prose_is_wrapped() {
    let word = "a".repeat(30);
    let row = format!("| {word} | {word} | {word} | {word} |");
    let four = format!("{word} {word} {word} {word}");
    let (three, code) = (format!("{word} {word} {word}"), format!("`{four}`"));
    for (page, expected) in [
        (four.clone(), format!("{three}\n{word}")),
        (format!("{three}\nshort"), format!("{three}\nshort")),
        (format!("{four}\nshort"), format!("{three}\n{word} short")),
        (row.clone(), row),
        (format!("```text\n{four}\n```"), format!("```text\n{four}\n```")),
        (format!("* {four}\n* b"), format!("* {three}\n  {word}\n* b")),
        (format!("  1. {four}"), format!("  1. {three}\n     {word}")),
        (format!("b {code} b b"), format!("b\n{code}\nb b")),
        (format!("{three} ccccccc - d"), format!("{three}\nccccccc - d")),
        (format!("{three} c {four}"), format!("{three} c\n{three}\n{word}")),
        (format!("## {four}"), format!("## {four}")),
        (format!("[{word}]: {four}"), format!("[{word}]: {four}")),
    ] {
        assert_eq!(wrapped(&page), expected + "\n");
    }
}

#[test]
fn pages_are_wrapped() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    for path in files("src", "md").into_iter().chain([readme]) {
        let page = read(&path);
        if !page.starts_with("<!-- Made by") {
            check_file(&path, &wrapped(&page), "columns");
        }
    }
}
