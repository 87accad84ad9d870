//! A step that overwrites what it reads.

const ROWS: usize = 16;
const COLUMNS: usize = 32;

fn step_row(up: &[f64], here: &[f64], down: &[f64], new: &mut [f64]) {
    for (j, cell) in new.iter_mut().enumerate() {
        let around = up[j + 1] + down[j + 1] + here[j] + here[j + 2];
        *cell = here[j + 1] + 0.2 * (around - 4.0 * here[j + 1]);
    }
}

fn main() {
    let mut plate = vec![vec![0.0; COLUMNS + 2]; ROWS + 2];
    for i in 1..=ROWS {
        let cells = &mut plate[i][1..=COLUMNS];
        step_row(&plate[i - 1], &plate[i], &plate[i + 1], cells);
    }
}
