//! The glossary and the index. The index is made: of the words of the glossary, of the names and the
//! variables that have a page, and of the headings of all pages.

use std::collections::BTreeMap;
use std::path::Path;

use crate::{check_file, files, page, read};

/// The cells of the rows of all tables of a page, without headings and rules.
fn rows(page: &str) -> Vec<Vec<String>> {
    let lines: Vec<&str> = page.lines().collect();
    let is_row = |at: usize| {
        lines[at].starts_with("| ")
            && !lines.get(at + 1).is_some_and(|next| next.starts_with("|--"))
    };
    let rows = (0..lines.len()).filter(|at| is_row(*at)).map(|at| {
        let line = lines[at].trim().trim_matches('|').replace("\\|", "¦");
        line.split('|').map(|cell| cell.trim().replace('¦', "|")).collect()
    });
    rows.collect()
}

/// The first link in a text: where it leads.
fn link(text: &str) -> Option<&str> {
    text.split_once("](")?.1.split(')').next()
}

/// The anchor that mdBook gives a heading.
fn anchor(heading: &str) -> String {
    let letters = heading.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter.is_alphanumeric().then(|| letter.to_ascii_lowercase()),
    });
    letters.collect()
}

/// What the index has: the words as they are sorted, the words as they are shown, and their links.
#[derive(Default)]
struct Index(BTreeMap<(String, String), Vec<String>>);

impl Index {
    fn add(&mut self, shown: &str, to: &str) {
        // Articles and signs do not count.
        let articles = ["A ", "An ", "The "];
        let plain =
            articles.iter().find_map(|article| shown.strip_prefix(article));
        let plain = plain
            .unwrap_or(shown)
            .trim_start_matches(|letter: char| !letter.is_alphanumeric());
        let links =
            self.0.entry((plain.to_lowercase(), shown.to_owned())).or_default();
        if !links.iter().any(|link| link == to) {
            links.push(to.to_owned());
        }
    }

    /// A paragraph for each letter.
    fn text(&self) -> String {
        let mut text = String::new();
        let mut letter = None;
        for ((sorted, shown), links) in &self.0 {
            let first =
                sorted.chars().next().unwrap_or_default().to_ascii_uppercase();
            if letter.replace(first) == Some(first) {
                text += " ·\n";
            } else {
                text += &format!(
                    "{}## {first}\n\n",
                    if text.is_empty() { "" } else { "\n\n" }
                );
            }
            text += &format!("[{shown}]({})", links[0]);
            for (at, link) in links.iter().enumerate().skip(1) {
                text += &format!(" [{}]({link})", at + 1);
            }
        }
        text + "\n"
    }
}

#[test]
fn the_index_has_words_names_and_headings() {
    let mut index = Index::default();
    for row in rows(&page("glossary.md")) {
        index.add(&row[0], link(&row[2]).expect("a page"));
    }
    for row in rows(&page("names.md")) {
        let Some(to) = row.last().and_then(|more| link(more)) else { continue };
        for name in row[0].split('`').skip(1).step_by(2) {
            index.add(&format!("`{name}`"), to);
        }
    }
    for row in rows(&page("variables.md")) {
        for name in row[0].split('`').skip(1).step_by(2) {
            index.add(&format!("`{name}`"), "variables.md");
        }
    }
    let mut count = 0;
    for path in files("src", "md") {
        let name =
            path.file_name().expect("a file").to_string_lossy().into_owned();
        if ["SUMMARY.md", "all-words.md"].contains(&name.as_str()) {
            continue;
        }
        let (mut title, mut is_code) = (String::new(), false);
        let mut anchors: BTreeMap<String, usize> = BTreeMap::new();
        for line in read(&path).lines() {
            is_code ^= line.starts_with("```");
            let level =
                line.chars().take_while(|letter| *letter == '#').count();
            let Some(heading) = line[level..]
                .strip_prefix(' ')
                .filter(|_| level > 0 && !is_code)
            else {
                continue;
            };
            let same = anchors.entry(anchor(heading)).or_default();
            let of = match *same {
                0 => anchor(heading),
                times => format!("{}-{times}", anchor(heading)),
            };
            *same += 1;
            count += 1;
            if level == 1 {
                title = heading.to_owned();
                index.add(heading, &name);
            } else {
                // Without the number of an exercise.
                let heading = match heading.split_once(". ") {
                    Some((number, rest)) if number.parse::<usize>().is_ok() => {
                        rest
                    }
                    _ => heading,
                };
                index.add(
                    &format!("{heading} ({title})"),
                    &format!("{name}#{of}"),
                );
            }
        }
    }
    assert!(count > 200 && index.0.len() > 400, "{count} headings");
    let made = format!(
        "<!-- Made by book/tests/book/index.rs: BOOK=overwrite cargo test -p book index -->\n\n\
         <!-- ANCHOR: index -->\n{}<!-- ANCHOR_END: index -->\n",
        index.text()
    );
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("src/figures/index.md");
    check_file(&path, &made, "index");
}

/// Words are in order, each once, and the page that explains one uses it.
#[test]
fn the_glossary_is_in_order_and_explained() {
    let rows = rows(&page("glossary.md"));
    assert!(rows.len() > 35, "{} words", rows.len());
    let words: Vec<String> =
        rows.iter().map(|row| row[0].to_lowercase()).collect();
    assert!(words.windows(2).all(|pair| pair[0] < pair[1]), "{words:?}");
    for row in &rows {
        let mut explained = false;
        for more in row[2].split(", ") {
            let text = page(link(more).expect("a page")).to_lowercase();
            let text: Vec<&str> = text.split_whitespace().collect();
            let text = text.join(" ");
            explained |= row[0]
                .split(", ")
                .all(|word| text.contains(&word.to_lowercase()));
        }
        assert!(explained, "the page of {:?} does not have the word", row[0]);
    }
}
