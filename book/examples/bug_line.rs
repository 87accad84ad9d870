//! An assembly line, with the bugs of its builder.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

// ANCHOR: first
use shmem::prelude::*;

const BLOCKS: u64 = 12;

/// A block from the PE before.
#[symmetric]
static SLOT: [f64; 64] = [0.0; 64];
/// The number of the block that the PE before has put there.
#[symmetric]
static FULL: Atomic<u64> = Atomic::new(0);
/// The number of the block that the next PE has taken.
#[symmetric]
static TAKEN: Atomic<u64> = Atomic::new(0);
/// The result, on PE 0.
#[symmetric]
static TOTAL: f64 = 0.0;

#[shmem::kernel]
fn first(world: &World) {
    let (me, last) = (world.my_pe(), world.n_pes() - 1);
    let mut sum = 0.0;
    for number in 1..=BLOCKS {
        let mut block = [number as f64; 64]; // PE 0 makes it
        if me > 0 {
            wait!(FULL >= number);
            block = local!(SLOT[..]);
            remote!(TAKEN[me - 1]) = number;
        }
        work(&mut block);
        if me < last {
            wait!(TAKEN >= number - 1); // the slot is free
            remote!(SLOT[me + 1, ..]) = block;
            remote!(FULL[me + 1]) = number;
        } else {
            sum += block.iter().sum::<f64>();
        }
    }
    if me == last {
        remote!(TOTAL[0]) = sum;
    }
    world.sync_all();
    if me == 0 {
        println!("total {}", local!(TOTAL));
    }
}

/// What each PE does with a block.
fn work(block: &mut [f64; 64]) {
    for part in block {
        *part += 1.0;
    }
}
// ANCHOR_END: first

#[shmem::kernel]
fn second(world: &World) {
    let (me, last) = (world.my_pe(), world.n_pes() - 1);
    let mut sum = 0.0;
    for number in 1..=BLOCKS {
        let mut block = [number as f64; 64];
        if me > 0 {
            wait!(FULL >= number);
            block = local!(SLOT[..]);
            remote!(TAKEN[me - 1]) = number;
        }
        work(&mut block);
        if me < last {
            // ANCHOR: second
            wait!(TAKEN >= number - 1); // the slot is free
            remote!(SLOT[me + 1, ..]) = block;
            world.fence(); // the block before its number
            remote!(FULL[me + 1]) = number;
            // ANCHOR_END: second
        } else {
            sum += block.iter().sum::<f64>();
        }
    }
    if me == last {
        remote!(TOTAL[0]) = sum;
    }
    world.sync_all();
    if me == 0 {
        println!("total {}", local!(TOTAL));
    }
}

// ANCHOR: right
/// The line, with any kind of work. Returns the total on PE 0.
#[shmem::kernel]
fn line(world: &World, work: impl Fn(&mut [f64; 64])) -> f64 {
    let (me, last) = (world.my_pe(), world.n_pes() - 1);
    let mut sum = 0.0;
    for number in 1..=BLOCKS {
        let mut block = [number as f64; 64];
        if me > 0 {
            wait!(FULL >= number);
            block = local!(SLOT[..]);
            remote!(TAKEN[me - 1]) = number;
        }
        work(&mut block);
        if me < last {
            wait!(TAKEN >= number - 1);
            remote!(SLOT[me + 1, ..]) = block;
            world.fence();
            remote!(FULL[me + 1]) = number;
        } else {
            sum += block.iter().sum::<f64>();
        }
    }
    if me == last {
        remote!(TOTAL[0]) = sum;
    }
    world.barrier_all(); // completes the put of the last PE
    local!(TOTAL)
}
// ANCHOR_END: right

#[shmem::kernel]
fn hangs(world: &World) {
    let (me, last) = (world.my_pe(), world.n_pes() - 1);
    for number in 1..=BLOCKS {
        let mut block = [number as f64; 64];
        // ANCHOR: hangs
        if me > 0 {
            wait!(FULL >= number);
            block = local!(SLOT[..]);
            remote!(TAKEN[me - 1]) = number;
        }
        work(&mut block);
        if me < last {
            wait!(TAKEN >= number); // was `number - 1`
            remote!(SLOT[me + 1, ..]) = block;
            world.fence();
            remote!(FULL[me + 1]) = number;
        }
        // ANCHOR_END: hangs
    }
    world.barrier_all();
}

// ANCHOR: threads
/// The same work, by four threads. Each sends the sum of its part.
fn work_in_threads(block: &mut [f64; 64]) -> f64 {
    let (sender, sums) = mpsc::channel();
    thread::scope(|scope| {
        for part in block.chunks_mut(16) {
            let sender = sender.clone();
            scope.spawn(move || {
                part.iter_mut().for_each(|value| *value += 1.0);
                sender.send(part.iter().sum::<f64>())
            });
        }
        sums.iter().sum() // until all senders are dropped
    })
}
// ANCHOR_END: threads

// ANCHOR: tasks
/// A task takes 2 ms.
fn task(block: &mut [f64; 64], part: f64) {
    thread::sleep(Duration::from_millis(2));
    block.iter_mut().for_each(|value| *value += part);
}

/// PE 1 does five tasks on each block, and every other PE does one.
fn uneven(world: &World) -> f64 {
    let tasks = if world.my_pe() == 1 { 5 } else { 1 };
    line(world, |block| (0..tasks).for_each(|_| task(block, 0.125)))
}

/// The PEs share the eight tasks.
fn even(world: &World) -> f64 {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let mine = me * 8 / npes..(me + 1) * 8 / npes;
    line(world, |block| mine.clone().for_each(|_| task(block, 0.125)))
}
// ANCHOR_END: tasks

#[shmem::main]
fn main(world: &World) {
    let (me, npes) = (world.my_pe(), world.n_pes());
    match std::env::args().nth(1).as_deref() {
        Some("first") => first(world),
        Some("second") => second(world),
        Some("hangs") => hangs(world),
        Some("threads") => {
            line(world, |block| {
                if me == 1 {
                    work_in_threads(block);
                }
            });
        }
        Some("uneven") => {
            uneven(world);
        }
        Some("even") => {
            even(world);
        }
        _ => {
            let total = line(world, work);
            let each = |number| (64 * (number + npes as u64)) as f64;
            if me == 0 {
                assert_eq!(total, (1..=BLOCKS).map(each).sum::<f64>());
                println!("total {total}");
            }
        }
    }
}
