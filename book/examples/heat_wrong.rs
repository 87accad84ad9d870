//! Mistakes that one makes with heat.

use shmem::Halo;
use shmem::prelude::*;

const ROWS: usize = 4;
const COLUMNS: usize = 32;

#[symmetric]
static PLATE: [[f64; COLUMNS + 2]; ROWS + 2] = [[0.0; COLUMNS + 2]; ROWS + 2];
#[symmetric]
static FROM_UP: [f64; COLUMNS + 2] = [0.0; COLUMNS + 2];
#[symmetric(block, halo = Halo::fixed(1))]
static LINE: [f64; 32] = [1.0; 32];

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    match std::env::args().nth(1).as_deref() {
        Some("last") => last(me),
        Some("first") => first(me, npes),
        Some("second") => (0..2).for_each(|_| second(world, me, npes)),
        Some("inside") => inside(world, me, npes),
        Some("layer") => layer(world),
        Some("corner") => corner(me, npes),
        Some("sync") => sync(world, me, npes),
        Some("list") => list(world, me),
        Some("far") => far(world),
        Some("own") => own(world, me)?,
        _ => {}
    }
    Ok(())
}

#[shmem::kernel]
fn last(me: usize) {
    // ANCHOR: last
    remote!(PLATE[me + 1, 0, ..]) = local!(PLATE[ROWS, ..]);
    // ANCHOR_END: last
}

#[shmem::kernel]
fn first(me: usize, npes: usize) {
    // ANCHOR: first
    if me + 1 < npes {
        remote!(PLATE[me + 1, 0, ..]) = local!(PLATE[ROWS, ..]);
    }
    let old = local!(PLATE[.., ..]);
    // ANCHOR_END: first
    let _ = old;
}

#[shmem::kernel]
fn second(world: &World, me: usize, npes: usize) {
    // ANCHOR: second
    if me + 1 < npes {
        remote!(PLATE[me + 1, 0, ..]) = local!(PLATE[ROWS, ..]);
    }
    world.barrier_all();
    let old = local!(PLATE[.., ..]);
    // and on to the next step
    // ANCHOR_END: second
    let _ = old;
}

#[shmem::kernel]
fn inside(world: &World, me: usize, npes: usize) {
    // ANCHOR: inside
    if me + 1 < npes {
        remote!(PLATE[me + 1, 0, ..]) = local!(PLATE[ROWS, ..]);
        world.barrier_all();
    }
    // ANCHOR_END: inside
}

fn layer(world: &World) {
    // ANCHOR: layer
    world.local_phase(|p| {
        let (old, mut new) = (PLATE.as_array(p), PLATE.as_mut_array(p));
        new[1][1] = old[0][1];
    });
    // ANCHOR_END: layer
}

#[shmem::kernel]
fn corner(me: usize, npes: usize) {
    // ANCHOR: corner
    if me + 1 < npes {
        let edge = local!(PLATE[ROWS, 1..=COLUMNS]);
        remote!(PLATE[me + 1, 0, 1..=COLUMNS]) = edge;
    }
    if me > 0 {
        let edge = local!(PLATE[.., 1]);
        remote!(PLATE[me - 1, .., COLUMNS + 1]) = edge;
    }
    // ANCHOR_END: corner
}

#[shmem::kernel]
fn sync(world: &World, me: usize, npes: usize) {
    let up = me.checked_sub(1);
    let down = Some(me + 1).filter(|down| *down < npes);
    let neighbours: Vec<usize> = up.into_iter().chain(down).collect();
    let row = [1.0; COLUMNS + 2];
    for _ in 0..2 {
        // ANCHOR: sync
        if let Some(down) = down {
            remote!(FROM_UP[down, ..]) = &row;
        }
        world.barrier_with(&neighbours);
        let halo = local!(FROM_UP[..]);
        // and on to the next step
        // ANCHOR_END: sync
        let _ = halo;
    }
}

fn list(world: &World, me: usize) {
    // ANCHOR: list
    if me > 0 {
        world.barrier_with(&[me - 1]);
    }
    // ANCHOR_END: list
}

fn far(world: &World) {
    // ANCHOR: far
    world.local_phase(|p| {
        let (line, i) = (LINE.view(p), 0);
        println!("{}", line[i - 2] + line[i + 2]);
    });
    // ANCHOR_END: far
}

#[shmem::kernel]
fn own(world: &World, me: usize) -> Result<(), shmem::Error> {
    // ANCHOR: own
    if !world.restore("target/own")? {
        local!(PLATE[1, 1]) = me as f64; // each PE has a plate of its own
        world.checkpoint("target/own")?;
    }
    // ANCHOR_END: own
    Ok(())
}
