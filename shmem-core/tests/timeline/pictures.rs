//! Pictures, and what they say in numbers.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The cells of the matrix that are not empty, by origin and target: operations and bytes.
pub(crate) fn cells(picture: &str) -> BTreeMap<(u64, u64), (u64, u64)> {
    let mut cells = BTreeMap::new();
    for title in titles(picture).filter(|title| title.contains(" bytes in ")) {
        // PE 0 on PE 1: 12 bytes in 3 operations
        let numbers: Vec<u64> = title.split([' ', ':']).filter_map(|word| word.parse().ok()).collect();
        let [from, to, bytes, operations] = numbers[..] else { panic!("{title}") };
        let before = cells.insert((from, to), (operations, bytes));
        assert_eq!(before, None, "one cell for each pair");
    }
    cells
}

/// For each PE: the words of the parts of its bar, and their percents.
pub(crate) fn bars(picture: &str) -> BTreeMap<String, Vec<(String, f64)>> {
    let mut bars: BTreeMap<String, Vec<(String, f64)>> = BTreeMap::new();
    for title in titles(picture).filter(|title| title.ends_with(" %")) {
        // PE 0, collective calls: 1.20 ms, 34 %
        let (pe, rest) = title.split_once(", ").expect("a PE");
        let (what, rest) = rest.rsplit_once(": ").expect("words");
        let (_, percent) = rest.rsplit_once(", ").expect("a percent");
        let percent = percent.trim_end_matches(" %").parse().expect("a number");
        bars.entry(pe.to_owned()).or_default().push((what.to_owned(), percent));
    }
    bars
}

fn titles(picture: &str) -> impl Iterator<Item = &str> {
    picture.split("<title>").skip(1).map(|rest| rest.split("</title>").next().expect("an end"))
}

/// The picture in a file, whose elements are closed in their order.
pub(crate) fn read(file: &Path) -> String {
    let picture = fs::read_to_string(file).expect("the file is there");
    let mut open = Vec::new();
    for tag in picture.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap_or_else(|| panic!("no end: {tag}"));
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{picture}");
        } else if !tag.ends_with('/') {
            open.push(tag.split([' ', '\n']).next().unwrap_or_default());
        }
    }
    assert_eq!(open, Vec::<&str>::new());
    picture
}
