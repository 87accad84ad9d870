//! The table of what is wrong in libraries: the page has it as the source has it, and the tests
//! that it names are there.

use std::path::Path;

use crate::read;

/// The cells of the rows of tables, without headings, in lines that begin with `before`.
fn rows(text: &str, before: &str) -> Vec<Vec<String>> {
    let lines = text.lines().filter_map(|line| line.strip_prefix(before));
    let rows = lines.map(|line| {
        line.trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect()
    });
    rows.collect()
}

#[test]
fn the_page_has_what_is_wrong_in_libraries() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let core = project.join("shmem-core");
    let mut known =
        rows(&read(&core.join("src/transport/openshmem/known.rs")), "//! |")
            .split_off(2);
    assert!(known.len() > 3, "{known:?}");
    for row in &mut known {
        let tests = row.pop().expect("the last column");
        let [file, function] =
            tests.trim_matches('`').split("` `").collect::<Vec<_>>()[..]
        else {
            panic!("a file and a function: {tests}");
        };
        let test = read(&core.join("tests").join(file));
        assert!(
            test.contains(&format!("fn {function}(")),
            "no test {function} in {file}"
        );
    }
    let page = read(&project.join("book/src/clusters.md"));
    let (_, section) = page
        .split_once("## What is wrong in libraries\n")
        .expect("the page has the section");
    let (section, _) =
        section.split_once("\n## ").expect("another section follows");
    assert_eq!(rows(section, "|").split_off(2), known);
}
