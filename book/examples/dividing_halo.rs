//! A line of cells in blocks, with a halo on either side.

use shmem::prelude::*;

// ANCHOR: exchange
/// The cells of a PE: one block of the line.
fn cells(pe: usize, n: usize, npes: usize) -> std::ops::Range<usize> {
    pe * n / npes..(pe + 1) * n / npes
}

/// Gives the cells at the edges to the neighbours, for their halos.
#[shmem::kernel]
fn exchange(world: &World, line: &SymmetricArray<f64, 1>, n: usize) {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let len = cells(me, n, npes).len();
    if me > 0 {
        // Behind the cells of the left neighbour, which may have more.
        let end = cells(me - 1, n, npes).len() + 1;
        remote!(line[me - 1, end]) = local!(line[1]);
    }
    if me + 1 < npes {
        remote!(line[me + 1, 0]) = local!(line[len]);
    }
    world.barrier_all(); // the halos are there
}
// ANCHOR_END: exchange

// ANCHOR: steps
#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let n = 10;
    let mine = cells(me, n, npes);
    let len = mine.len();

    // Index 0 is the left halo, 1 to len are my cells, len + 1 is the right.
    let line = world.zeros::<f64, 1>([n.div_ceil(npes) + 2])?;
    for (at, i) in mine.enumerate() {
        local!(line[at + 1]) = i as f64;
    }
    exchange(world, &line, n);
    draw(world, &line, n);

    for _ in 0..5 {
        let old: Vec<f64> = local!(line[0..len + 2]);
        world.barrier_all(); // nobody writes to a halo before it was read
        let new = old.windows(3).map(|c| 0.25 * (c[0] + 2.0 * c[1] + c[2]));
        local!(line[1..len + 1]) = new.collect::<Vec<f64>>();
        exchange(world, &line, n);
    }

    // All blocks, in the order of the PEs, are the line.
    let own: Vec<f64> = local!(line[1..len + 1]);
    let whole: Vec<f64> = collective!(collect own.as_slice());
    assert_eq!(whole, alone(n));
    Ok(())
}
// ANCHOR_END: steps

/// What each PE holds.
fn draw(world: &World, line: &SymmetricArray<f64, 1>, n: usize) {
    if world.my_pe() == 0 {
        println!("      halo |  cells        | halo");
        for pe in 0..world.n_pes() {
            let len = cells(pe, n, world.n_pes()).len();
            let held: Vec<f64> = remote!(line[pe, 0..len + 2]);
            let cells = held[1..=len].iter().map(|cell| format!("{cell:3}"));
            let cells: String = cells.collect();
            let (left, right) = (held[0], held[len + 1]);
            println!("PE {pe} {left:5} | {cells:14}| {right}");
        }
    }
    world.barrier_all();
}

/// The same on one PE.
fn alone(n: usize) -> Vec<f64> {
    let mut line: Vec<f64> = (0..n).map(|i| i as f64).collect();
    for _ in 0..5 {
        let at = |i: Option<usize>| {
            i.and_then(|i| line.get(i)).copied().unwrap_or(0.0)
        };
        line = (0..n)
            .map(|i| {
                let left = at(i.checked_sub(1));
                0.25 * (left + 2.0 * at(Some(i)) + at(Some(i + 1)))
            })
            .collect();
    }
    line
}
