//! The plate of the chapter on heat.

use super::svg::Picture;
use super::{book, check};
use crate::read;

#[path = "../../../examples/plate/mod.rs"]
mod plate;

const ROWS: usize = 16;
const COLUMNS: usize = 32;

/// How strong the colour of a cell is, in tenths.
fn strength(heat: f64) -> f64 {
    (heat / 10.0).round() / 10.0
}

/// Draws a plate whose cells have this size.
fn field(picture: &mut Picture, at: (f64, f64), size: f64, strengths: &[f64]) {
    picture.squares(at, size, COLUMNS, strengths);
    let extents = (size * COLUMNS as f64, size * ROWS as f64);
    picture.frame(at, extents, "frame");
}

/// The plate after some steps.
fn after(steps: usize) -> Vec<f64> {
    plate::alone(ROWS, COLUMNS, steps).into_iter().map(strength).collect()
}

#[test]
fn steps_of_heat() {
    let mut picture = Picture::new(
        "heat-steps",
        "Heat on a plate",
        "A plate of 16 rows and 32 columns at the start, when a block in the middle is hot, and after 5, 10 and 50 \
         steps. The heat spreads, and leaves the plate over its edges.",
    );
    let size = 4.8;
    for (at, steps) in [0, 5, 10, 50].into_iter().enumerate() {
        let x = 2.0 + 162.0 * (at % 2) as f64;
        let y = 14.0 + 106.0 * (at / 2) as f64;
        let title = match steps {
            0 => "at the start".to_owned(),
            _ => format!("after {steps} steps"),
        };
        picture.text(x, y, "number", title);
        field(&mut picture, (x, y + 8.0), size, &after(steps));
    }
    check(&picture);
}

/// What `heat_apart` prints on four PEs, as strengths.
fn apart() -> Vec<f64> {
    let printed = read(&book().join("examples/heat_apart.out"));
    // The first line is the command.
    let lines = printed.lines().skip(1).take(ROWS);
    let cells: Vec<f64> = lines
        .flat_map(str::chars)
        .map(|shade| {
            let at = ".:-=+*#%@".find(shade).expect("a shade");
            strength(at as f64 * 12.5)
        })
        .collect();
    assert_eq!(cells.len(), ROWS * COLUMNS, "{printed}");
    cells
}

/// The size of a cell beside the names of the PEs.
const SIZE: f64 = 8.5;
const LEFT: f64 = 44.0;

/// Lines between the rows of four PEs, and their names.
fn rows_of_pes(picture: &mut Picture, top: f64) {
    let part = SIZE * ROWS as f64 / 4.0;
    for pe in 0..4 {
        let y = top + part * pe as f64;
        picture.text(
            2.0,
            y + part / 2.0 + 4.0,
            "number",
            format_args!("PE {pe}"),
        );
        if pe > 0 {
            let end = LEFT + SIZE * COLUMNS as f64;
            picture.line((LEFT, y), (end, y), "pale dashed");
        }
    }
}

#[test]
fn heat_without_and_with_halos() {
    let right = after(10);
    let apart = apart();
    assert_ne!(apart, right);
    let mut picture = Picture::new(
        "heat-apart",
        "Heat after 10 steps, without halos and with halos",
        "The plate on four PEs, each with four rows. Without halos, the rows at the borders between PEs are cold, as \
         if the plate were cut there. With halos, the heat flows over the borders.",
    );
    picture.text(LEFT, 14.0, "number", "without halos");
    field(&mut picture, (LEFT, 22.0), SIZE, &apart);
    rows_of_pes(&mut picture, 22.0);
    let top = 40.0 + SIZE * ROWS as f64;
    picture.text(LEFT, top, "number", "with halos");
    field(&mut picture, (LEFT, top + 8.0), SIZE, &right);
    rows_of_pes(&mut picture, top + 8.0);
    check(&picture);
}

#[test]
fn heat_in_blocks() {
    let mut picture = Picture::new(
        "heat-blocks",
        "Heat after 10 steps, in blocks",
        "The plate on four PEs, each with a block of 8 rows and 16 columns. PE 0 has the upper left block, PE 1 the \
         upper right, PE 2 the lower left, and PE 3 the lower right.",
    );
    let (size, left, top) = (9.8, 3.0, 24.0);
    field(&mut picture, (left, top), size, &after(10));
    let (width, height) = (size * COLUMNS as f64, size * ROWS as f64);
    let (middle, half) = (left + width / 2.0, top + height / 2.0);
    picture.line((middle, top), (middle, top + height), "pale dashed");
    picture.line((left, half), (left + width, half), "pale dashed");
    for (pe, (x, y)) in [
        (left + width / 4.0, top - 8.0),
        (left + width * 0.75, top - 8.0),
        (left + width / 4.0, top + height + 17.0),
        (left + width * 0.75, top + height + 17.0),
    ]
    .into_iter()
    .enumerate()
    {
        picture.text(x, y, "number middle", format_args!("PE {pe}"));
    }
    check(&picture);
}
