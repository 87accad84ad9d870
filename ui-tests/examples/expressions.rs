// Expressions in every place that takes one: evaluated once, value before place, as in Rust's own assignment.
use std::cell::RefCell;

use shmem::prelude::*;

#[symmetric]
static GRID: [[i64; 6]; 4] = [[0; 6]; 4];
#[symmetric]
static ORDER: [usize; 4] = [3, 2, 1, 0];

#[shmem::main(npes = 2)]
fn main(world: &World) -> Result<(), Box<dyn std::error::Error>> {
    let right = (world.my_pe() + 1) % world.n_pes();

    // `?`, calls, casts, blocks, conditions and other calls of the macros.
    let text = "2";
    remote!(GRID[right, text.parse()?, 0]) = "7".parse::<i64>()?;
    remote!(GRID[right, { 1 + 1 }, if right == 0 { 1 } else { 1 }]) = 8;
    remote!(GRID[right, usize::min(2, 3), 2u8 as usize]) = i64::from(9u32);
    remote!(GRID[right, local!(ORDER[1]), remote!(ORDER[right, 0])]) = remote!(ORDER[right, 3]) as i64 + 10;
    world.barrier_all();
    assert_eq!(local!(GRID[2, 0..5]), [7, 8, 9, 10, 0]);
    world.barrier_all();

    // Each once, and in Rust's order.
    let log = RefCell::new(Vec::new());
    let note = |what: &'static str, value: usize| {
        log.borrow_mut().push(what);
        value
    };
    remote!(GRID[note("pe", right), note("row", 1), note("from", 0)..note("to", 4);note("step", 2)]) =
        note("value", 3) as i64;
    assert_eq!(*log.borrow(), ["value", "pe", "row", "from", "to", "step"]);
    world.barrier_all();
    assert_eq!(local!(GRID[1, ..]), [3, 0, 3, 0, 0, 0]);
    world.barrier_all();

    // In closures, loops, patterns, and as the last expression.
    let put = |row: usize, value: i64| remote!(GRID[right, row, ..] = value);
    put(3, 4);
    (0..3).for_each(|row| {
        remote!(GRID[right, row, 5]) = row as i64;
    });
    world.barrier_all();
    let column: Vec<i64> = (0..4).map(|row| local!(GRID[row, 5])).collect();
    assert_eq!(column, [0, 1, 2, 4]);
    let total = match remote!(GRID[right, 0..2, 5]) {
        [a, b] if a < b => a + b,
        _ => -1,
    };
    assert_eq!(total, 1);
    while remote!(GRID[right, 3, 5]) != 4 {}
    assert!(remote!(GRID[right, 3, 5]) == 4 && -remote!(GRID[right, 3, 5]) < 0);
    Ok(())
}
