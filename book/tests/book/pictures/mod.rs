//! The pictures of the book, as SVG.
//!
//! A picture shows what the crate does, so its data come from the crate: a test runs the program that is
//! drawn, or asks the same functions, and then compares the picture with the file that the page has.
//! `BOOK=overwrite cargo test -p book pictures` writes the files.
//!
//! * [`svg`]: lines, boxes, text and colours;
//! * [`memory`]: symmetric memory, a strided put, a block of rows and columns;
//! * [`divided`]: distributions, and a halo exchange;
//! * [`order`]: a flag with and without a fence, one-sided and two-sided, the rounds of a barrier;
//! * [`grammar`]: the grammar of the macros, as railroad diagrams;
//! * [`gpu`]: who owns what on a GPU, and a put with a signal between two streams;
//! * [`heat`]: the plate of the chapter on heat, as its programs compute it;
//! * [`steps`]: the other chapters that build a program in steps.
//!
//! A page includes the file itself, in a `<figure class="pictures">`: so its text is text for those who
//! search and for those who listen, and it has the colours of the theme that the reader chose.

mod divided;
mod gpu;
mod grammar;
mod heat;
mod memory;
mod order;
mod steps;
mod svg;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::{check_file, files, read};
use svg::{COLOURS, Picture};

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Compares a picture with its file, or writes it.
fn check(picture: &Picture) {
    let path = book().join(format!("figures/{}.svg", picture.name()));
    check_file(&path, &picture.file(), "pictures");
}

#[test]
fn the_style_sheet_has_the_colours() {
    check_file(&book().join("pictures.css"), &svg::sheet(), "pictures");
}

/// Every picture is drawn by a test, and is on one page.
#[test]
fn every_picture_is_drawn_and_shown() {
    let tests: String = files("tests/book/pictures", "rs")
        .iter()
        .map(|file| read(file))
        .collect();
    let mut pages: BTreeMap<PathBuf, String> = BTreeMap::new();
    for page in files("src", "md") {
        let text = read(&page);
        pages.insert(page, text);
    }
    for file in files("figures", "svg") {
        let name = file.file_stem().and_then(|name| name.to_str());
        let name = name.expect("a picture's name is plain text");
        assert!(
            tests.contains(&format!("\"{name}\",")),
            "no test draws {name}"
        );
        let include = format!("{{{{#include ../figures/{name}.svg}}}}");
        let shown: Vec<&PathBuf> = pages
            .iter()
            .filter(|(_, text)| text.contains(&include))
            .map(|(page, _)| page)
            .collect();
        assert_eq!(shown.len(), 1, "{include} is on {shown:?}");
        // Inline HTML ends at an empty line.
        assert!(!read(&file).contains("\n\n"), "{name} has an empty line");
    }
}

/// How light a colour is, as the rules for accessible pages (WCAG 2) count it.
fn luminance(colour: &str) -> f64 {
    let part = |at: usize| {
        let value = u8::from_str_radix(&colour[at..at + 2], 16);
        let value = f64::from(value.expect("#rrggbb")) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

/// Text has a contrast of at least 4.5 to 1 with what is under it, on every theme of mdBook.
#[test]
fn text_can_be_read() {
    // The backgrounds of the themes: light and rust; coal, navy and ayu.
    let pages: [&[&str]; 2] =
        [&["#ffffff", "#e1e1db"], &["#131516", "#161923", "#0f1419"]];
    for (is_dark, pages) in [false, true].into_iter().zip(pages) {
        let colour = |(_, light, dark): &(_, &'static str, &'static str)| {
            if is_dark { *dark } else { *light }
        };
        let named = |name: &str| {
            COLOURS.iter().find(|found| found.0 == name).map(colour).unwrap()
        };
        let cells = COLOURS.iter().filter(|(name, ..)| {
            name.starts_with("pe") || ["plain", "on"].contains(name)
        });
        let under_ink: Vec<&str> =
            cells.map(colour).chain(pages.iter().copied()).collect();
        let under_others: Vec<&str> =
            [named("plain")].into_iter().chain(pages.iter().copied()).collect();
        for text in ["ink", "pale", "good", "bad", "move"] {
            let under = if text == "ink" { &under_ink } else { &under_others };
            for page in under {
                let [a, b] = [named(text), page].map(luminance);
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                assert!(contrast >= 4.5, "{text} on {page}: {contrast:.1}");
            }
        }
    }
}
