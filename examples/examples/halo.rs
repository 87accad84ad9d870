//! Heat spreads over a plate that is cut into blocks, one for each PE; writes a picture of it.
//!
//! ```text
//! cargo run --release --example halo                # the picture goes beside the program
//! cargo run --release --example halo -- heat.png
//! ```
//!
//! In each step, every cell moves towards the mean of its four neighbours. For cells at the edge of
//! a block, some of the neighbours are on another PE. So every block has a *halo*, a frame of ghost
//! cells, which a refresh copies from the neighbours' blocks:
//!
//! ```text
//!             up's lowest row
//!              h h h h h h h h
//!            h . . . . . . . . h
//! a column   h . . my block  . h   a column
//! of left's  h . . . . . . . . h   of right's
//!              h h h h h h h h
//!            down's highest row
//! ```

use std::fs::File;
use std::io::BufWriter;
use std::mem::swap;
use std::path::{Path, PathBuf};

use examples::Failure;
use shmem::prelude::*;
use shmem::{Halo, HaloView};

/// The plate, in cells.
const HEIGHT: usize = 400;
const WIDTH: usize = 420;
const STEPS: usize = 120;
/// How far a cell moves towards its neighbours in a step. Above 0.25, the computation is not
/// stable.
const SPEED: f64 = 0.2;

#[shmem::main]
fn main(world: &World) -> Result<(), Failure> {
    // Two layers, used in turn: a step reads one and writes the other. The frame of the plate stays
    // at 0.
    let layer = || world.halo_array::<f64, 2>([HEIGHT, WIDTH], Distribution::Block2d, Halo::fixed(1));
    let (mut now, mut next) = (layer()?, layer()?);
    let seeds = seeds();
    world.local_phase(|p| {
        for ([i, j], cell) in now.view_mut(p).mine_mut() {
            *cell = initial(&seeds, i, j);
        }
    });
    for _ in 0..STEPS {
        now.refresh();
        world.local_phase(|p| {
            let (old, mut new) = (now.view(p), next.view_mut(p));
            for i in 0..new.part_extents()[0] as isize {
                diffuse(row_of(&old, i), new.cells_mut(i));
            }
        });
        swap(&mut now, &mut next);
    }

    if world.my_pe() == 0 {
        let plate = remote!(now[@.., ..]); // from all PEs; no PE has to send anything
        check(&plate);
        let path = picture_path()?;
        write_png(&path, &plate)?;
        let [rows, columns] = now.part_extents(world.my_pe());
        println!(
            "{STEPS} steps of {HEIGHT} × {WIDTH} cells on {} ({} × {}): the same bits as serially",
            examples::count(world.n_pes(), "PE"),
            HEIGHT.div_ceil(rows),
            WIDTH.div_ceil(columns)
        );
        println!("picture: {}", path.display());
    }
    Ok(())
}

/// A row of a block and the rows above and below it, with the ghost cells on both sides.
fn row_of<'a>(block: &'a HaloView<'_, f64, 2>, i: isize) -> [&'a [f64]; 3] {
    [block.row(i - 1), block.row(i), block.row(i + 1)]
}

/// One step of a row of cells: `old` are it and its neighbours, with one more cell on both sides.
fn diffuse([up, here, down]: [&[f64]; 3], new: &mut [f64]) {
    let (up, down, here) = (&up[1..=new.len()], &down[1..=new.len()], &here[..new.len() + 2]);
    for (j, cell) in new.iter_mut().enumerate() {
        let around = up[j] + down[j] + here[j] + here[j + 2];
        *cell = here[j + 1] + SPEED * (around - 4.0 * here[j + 1]);
    }
}

/// Hot discs, laid out as the seeds of a sunflower: row, column, and radius of each.
fn seeds() -> Vec<[f64; 3]> {
    const SEEDS: usize = 144;
    // Each seed is rotated by the golden angle from the one before.
    let golden_angle = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let seed = |seed: usize| {
        let outwards = ((seed as f64 + 0.5) / SEEDS as f64).sqrt(); // equally dense everywhere
        let angle = seed as f64 * golden_angle;
        let distance = 0.44 * HEIGHT.min(WIDTH) as f64 * outwards;
        let y = HEIGHT as f64 / 2.0 + distance * angle.sin();
        let x = WIDTH as f64 / 2.0 + distance * angle.cos();
        [y, x, 10.0 - 5.0 * outwards]
    };
    (0..SEEDS).map(seed).collect()
}

/// The heat of a cell at the start.
fn initial(seeds: &[[f64; 3]], row: usize, column: usize) -> f64 {
    let is_in =
        |&[y, x, radius]: &[f64; 3]| (row as f64 - y).powi(2) + (column as f64 - x).powi(2) < radius * radius;
    if seeds.iter().any(is_in) { 1.0 } else { 0.0 }
}

/// Computes the same serially. Each cell is the result of the same operations in the same order, so
/// every bit agrees.
///
/// # Panics
///
/// When a cell differs.
fn check(plate: &[f64]) {
    const FRAMED: usize = WIDTH + 2;
    let seeds = seeds();
    let mut old = vec![0.0; (HEIGHT + 2) * FRAMED];
    for (i, row) in old.chunks_mut(FRAMED).skip(1).take(HEIGHT).enumerate() {
        for (j, cell) in row[1..=WIDTH].iter_mut().enumerate() {
            *cell = initial(&seeds, i, j);
        }
    }
    let mut new = old.clone();
    for _ in 0..STEPS {
        for i in 1..=HEIGHT {
            let row = |i: usize| &old[i * FRAMED..][..FRAMED];
            diffuse([row(i - 1), row(i), row(i + 1)], &mut new[i * FRAMED + 1..][..WIDTH]);
        }
        swap(&mut old, &mut new);
    }
    for (cell, heat) in plate.iter().enumerate() {
        let (row, column) = (cell / WIDTH, cell % WIDTH);
        let expected = old[(row + 1) * FRAMED + column + 1];
        if heat.to_bits() != expected.to_bits() {
            panic!("row {row}, column {column} is {heat}, and {expected} in the serial computation");
        }
    }
}

/// The path of the picture: the argument, or a file next to the program.
fn picture_path() -> Result<PathBuf, Failure> {
    if let Some(path) = std::env::args_os().nth(1) {
        if path.as_encoded_bytes().starts_with(b"-") {
            return Err(Failure::new(format!(
                "the argument is the path of the picture, and {path:?} looks like an option: write ./ before it if it is a file"
            )));
        }
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
