//! Heat spreads over a plate that is cut into blocks, one for each PE; writes a picture of it.
//!
//! ```text
//! cargo run --release --example halo                # the picture goes beside the program
//! cargo run --release --example halo -- heat.png
//! ```
//!
//! In each step, every cell moves towards the mean of its four neighbours. For cells at the edge of
//! a block, some of the neighbours are on another PE. So every block has a *halo*, a frame of one
//! cell, and the neighbours put copies of their edges there before each step:
//!
//! ```text
//!             up puts its lowest row
//!              h h h h h h h h
//!            h . . . . . . . . h
//!  left puts h . . my block  . h  right puts
//!  a column  h . . . . . . . . h  a column
//!              h h h h h h h h
//!            down puts its highest row
//! ```
//!
//! A row is contiguous memory, and a column has one cell in each row. In the language of slices,
//! they look the same.

use std::fs::File;
use std::io::BufWriter;
use std::ops::Range;
use std::path::{Path, PathBuf};

use examples::{Failure, part};
use shmem::prelude::*;

/// The plate, in cells.
const HEIGHT: usize = 400;
const WIDTH: usize = 420;
const STEPS: usize = 120;
/// How far a cell moves towards its neighbours in a step. Above 0.25, the computation is not
/// stable.
const SPEED: f64 = 0.2;

#[shmem::main]
fn main(world: &World) -> Result<(), Failure> {
    let n_pes = world.n_pes();
    let me = Block::of(world.my_pe(), n_pes);
    let (h, w) = (me.rows.len(), me.columns.len());

    // A symmetric array has the same extents on every PE: those of the largest block, that of PE 0,
    // with its halo. There are two layers, used in turn: a step reads one and writes the other. The
    // edge of the plate stays at 0, so a halo without a neighbour keeps this initial value.
    let largest = Block::of(0, n_pes);
    let heat =
        world.symmetric_array::<f64, 3>([2, largest.rows.len() + 2, largest.columns.len() + 2], 0.0)?;
    local!(heat[0, 1..=h, 1..=w]) = initial(&me.rows, &me.columns);

    let around = [(-1, 0), (1, 0), (0, -1), (0, 1)].map(|(down, right)| me.neighbour(down, right));
    let neighbours: Vec<usize> = around.into_iter().flatten().map(|block| block.pe).collect();

    let mut old = vec![0.0; (h + 2) * (w + 2)];
    let mut new = vec![0.0; h * w];
    for step in 0..STEPS {
        let (now, next) = (step % 2, (step + 1) % 2);

        // My edges into the halos of my neighbours. Rows and columns are counted from 1: 0 is the
        // halo.
        if let Some(up) = me.neighbour(-1, 0) {
            remote!(heat[up.pe, now, up.rows.len() + 1, 1..=w]) = local!(&heat[now, 1, 1..=w]);
        }
        if let Some(down) = me.neighbour(1, 0) {
            remote!(heat[down.pe, now, 0, 1..=w]) = local!(&heat[now, h, 1..=w]);
        }
        if let Some(left) = me.neighbour(0, -1) {
            remote!(heat[left.pe, now, 1..=h, left.columns.len() + 1]) = local!(&heat[now, 1..=h, 1]);
        }
        if let Some(right) = me.neighbour(0, 1) {
            remote!(heat[right.pe, now, 1..=h, 0]) = local!(&heat[now, 1..=h, w]);
        }

        // Once in each step, neighbours wait for each other, and for nobody else. Afterwards my halo
        // of this layer is filled. A neighbour writes there again two steps later, and until then it
        // waits for me once more: when I have read my halo.
        world.barrier_with(&neighbours);

        local!(heat[now, ..h + 2, ..w + 2] => &mut old);
        diffuse(&old, &mut new, w);
        local!(heat[next, 1..=h, 1..=w]) = &new;
    }
    world.barrier_all(); // all blocks are done

    if me.pe == 0 {
        let plate = gather(&heat, n_pes);
        check(&plate);
        let path = picture_path()?;
        write_png(&path, &plate)?;
        println!(
            "{STEPS} steps of {HEIGHT} × {WIDTH} cells on {} ({} × {}): the same bits as serially",
            examples::count(n_pes, "PE"),
            me.down,
            me.across
        );
        println!("picture: {}", path.display());
    }
    Ok(())
}

/// The part of the plate on a PE: block `(row, column)` of `down × across`.
struct Block {
    pe: usize,
    down: usize,
    across: usize,
    rows: Range<usize>,
    columns: Range<usize>,
}

impl Block {
    /// The block of `pe`. The plate is divided into one block for each PE, as square as the number
    /// of PEs allows.
    fn of(pe: usize, n_pes: usize) -> Block {
        let down = (1..=n_pes.isqrt()).rev().find(|down| n_pes.is_multiple_of(*down)).unwrap_or(1);
        let across = n_pes / down;
        let rows = part(HEIGHT, down, pe / across);
        let columns = part(WIDTH, across, pe % across);
        Block { pe, down, across, rows, columns }
    }

    /// The block so many blocks further down and to the right, if there is one.
    ///
    /// With more PEs than columns, some blocks are empty. They have no neighbours, and no block has
    /// them as neighbours.
    fn neighbour(&self, down: isize, right: isize) -> Option<Block> {
        let row = (self.pe / self.across).checked_add_signed(down).filter(|row| *row < self.down)?;
        let column =
            (self.pe % self.across).checked_add_signed(right).filter(|column| *column < self.across)?;
        let other = Block::of(row * self.across + column, self.down * self.across);
        (!self.is_empty() && !other.is_empty()).then_some(other)
    }

    fn is_empty(&self) -> bool {
        self.rows.is_empty() || self.columns.is_empty()
    }
}

/// One step: `old` is a block of rows of `w` cells and the frame around it, `new` the block without
/// the frame.
fn diffuse(old: &[f64], new: &mut [f64], w: usize) {
    if new.is_empty() {
        return;
    }
    let frame = w + 2;
    for (i, row) in new.chunks_exact_mut(w).enumerate() {
        let up = &old[i * frame..][..frame];
        let here = &old[(i + 1) * frame..][..frame];
        let down = &old[(i + 2) * frame..][..frame];
        for (j, cell) in row.iter_mut().enumerate() {
            let around = up[j + 1] + down[j + 1] + here[j] + here[j + 2];
            *cell = here[j + 1] + SPEED * (around - 4.0 * here[j + 1]);
        }
    }
}

/// The heat at the start, in some rows and columns of the plate: discs, laid out as the seeds of a
/// sunflower.
fn initial(rows: &Range<usize>, columns: &Range<usize>) -> Vec<f64> {
    const SEEDS: usize = 144;
    // Each seed is rotated by the golden angle from the one before.
    let golden_angle = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let mut heat = vec![0.0; rows.len() * columns.len()];
    for seed in 0..SEEDS {
        let outwards = ((seed as f64 + 0.5) / SEEDS as f64).sqrt(); // equally dense everywhere
        let angle = seed as f64 * golden_angle;
        let distance = 0.44 * HEIGHT.min(WIDTH) as f64 * outwards;
        let y = HEIGHT as f64 / 2.0 + distance * angle.sin();
        let x = WIDTH as f64 / 2.0 + distance * angle.cos();
        let radius = 10.0 - 5.0 * outwards;
        for (i, row) in rows.clone().enumerate() {
            for (j, column) in columns.clone().enumerate() {
                if (row as f64 - y).powi(2) + (column as f64 - x).powi(2) < radius * radius {
                    heat[i * columns.len() + j] = 1.0;
                }
            }
        }
    }
    heat
}

/// The whole plate, read from all PEs: the block of each PE, without its halo. No PE has to send
/// anything.
fn gather(heat: &SymmetricArray<f64, 3>, n_pes: usize) -> Vec<f64> {
    let mut plate = vec![0.0; HEIGHT * WIDTH];
    for pe in 0..n_pes {
        let Block { rows, columns, .. } = Block::of(pe, n_pes);
        if rows.is_empty() || columns.is_empty() {
            continue;
        }
        let block = remote!(heat[pe, STEPS % 2, 1..=rows.len(), 1..=columns.len()]);
        for (row, cells) in rows.zip(block.chunks_exact(columns.len())) {
            plate[row * WIDTH..][columns.clone()].copy_from_slice(cells);
        }
    }
    plate
}

/// Computes the same serially. Each cell is the result of the same operations in the same order, so
/// every bit agrees.
///
/// # Panics
///
/// When a cell differs.
fn check(plate: &[f64]) {
    let mut expected = initial(&(0..HEIGHT), &(0..WIDTH));
    let mut framed = vec![0.0; (HEIGHT + 2) * (WIDTH + 2)];
    for _ in 0..STEPS {
        for (row, cells) in expected.chunks_exact(WIDTH).enumerate() {
            framed[(row + 1) * (WIDTH + 2) + 1..][..WIDTH].copy_from_slice(cells);
        }
        diffuse(&framed, &mut expected, WIDTH);
    }
    if let Some(cell) = (0..plate.len()).find(|&cell| plate[cell].to_bits() != expected[cell].to_bits()) {
        panic!(
            "row {}, column {} is {}, and {} in the serial computation",
            cell / WIDTH,
            cell % WIDTH,
            plate[cell],
            expected[cell]
        );
    }
}

/// The path of the picture: the argument, or a file next to the program.
fn picture_path() -> Result<PathBuf, Failure> {
    if let Some(path) = std::env::args_os().nth(1) {
        return Ok(PathBuf::from(path));
    }
    let program = std::env::current_exe().map_err(|error| {
        Failure::new(format!("no path was given, and the program's own is not known: {error}"))
    })?;
    Ok(program.with_extension("png"))
}

/// Writes the plate as a picture, a pixel for each cell.
fn write_png(path: &Path, plate: &[f64]) -> Result<(), Failure> {
    let failure = |error: png::EncodingError| {
        Failure::new(format!("cannot write the picture {}: {error}", path.display()))
    };
    let hottest = plate.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let pixels: Vec<u8> = plate
        .iter()
        // The square root makes the faint glow between the discs visible.
        .map(|heat| colorous::INFERNO.eval_continuous((heat / hottest).sqrt()))
        .flat_map(|color| [color.r, color.g, color.b])
        .collect();

    let file = File::create(path).map_err(|error| failure(error.into()))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), WIDTH as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(failure)?;
    writer.write_image_data(&pixels).map_err(failure)?;
    writer.finish().map_err(failure)
}
