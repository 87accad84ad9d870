//! A program in which one PE waits for what this library does not know.

use shmem::prelude::*;
use std::sync::mpsc;

// ANCHOR: all
/// The next number from another thread.
fn next(numbers: &mpsc::Receiver<u64>) -> u64 {
    numbers.recv().expect("there is a number")
}

#[shmem::main]
fn main(world: &World) {
    let (sender, numbers) = mpsc::channel();
    if std::env::args().nth(1).is_none() || world.my_pe() != 0 {
        sender.send(7).expect("there is a receiver");
    }
    let mine = next(&numbers);
    assert_eq!(collective!(max mine), 7);
}
// ANCHOR_END: all
