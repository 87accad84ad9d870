//! Tables for the book. A page includes them from the file that a benchmark has written:
//! `{{#include figures/growth.md:barrier}}`.

use std::fmt::Write as _;

/// A table that a page of the book can include by its name.
#[must_use]
pub fn section(name: &str, table: &str) -> String {
    let anchor = name.replace([' ', ':', ','], "-");
    format!("<!-- ANCHOR: {anchor} -->\n{table}<!-- ANCHOR_END: {anchor} -->\n\n")
}

/// A table in Markdown, with columns that are as wide as they must be. The first row is the
/// heading.
#[must_use]
pub fn markdown(rows: &[Vec<String>]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(width).collect();
    let mut table = String::new();
    for (at, row) in rows.iter().enumerate() {
        for (cell, &width) in row.iter().zip(&widths) {
            let _ = write!(table, "| {cell:>width$} ");
        }
        table.push_str("|\n");
        if at == 0 {
            widths.iter().for_each(|&width| _ = write!(table, "|{:->width$}:", "", width = width + 1));
            table.push_str("|\n");
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_must_be() {
        let rows = [["PEs", "a"], ["2", "10 µs"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(markdown(&rows), "| PEs |     a |\n|----:|------:|\n|   2 | 10 µs |\n");
        assert_eq!(section("a: b", "|c|\n"), "<!-- ANCHOR: a--b -->\n|c|\n<!-- ANCHOR_END: a--b -->\n\n");
    }
}
