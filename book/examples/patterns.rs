//! Patterns that are right, and a wrong form of each.

use shmem::SignalOp;
use shmem::prelude::*;

// ANCHOR: flag
#[symmetric]
static READY: Atomic<u64> = Atomic::new(0);

#[shmem::kernel]
fn flag(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let rows = world.zeros::<usize, 2>([n, 4])?;
    remote!(rows[0, me, ..]) = [me; 4];
    world.fence();
    remote!(READY[0]) += 1;
    if me == 0 {
        wait!(READY >= n as u64);
        assert_eq!(local!(rows[.., 3]), (0..n).collect::<Vec<_>>());
    }
    Ok(())
}
// ANCHOR_END: flag

#[shmem::kernel]
fn flag_wrong(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let rows = world.zeros::<usize, 2>([n, 4])?;
    remote!(rows[0, me, ..]) = [me; 4];
    world.fence();
    // ANCHOR: flag_wrong
    remote!(READY[0]) = 1;
    if me == 0 {
        wait!(READY == 1);
        println!("{:?}", local!(rows[.., 3]));
    }
    // ANCHOR_END: flag_wrong
    Ok(())
}

// ANCHOR: buffers
/// For each turn, an edge from the left and one from the right.
#[symmetric]
static EDGES: [[[f64; 4]; 2]; 2] = [[[0.0; 4]; 2]; 2];
#[symmetric]
static CAME: [Atomic<u64>; 2] = [Atomic::new(0); 2];

fn rounds(world: &World, buffers: usize) -> f64 {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + n - 1) % n, (me + 1) % n);
    let mut x = me as f64;
    for round in 0..8 {
        let turn = round % buffers;
        for (pe, side) in [(left, 1), (right, 0)] {
            remote!(&EDGES[pe, turn, side, ..]).put_signal(
                [x; 4],
                remote!(&CAME[pe, turn]),
                SignalOp::Add(1),
            );
        }
        wait!(CAME[turn] >= 2 * (round / buffers + 1) as u64);
        let [a, b] = local!(EDGES[turn, .., 0]);
        x = (a + x + b) / 3.0;
    }
    collective!(sum x) // as at the start
}
// ANCHOR_END: buffers

fn buffers_wrong(world: &World) {
    // ANCHOR: buffers_wrong
    let sum = rounds(world, 1);
    // ANCHOR_END: buffers_wrong
    println!("{sum}");
}

// ANCHOR: ticket
const ITEMS: usize = 20;
#[symmetric]
static NEXT: Atomic<usize> = Atomic::new(0);
#[symmetric]
static DONE: [usize; ITEMS] = [0; ITEMS];

#[shmem::kernel]
fn ticket(world: &World) {
    loop {
        let i = remote!(&NEXT[0]).fetch_add(1);
        if i >= ITEMS {
            break;
        }
        remote!(DONE[0, i]) = i * i;
    }
    world.barrier_all();
    if world.my_pe() == 0 {
        assert!((0..ITEMS).all(|i| local!(DONE[i]) == i * i));
    }
}
// ANCHOR_END: ticket

#[shmem::kernel]
fn ticket_wrong(world: &World) {
    // ANCHOR: ticket_wrong
    let i = remote!(NEXT[0]);
    world.sync_all(); // now all PEs have read the same number
    remote!(NEXT[0]) = i + 1;
    remote!(DONE[0, i]) = i * i;
    // ANCHOR_END: ticket_wrong
}

// ANCHOR: queue
const EACH: usize = 3;
#[symmetric]
static TAIL: Atomic<usize> = Atomic::new(0);
#[symmetric]
static SLOTS: [[usize; 2]; 64] = [[0; 2]; 64];
#[symmetric]
static FULL: [Atomic<u64>; 64] = [Atomic::new(0); 64];

fn queue(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    for item in 0..EACH {
        let place = remote!(&TAIL[0]).fetch_add(1);
        remote!(&SLOTS[0, place, ..]).put_signal(
            [me, item],
            remote!(&FULL[0, place]),
            SignalOp::Set(1),
        );
    }
    if me == 0 {
        let mut items = 0;
        for place in 0..EACH * n {
            wait!(FULL[place] == 1);
            let [_from, item] = local!(SLOTS[place, ..]);
            items += item;
        }
        assert_eq!(items, n * EACH * (EACH - 1) / 2);
    }
}
// ANCHOR_END: queue

/// With `is_fenced`, each item is ordered before the next ticket.
fn queue_wrong(world: &World, is_fenced: bool) {
    let (me, n) = (world.my_pe(), world.n_pes());
    for item in 0..EACH {
        if is_fenced {
            world.fence();
        }
        let place = remote!(&TAIL[0]).fetch_add(1);
        remote!(&SLOTS[0, place, ..]).put_signal(
            [me, item],
            remote!(&FULL[0, place]),
            SignalOp::Set(1),
        );
    }
    if me == 0 {
        // ANCHOR: queue_wrong
        for place in 0..EACH * n {
            wait!(TAIL > place);
            println!("{:?}", local!(SLOTS[place, ..]));
        }
        // ANCHOR_END: queue_wrong
    }
}

// ANCHOR: reduction
#[symmetric]
static MINE: [f64; 4] = [0.0; 4];
#[symmetric]
static TOTAL: [f64; 4] = [0.0; 4];

#[shmem::kernel]
fn reduction(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let all = collective!(sum me); // of a value
    local!(MINE[..]) = me as f64;
    collective!(TOTAL[..] = sum MINE[..]); // of an object
    local!(MINE[..]) = 0.0;
    assert_eq!(all, n * (n - 1) / 2);
    assert_eq!(local!(TOTAL[..]), [all as f64; 4]);
}
// ANCHOR_END: reduction

#[shmem::kernel]
fn reduction_wrong(world: &World) {
    let me = world.my_pe();
    // ANCHOR: reduction_wrong
    let before = remote!(TOTAL[0, 0]);
    remote!(TOTAL[0, 0]) = before + me as f64;
    world.barrier_all();
    // ANCHOR_END: reduction_wrong
}

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    match std::env::args().nth(1).as_deref() {
        Some("flag_wrong") => flag_wrong(world)?,
        Some("buffers_wrong") => buffers_wrong(world),
        Some("ticket_wrong") => ticket_wrong(world),
        Some("queue_wrong") => queue_wrong(world, false),
        Some("queue_fenced") => queue_wrong(world, true),
        Some("reduction_wrong") => reduction_wrong(world),
        _ => {
            flag(world)?;
            let sum = (0..world.n_pes()).sum::<usize>() as f64;
            assert!((rounds(world, 2) - sum).abs() < 1e-9);
            ticket(world);
            queue(world);
            reduction(world);
        }
    }
    Ok(())
}
