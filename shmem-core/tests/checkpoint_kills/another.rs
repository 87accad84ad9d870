//! A checkpoint that another number of PEs restores than wrote it.

use shmem::prelude::*;
use shmem::{Error, GlobalArray};

use crate::harness::say;
use crate::programs::{DATA, STEP, argument, value};
use crate::watch::{program, run};

/// What an element of a global array holds.
fn element(number: usize) -> u32 {
    (number as u32 + 1).wrapping_mul(2_654_435_761)
}

#[symmetric(block)]
static BLOCKS: [u32; LINE] = [0; LINE];
#[symmetric(cyclic)]
static TURNS: [u32; LINE] = [7; LINE];

/// One global array of each distribution, with extents that no number of PEs divides.
struct Globals {
    lines: Vec<GlobalArray<u32, 1>>,
    grids: Vec<GlobalArray<u32, 2>>,
    cube: GlobalArray<u32, 3>,
}

const LINE: usize = 1009;
const GRID: [usize; 2] = [37, 23];
const CUBE: [usize; 3] = [11, 5, 3];

impl Globals {
    fn new(world: &World) -> Result<Globals, Error> {
        use Distribution::{Block, Block2d, BlockCyclic, Cyclic};
        let lines = [Block, Cyclic, BlockCyclic(7), BlockCyclic(5000)];
        let grids = [Block, Cyclic, BlockCyclic(3), Block2d];
        Ok(Globals {
            lines: lines.into_iter().map(|way| world.global_array([LINE], way)).collect::<Result<_, _>>()?,
            grids: grids.into_iter().map(|way| world.global_array(GRID, way)).collect::<Result<_, _>>()?,
            cube: world.global_array(CUBE, BlockCyclic(2))?,
        })
    }

    /// Passes each element that this PE has, with its number in the whole.
    fn each(&self, world: &World, mut visit: impl FnMut(usize, &mut u32)) {
        world.local_phase(|phase| {
            for (at, element) in self.lines.iter().flat_map(|line| line.mine_mut(phase)) {
                visit(at, element);
            }
            for (at, element) in BLOCKS.mine_mut(phase).into_iter().chain(TURNS.mine_mut(phase)) {
                visit(at, element);
            }
            for ([row, column], element) in self.grids.iter().flat_map(|grid| grid.mine_mut(phase)) {
                visit(row * GRID[1] + column, element);
            }
            for ([a, b, c], element) in self.cube.mine_mut(phase) {
                visit((a * CUBE[1] + b) * CUBE[2] + c, element);
            }
        });
    }

    /// The elements of all arrays.
    fn len() -> usize {
        6 * LINE + 4 * GRID.iter().product::<usize>() + CUBE.iter().product::<usize>()
    }
}

/// Writes a checkpoint, with copies that are the same or that differ; or restores it, and checks.
#[shmem::main]
pub(crate) fn another_number(world: &World) -> Result<(), Error> {
    let (directory, what) = (argument(0), argument(1));
    let globals = Globals::new(world)?;
    let values: Vec<u64> = (0..40_000).map(|at| value(5, 0, at)).collect();
    if what.starts_with("write") {
        local!(STEP = 5);
        local!(DATA[..] = &values);
        globals.each(world, |at, found| *found = element(at));
        if what == "write-differing" && world.my_pe() == 1 {
            local!(DATA[39_999] = 0);
        }
        return world.checkpoint(&directory);
    }
    match world.restore(&directory) {
        Err(error) => {
            assert_eq!((local!(STEP), local!(DATA[1])), (0, 0), "an error changes nothing");
            globals.each(world, |_, found| assert!(*found == 0 || *found == 7));
            if world.my_pe() == 0 {
                say(&error.to_string());
            }
        }
        Ok(was_there) => {
            assert!(was_there);
            let mut found = vec![0; 40_000];
            local!(DATA[..] => &mut found);
            assert!(local!(STEP) == 5 && found == values);
            let mut count = 0;
            globals.each(world, |at, found| {
                count += 1;
                assert_eq!(*found, element(at), "element {at} of one of the arrays");
            });
            assert_eq!(collective!(sum count), Globals::len());
            say("restored");
        }
    }
    Ok(())
}

/// Four PEs write, and other numbers of PEs restore.
pub(crate) fn another_number_of_pes_restores() {
    let folder = tempfile::tempdir().unwrap();
    let job = |npes: usize, what: &str| {
        let mut command = program("another-number");
        command.arg(folder.path().join("checkpoints")).arg(what);
        let ended = run(command.env("SHMEM_NPES", npes.to_string()));
        assert!(ended.status.success() && ended.stderr.is_empty(), "{ended:#?}");
        ended.stdout
    };
    assert_eq!(job(4, "write"), "");
    for npes in [2, 3, 7, 1, 4] {
        assert_eq!(job(npes, "restore"), "restored\n".repeat(npes));
    }
    // What differs has no value that all could get.
    assert_eq!(job(4, "write-differing"), "");
    let refused = job(2, "restore");
    let named =
        "it was written by 4 PEs, and this job has 2; `checkpoint_kills::programs::DATA: [u64; 40000]` (";
    assert!(refused.contains(named) && refused.ends_with("as wrote it: set SHMEM_NPES=4\n"), "{refused}");
}
