//! The picture of `cargo shmem top` in the book, drawn from answers of a real job.
//!
//! `before.json` and `now.json` are two answers of `book/examples/looking_top.rs`, a second apart, as they
//! came. `BOOK=overwrite cargo test -p cargo-shmem picture` draws the picture anew.

use std::fmt::Write as _;
use std::path::Path;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use super::draw::{View, draw};
use super::sample::Sample;

/// The size of a character, and the space around all, in pixels.
const WIDTH: f64 = 8.4;
const HEIGHT: usize = 20;
const MARGIN: usize = 14;

/// What a terminal shows, as SVG.
fn svg(buffer: &Buffer) -> String {
    let area = buffer.area;
    let width = (f64::from(area.width) * WIDTH).ceil() as usize + 2 * MARGIN;
    let height = usize::from(area.height) * HEIGHT + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#1e2127\"/>\n\
         <g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\">\n"
    );
    for y in area.top()..area.bottom() {
        let baseline = MARGIN + usize::from(y) * HEIGHT + 15;
        let mut x = area.left();
        while x < area.right() {
            let style = |x| style(&buffer[(x, y)]);
            let end = (x..area.right()).find(|end| style(*end) != style(x)).unwrap_or(area.right());
            let text: String = (x..end).map(|x| buffer[(x, y)].symbol()).collect();
            for (at, part) in parts(&text) {
                let left = MARGIN as f64 + f64::from(x) * WIDTH + at as f64 * WIDTH;
                let length = part.chars().count() as f64 * WIDTH;
                let part = part.replace('&', "&amp;").replace('<', "&lt;");
                // Writing to a String cannot fail.
                let _ = writeln!(
                    svg,
                    "<text x=\"{left:.1}\" y=\"{baseline}\" textLength=\"{length:.1}\" {}>{part}</text>",
                    style(x)
                );
            }
            x = end;
        }
    }
    svg + "</g>\n</svg>\n"
}

/// The parts of a text between two or more blanks, with the positions of their first characters:
/// browsers make one blank of several.
fn parts(text: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let mut at = 0;
    for part in text.split("  ") {
        let word = part.trim_start();
        if !word.trim_end().is_empty() {
            parts.push((at + part.chars().count() - word.chars().count(), word.trim_end()));
        }
        at += part.chars().count() + 2;
    }
    parts
}

/// How a character looks.
fn style(cell: &Cell) -> String {
    let fill = match cell.fg {
        _ if cell.modifier.contains(Modifier::DIM) => "#8b929e",
        Color::Green => "#98c379",
        Color::Yellow => "#e5c07b",
        Color::Cyan => "#56b6c2",
        Color::Red => "#e06c75",
        _ => "#dcdfe4",
    };
    let weight = if cell.modifier.contains(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
    format!("fill=\"{fill}\"{weight}")
}

#[test]
fn columns_are_parts() {
    assert_eq!(parts("PE  does    since 3  "), [(0, "PE"), (4, "does"), (12, "since 3")]);
    assert_eq!(parts("   é  x"), [(3, "é"), (6, "x")]);
}

#[test]
fn the_picture_of_the_book_is_what_a_terminal_shows() {
    let answer = |text| Sample::parse(text).expect("an answer");
    let (before, now) = (answer(include_str!("before.json")), answer(include_str!("now.json")));
    let height = now.pes.len() as u16 + 5;
    let view = View::new(now, Some(before));
    let mut terminal = Terminal::new(TestBackend::new(92, height)).unwrap();
    terminal.draw(|frame| draw(&view, frame.area(), frame.buffer_mut())).unwrap();
    let drawn = svg(terminal.backend().buffer());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/figures/top.svg");
    if std::env::var_os("BOOK").is_some_and(|value| value == "overwrite") {
        std::fs::write(&path, &drawn).expect("the picture can be written");
    }
    let shown = std::fs::read_to_string(&path).expect("the picture is there");
    assert!(shown == drawn, "top.svg is another picture: BOOK=overwrite cargo test -p cargo-shmem picture");
}
