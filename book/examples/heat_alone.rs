//! Heat on a plate, on one PE.

// ANCHOR: all
mod plate;

const ROWS: usize = 16;
const COLUMNS: usize = 32;

fn main() {
    let steps = std::env::args().nth(1);
    let steps = steps.map_or(10, |steps| steps.parse().expect("a number"));
    plate::draw(&plate::alone(ROWS, COLUMNS, steps), COLUMNS);
}
// ANCHOR_END: all
