//! The exercises of the chapter on bugs, and their solutions.

use shmem::prelude::*;

#[symmetric]
static NEWS: [u64; 8] = [0; 8];
#[symmetric]
static LOCKS: [Lock; 2] = [Lock::new(); 2];
#[symmetric]
static MONEY: [i64; 2] = [100; 2]; // of two accounts, on PE 0

#[shmem::main]
fn main(world: &World) {
    match std::env::args().nth(1).as_deref() {
        Some("news") => news(world),
        Some("bank") => bank(world),
        Some("line") => read_line(world, false),
        _ => {
            news_solved(world);
            bank_solved(world);
            line_solved(world, false);
            line_solved(world, true);
        }
    }
}

// ANCHOR: news
fn news(world: &World) {
    for day in 1..=3 {
        if world.my_pe() == 0 {
            local!(NEWS[..] = day);
        }
        world.barrier_all();
        let _today = remote!(NEWS[0, ..]);
    }
}
// ANCHOR_END: news

// ANCHOR: news_solved
fn news_solved(world: &World) {
    for day in 1..=3 {
        if world.my_pe() == 0 {
            local!(NEWS[..] = day);
        }
        world.barrier_all();
        let read = remote!(NEWS[0, ..]);
        assert_eq!(read, [day; 8]);
        world.sync_all(); // all have read
    }
}
// ANCHOR_END: news_solved

// ANCHOR: bank
/// PE 0 moves money from account 0 to account 1, and PE 1 the other way.
fn bank(world: &World) {
    let from = world.my_pe() % 2;
    let to = 1 - from;
    let one = (world.my_pe() < 2).then(|| LOCKS.at(from).lock());
    world.sync_all(); // so that it happens in every run
    let other = (world.my_pe() < 2).then(|| LOCKS.at(to).lock());
    if world.my_pe() < 2 {
        remote!(MONEY[0, from] = remote!(MONEY[0, from]) - 10);
        remote!(MONEY[0, to] = remote!(MONEY[0, to]) + 10);
    }
    drop((one, other));
    world.barrier_all();
    assert_eq!(remote!(MONEY[0, ..]), [100; 2]);
}
// ANCHOR_END: bank

// ANCHOR: bank_solved
fn bank_solved(world: &World) {
    let from = world.my_pe() % 2;
    let to = 1 - from;
    if world.my_pe() < 2 {
        let _zero = LOCKS.at(0).lock(); // every PE takes this one first
        let _one = LOCKS.at(1).lock();
        remote!(MONEY[0, from] = remote!(MONEY[0, from]) - 10);
        remote!(MONEY[0, to] = remote!(MONEY[0, to]) + 10);
    }
    world.barrier_all();
    assert_eq!(remote!(MONEY[0, ..]).iter().sum::<i64>(), 200);
}
// ANCHOR_END: bank_solved

/// What PE 0 has got to read, if there is anything.
fn input(is_there: bool) -> Option<u64> {
    is_there.then_some(7)
}

// ANCHOR: line
fn read_line(world: &World, is_there: bool) {
    let mut value = 0;
    if world.my_pe() == 0 {
        let Some(found) = input(is_there) else { return };
        value = found;
    }
    let value = collective!(max value);
    assert_eq!(value, 7);
}
// ANCHOR_END: line

// ANCHOR: line_solved
fn line_solved(world: &World, is_there: bool) {
    let found = if world.my_pe() == 0 { input(is_there) } else { None };
    // All PEs get the same answer, so all return or none does.
    if collective!(max u64::from(found.is_some())) == 0 {
        return;
    }
    let value = collective!(max found.unwrap_or(0));
    assert_eq!(value, 7);
}
// ANCHOR_END: line_solved
