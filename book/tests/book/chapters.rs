//! The pages: nothing on them that is not compiled, and nothing compiled that is not on them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::{files, read};

/// The pages, in the order of the file system.
fn pages() -> Vec<PathBuf> {
    files("src", "md")
}

/// The blocks of a page: their language, and their lines.
fn blocks(page: &Path) -> Vec<(String, Vec<String>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, Vec<String>)> = None;
    for line in read(page).lines() {
        match (line.trim_start().strip_prefix("```"), open.take()) {
            (Some(language), None) => {
                open = Some((language.to_owned(), Vec::new()))
            }
            (Some(_), Some(block)) => blocks.push(block),
            (None, Some((language, mut lines))) => {
                lines.push(line.to_owned());
                open = Some((language, lines));
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{}: a block is not closed", page.display());
    blocks
}

/// The file that a line includes, and the part of it: an anchor, or lines.
fn included(page: &Path, line: &str) -> Option<(PathBuf, String)> {
    let inside = line.trim().strip_prefix("{{#include ")?.strip_suffix("}}")?;
    let (file, part) = inside.split_once(':').unwrap_or((inside, ""));
    let folder = page.parent().expect("a page is in a folder");
    let path = folder.join(file);
    let path = path
        .canonicalize()
        .unwrap_or_else(|error| panic!("{}: {file}: {error}", page.display()));
    Some((path, part.to_owned()))
}

#[test]
fn every_block_is_a_file() {
    for page in pages() {
        let name = page.display();
        for (language, lines) in blocks(&page) {
            match language.as_str() {
                "rust" | "text" | "c" | "cpp" | "chapel" | "fortran"
                | "python" => {
                    let [line] = lines.as_slice() else {
                        panic!(
                            "{name}: a block of {language} is one include, not {lines:#?}"
                        )
                    };
                    let Some((file, part)) = included(&page, line) else {
                        panic!(
                            "{name}: a block of {language} is an include, not {line:?}"
                        )
                    };
                    let text = read(&file);
                    if part.is_empty()
                        || part
                            .starts_with(|first: char| first.is_ascii_digit())
                    {
                        assert!(
                            !text.contains("ANCHOR"),
                            "{name}: {line} shows the anchors"
                        );
                    } else {
                        assert!(
                            text.contains(&format!("ANCHOR: {part}\n")),
                            "{name}: {line}: no such part"
                        );
                    }
                }
                // Commands and settings, of which nothing is claimed but that they may be typed.
                "sh" | "toml" | "bnf" => {}
                other => panic!(
                    "{name}: a block is rust, text, c, cpp, chapel, fortran, python, sh, toml or bnf, not {other:?}"
                ),
            }
        }
    }
}

/// Who types in what a page shows of a file that several programs share has all of it.
#[test]
fn the_shared_file_is_whole() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples/plate/mod.rs")
        .canonicalize()
        .expect("the file");
    let page = pages().into_iter().find(|page| page.ends_with("heat.md"));
    let page = page.expect("the page");
    let shown: BTreeSet<String> = blocks(&page)
        .iter()
        .flat_map(|(_, lines)| lines)
        .filter_map(|line| included(&page, line))
        .filter_map(|(of, part)| (of == file).then_some(part))
        .collect();
    let mut part = None;
    for line in read(&file).lines() {
        if let Some(begun) = line.strip_prefix("// ANCHOR: ") {
            part = Some(begun.to_owned());
        } else if line.starts_with("// ANCHOR_END: ") {
            part = None;
        } else {
            let is_shown = part.as_ref().is_some_and(|at| shown.contains(at));
            let is_comment = line.is_empty() || line.starts_with("//!");
            assert!(is_shown || is_comment, "{line:?} is not on the page");
        }
    }
}

#[test]
fn every_file_is_on_a_page() {
    let mut shown = BTreeSet::new();
    for page in pages() {
        for (_, lines) in blocks(&page) {
            shown.extend(
                lines.iter().filter_map(|line| Some(included(&page, line)?.0)),
            );
        }
    }
    let written = [
        ("figures", "txt"),
        ("examples", "rs"),
        ("examples", "out"),
        ("../ui-tests/book", "rs"),
        ("../ui-tests/book", "stderr"),
        ("languages", "c"),
        ("languages", "h"),
        ("languages", "cpp"),
        ("languages", "py"),
        ("languages", "chpl"),
        ("languages", "f90"),
    ];
    for path in written
        .into_iter()
        .flat_map(|(folder, extension)| files(folder, extension))
    {
        let path =
            path.canonicalize().expect("a file that was listed is there");
        assert!(shown.contains(&path), "{} is on no page", path.display());
    }
}

#[test]
fn every_page_is_in_the_summary() {
    let summary =
        read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/SUMMARY.md"));
    for page in pages() {
        let name = page
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a page's name is plain text");
        assert!(
            name == "SUMMARY.md" || summary.contains(&format!("({name})")),
            "{name} is not in SUMMARY.md"
        );
    }
}

/// The last column of the tables is code that a program of the page holds.
#[test]
fn the_side_by_side_tables_are_compiled() {
    for (page, programs) in [
        ("from-c", &["from_c_table"][..]),
        ("from-mpi", &["from_mpi_table", "from_mpi"]),
        ("from-fortran", &["from_fortran_table", "from_fortran"]),
        ("from-shmem4py", &["from_c_table", "from_numpy_table"]),
        ("from-lamellar", &["from_lamellar_table", "from_lamellar"]),
        ("from-chapel", &["from_chapel_table", "from_chapel"]),
        ("nvshmem4py", &["gpu_nvshmem4py"]),
    ] {
        let book = Path::new(env!("CARGO_MANIFEST_DIR"));
        let program: String = programs
            .iter()
            .map(|name| read(&book.join(format!("examples/{name}.rs"))))
            .collect();
        let mut pieces = 0;
        for row in read(&book.join(format!("src/{page}.md"))).lines() {
            // A bar inside of a cell is escaped.
            let row = row.replace("\\|", "\u{1}");
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let [.., ours, _] = cells.as_slice() else {
                continue;
            };
            for code in ours.split('`').skip(1).step_by(2) {
                let code = code.replace('\u{1}', "|");
                // A form, and no code.
                if code.contains('…') {
                    continue;
                }
                assert!(
                    program.contains(&code),
                    "{page}: {code} is not in the program"
                );
                pieces += 1;
            }
        }
        assert!(pieces > 20, "only {pieces} pieces of code in the tables");
    }
}
