//! Standard output, whose reader may be gone.

use std::io::{self, Write as _};

use crate::failure::{Done, Failure};

/// Prints a text, and a line break if it has none at its end. `cargo shmem … | head` is no failure.
pub(crate) fn print(text: &str) -> Done {
    let line_break = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    match write!(io::stdout(), "{text}{line_break}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::system("cannot print")(error))
        }
        _ => Ok(()),
    }
}

/// The lines of a table, whose first row has the titles. Columns are two spaces apart; those with a `>`
/// are aligned to the right. Each line begins with `indent`.
pub(crate) fn table(rows: &[Vec<String>], alignment: &str, indent: &str) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..alignment.len()).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = indent.to_owned();
        for ((cell, &width), alignment) in row.iter().zip(&widths).zip(alignment.chars()) {
            line += &if alignment == '>' { format!("{cell:>width$}  ") } else { format!("{cell:<width$}  ") };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let rows = [["name", "PEs", "note"], ["é", "12345", ""], ["longer", "1", "x"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&rows, "<><", "  "), "  name      PEs  note\n  é       12345\n  longer      1  x\n");
    }
}
