//! Global arrays with ghost cells, which another number of PEs restores than wrote them.
//!
//! The model knows how an array is divided by itself, and not from the library.

use std::fs::{self, OpenOptions};

use shmem::prelude::*;
use shmem::{Error, Halo, HaloArray};

use crate::harness::say;
use crate::programs::argument;
use crate::watch::{program, run};

const LINE: usize = 29;
const GRID: [usize; 2] = [13, 9];

#[symmetric(block, halo = Halo::fixed(1))]
static ROD: [u32; LINE] = [7; LINE];
#[symmetric(block, halo = Halo::periodic(2))]
static RING: [u32; LINE] = [7; LINE];
#[symmetric(block2d, halo = Halo::fixed(2))]
static PLATE: [[u32; GRID[1]]; GRID[0]] = [[7; GRID[1]]; GRID[0]];
#[symmetric(block, halo = Halo::periodic(1))]
static TORUS: [[u32; GRID[1]]; GRID[0]] = [[7; GRID[1]]; GRID[0]];
/// On 7 PEs the last ones have no elements; and the ghost cells are more than the elements of a part.
#[symmetric(block, halo = Halo::fixed(3))]
static SHORT: [u32; 5] = [7; 5];

/// How many statics these are.
const STATICS: usize = 5;

/// An array, and what the model knows of it. One of rank 1 has one column there, without ghost cells.
struct Modelled<'a> {
    cells: Cells<'a>,
    extents: [usize; 2],
    widths: [usize; 2],
    is_periodic: bool,
    /// The rows and columns of the grid of PEs.
    grid: [usize; 2],
}

enum Cells<'a> {
    Line(&'a HaloArray<u32, 1>),
    Grid(&'a HaloArray<u32, 2>),
}

/// The arrays that are not statics.
struct Allocated {
    lines: Vec<HaloArray<u32, 1>>,
    grids: Vec<HaloArray<u32, 2>>,
}

/// How many arrays are allocated of each rank, with how they are divided and their ghost cells.
const LINES: [Halo; 4] = [Halo::fixed(1), Halo::fixed(4), Halo::periodic(1), Halo::periodic(31)];
const GRIDS: [(Distribution, Halo); 5] = [
    (Distribution::Block, Halo::fixed(1)),
    (Distribution::Block, Halo::periodic(2)),
    (Distribution::Block2d, Halo::fixed(1)),
    (Distribution::Block2d, Halo::periodic(1)),
    (Distribution::Block2d, Halo::periodic(10)),
];

impl Allocated {
    /// The arrays; where something is `wrong`, one of them has other extents or other ghost cells.
    fn new(world: &World, wrong: &str) -> Result<Allocated, Error> {
        let line = |(number, halo)| {
            let (extent, halo) = match (number, wrong) {
                (1, "longer") => (LINE + 1, halo),
                (1, "wider") => (LINE, Halo::fixed(5)),
                (1, "around") => (LINE, Halo::periodic(4)),
                _ => (LINE, halo),
            };
            world.halo_array([extent], Distribution::Block, halo)
        };
        let grid = |(number, (way, halo))| match (number, wrong) {
            (2, "rows") => world.halo_array(GRID, Distribution::Block, halo),
            _ => world.halo_array(GRID, way, halo),
        };
        Ok(Allocated {
            lines: LINES.into_iter().enumerate().map(line).collect::<Result<_, _>>()?,
            grids: GRIDS.into_iter().enumerate().map(grid).collect::<Result<_, _>>()?,
        })
    }

    /// All arrays, with the statics.
    fn all(&self, n_pes: usize) -> Vec<Modelled<'_>> {
        let line = |array, extent, halo: Halo| Modelled {
            cells: Cells::Line(array),
            extents: [extent, 1],
            widths: [halo.width(), 0],
            is_periodic: halo == Halo::periodic(halo.width()),
            grid: [n_pes, 1],
        };
        let grid = |array, way, halo: Halo| Modelled {
            cells: Cells::Grid(array),
            extents: GRID,
            widths: [halo.width(); 2],
            is_periodic: halo == Halo::periodic(halo.width()),
            grid: if way == Distribution::Block2d && n_pes == 4 { [2, 2] } else { [n_pes, 1] },
        };
        let mut all = vec![
            line(&ROD, LINE, Halo::fixed(1)),
            line(&RING, LINE, Halo::periodic(2)),
            line(&SHORT, 5, Halo::fixed(3)),
            grid(&PLATE, Distribution::Block2d, Halo::fixed(2)),
            grid(&TORUS, Distribution::Block, Halo::periodic(1)),
        ];
        all.extend(self.lines.iter().zip(LINES).map(|(array, halo)| line(array, LINE, halo)));
        all.extend(self.grids.iter().zip(GRIDS).map(|(array, (way, halo))| grid(array, way, halo)));
        all
    }
}

impl Modelled<'_> {
    /// The first index that a PE has along each axis, and how many it has.
    fn part(&self, pe: usize) -> [[usize; 2]; 2] {
        [pe / self.grid[1], pe % self.grid[1]].into_iter().enumerate().fold(
            [[0; 2]; 2],
            |mut part, (axis, at)| {
                let (extent, most) = (self.extents[axis], self.extents[axis].div_ceil(self.grid[axis]));
                let first = extent.min(at * most);
                part[axis] = [first, extent.min(first + most) - first];
                part
            },
        )
    }

    /// Passes each cell of this PE to `visit`, ghost cells too, with its place in the whole.
    fn each(&self, world: &World, mut visit: impl FnMut([isize; 2], &mut u32)) {
        let [[row, rows], [column, columns]] = self.part(world.my_pe());
        let [up, left] = self.widths.map(isize::try_from).map(Result::unwrap);
        let (across, down) = (-left..columns as isize + left, -up..rows as isize + up);
        let places = down.flat_map(|i| across.clone().map(move |j| [i, j]));
        let place = |[i, j]: [isize; 2]| [row as isize + i, column as isize + j];
        // A part without elements has no cells either.
        let places = places.filter(|_| rows * columns > 0);
        world.local_phase(|phase| match self.cells {
            Cells::Line(line) => {
                let mut view = line.view_mut(phase);
                assert_eq!(view.part_extents(), [rows]);
                places.for_each(|at| visit(place(at), &mut view[at[0]]));
            }
            Cells::Grid(grid) => {
                let mut view = grid.view_mut(phase);
                assert_eq!(view.part_extents(), [rows, columns]);
                places.for_each(|at| visit(place(at), &mut view[at]));
            }
        });
    }

    fn refresh(&self) {
        match self.cells {
            Cells::Line(line) => line.refresh(),
            Cells::Grid(grid) => grid.refresh(),
        }
    }

    /// What each cell of the whole holds, also beyond the ends.
    fn value(&self, at: [isize; 2]) -> u32 {
        let place = [0, 1].map(|axis| {
            let extent = self.extents[axis] as isize;
            if self.is_periodic { at[axis].rem_euclid(extent) } else { at[axis] }
        });
        1_000_000 + 1000 * (place[0] + 40) as u32 + (place[1] + 40) as u32
    }

    /// Whether a PE has the nearest element to a cell.
    fn is_nearest(&self, pe: usize, at: [isize; 2]) -> bool {
        let part = self.part(pe);
        (0..2).all(|axis| {
            let nearest = at[axis].clamp(0, self.extents[axis] as isize - 1) as usize;
            (part[axis][0]..part[axis][0] + part[axis][1]).contains(&nearest)
        })
    }

    fn is_inside(&self, at: [isize; 2]) -> bool {
        (0..2).all(|axis| (0..self.extents[axis] as isize).contains(&at[axis]))
    }
}

/// Writes a checkpoint, whose ghost cells are old; or restores it, and checks.
#[shmem::main]
pub(crate) fn ghosts(world: &World) -> Result<(), Error> {
    let (directory, what) = (argument(0), argument(1));
    let allocated = Allocated::new(world, &what)?;
    let (me, arrays) = (world.my_pe(), allocated.all(world.n_pes()));
    if what == "write" {
        for array in &arrays {
            // Only the PE that has an element writes the right value. So do PEs at the ends, beyond them.
            array.each(world, |at, cell| {
                let is_right = array.is_nearest(me, at) && (array.is_inside(at) || !array.is_periodic);
                *cell = if is_right { array.value(at) } else { 3 };
            });
        }
        return world.checkpoint(&directory);
    }
    if let Err(error) = world.restore(&directory) {
        // Where something is wrong, it is an allocated array.
        let (statics, others) = arrays.split_at(STATICS);
        for array in statics {
            array.each(world, |at, cell| {
                let initial = if array.is_inside(at) && array.is_nearest(me, at) { 7 } else { 0 };
                assert_eq!(*cell, initial, "an error changes nothing");
            });
        }
        for array in others.iter().filter(|_| what == "restore") {
            array.each(world, |_, cell| assert_eq!(*cell, 0, "an error changes nothing"));
        }
        if me == 0 {
            say(&error.to_string());
        }
        return Ok(());
    }
    for round in ["after the restore", "after a refresh", "after a second refresh"] {
        for (number, array) in arrays.iter().enumerate() {
            array.each(world, |at, cell| {
                assert_eq!(*cell, array.value(at), "array {number}, {at:?} of PE {me}, {round}");
            });
            array.refresh();
        }
    }
    say("restored");
    Ok(())
}

/// A job of so many PEs; returns what it printed.
fn job(npes: usize, folder: &tempfile::TempDir, what: &str) -> String {
    let mut command = program("ghosts");
    command.arg(folder.path().join("checkpoints")).arg(what);
    let ended = run(command.env("SHMEM_NPES", npes.to_string()));
    assert!(ended.status.success() && ended.stderr.is_empty(), "{npes} PEs: {ended:#?}");
    ended.stdout
}

/// Each number of PEs writes, and all others restore.
pub(crate) fn ghost_cells_are_restored_by_another_number_of_pes() {
    for writers in [1, 2, 3, 4, 7] {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(job(writers, &folder, "write"), "");
        for npes in [1, 2, 3, 4, 7].into_iter().filter(|npes| *npes != writers) {
            assert_eq!(job(npes, &folder, "restore"), "restored\n".repeat(npes), "{writers} PEs wrote it");
        }
    }
}

/// Other extents, other ghost cells, and files that are damaged.
pub(crate) fn other_ghost_cells_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(job(3, &folder, "write"), "");
    for (what, theirs, ours) in [
        ("longer", "[u32; 29] in blocks, Halo::fixed(4)", "[u32; 30] in blocks, Halo::fixed(4)"),
        ("wider", "[u32; 29] in blocks, Halo::fixed(4)", "[u32; 29] in blocks, Halo::fixed(5)"),
        ("around", "[u32; 29] in blocks, Halo::fixed(4)", "[u32; 29] in blocks, Halo::periodic(4)"),
        (
            "rows",
            "[[u32; 9]; 13] in blocks of rows and columns, Halo::fixed(1)",
            "[[u32; 9]; 13] in blocks, Halo::fixed(1)",
        ),
    ] {
        for npes in [3, 2] {
            let refused = job(npes, &folder, what);
            let has = |of: &str| refused.contains(&format!(": {of}` ("));
            assert!(has(theirs) && has(ours), "{what} on {npes} PEs: {refused}");
        }
    }
    let part = folder.path().join("checkpoints/00000001/pe-00002");
    let whole = fs::read(&part).unwrap();
    OpenOptions::new().write(true).open(&part).unwrap().set_len(whole.len() as u64 - 1).unwrap();
    let refused = job(4, &folder, "restore");
    let sizes = format!("it has {} bytes, and {} were written\n", whole.len() - 1, whole.len());
    assert!(refused.contains("pe-00002 is damaged") && refused.ends_with(&sizes), "{refused}");
    // The last element of an array: the last bytes of the file.
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() ^= 1;
    fs::write(&part, changed).unwrap();
    let refused = job(4, &folder, "restore");
    assert!(refused.contains("pe-00002 is damaged: the checksum of `array 8: [[u32; 9]; 13]"), "{refused}");
    fs::remove_file(&part).unwrap();
    let refused = job(4, &folder, "restore");
    assert!(refused.ends_with("pe-00002 is missing\n"), "{refused}");
    fs::write(&part, whole).unwrap();
    assert_eq!(job(4, &folder, "restore"), "restored\n".repeat(4));
}
