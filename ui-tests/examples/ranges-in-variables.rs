// A range in a variable is a range whose length run time knows.
use shmem::prelude::*;

#[symmetric]
static ROW: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
#[symmetric]
static GRID: [[u32; 3]; 2] = [[0, 1, 2], [3, 4, 5]];

struct Block {
    rows: std::ops::Range<usize>,
}

fn third(part: usize) -> std::ops::RangeFrom<usize> {
    3 * part..
}

#[shmem::main(npes = 2)]
fn main(world: &World) {
    let window = 2..5;
    let part: Vec<u32> = remote!(ROW[0, window]);
    assert_eq!(part, [2, 3, 4]);
    // It is borrowed, and can be used again.
    assert_eq!(remote!(ROW[1, window]).len(), window.len());
    let (through, open, to, to_through, all) = (6..=7, 5.., ..2, ..=1, ..);
    assert_eq!(local!(ROW[through]), [6, 7]);
    assert_eq!(local!(ROW[open]), [5, 6, 7]);
    assert_eq!(local!(ROW[to]), [0, 1]);
    assert_eq!(local!(ROW[to_through]), [0, 1]);
    assert_eq!(local!(ROW[all]).len(), 8);
    let block = Block { rows: 0..2 };
    assert_eq!(local!(GRID[block.rows, 1]), [1, 4]);
    assert_eq!(local!(ROW[third(2)]), [6, 7]);

    world.barrier_all();
    remote!(ROW[1, window]) = 9;
    world.barrier_all();
    assert_eq!(remote!(ROW[1, 1..6]), [1, 9, 9, 9, 5]);

    // What can be of any type is an index.
    let small = 3_u8;
    assert_eq!(remote!(ROW[0, small.into()]), 3);
    assert_eq!(remote!(ROW[0, "6".parse().unwrap()]), 6);
    for i in 0..8 {
        assert_eq!(remote!(ROW[0, i]), i as u32);
    }
}
