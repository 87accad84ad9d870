//! A counter that is not atomic.

use shmem::prelude::*;

#[symmetric]
static ROOM: usize = 0;

#[shmem::main]
fn main() {
    let pile = [3, 1, 2];
    let start = remote!(&ROOM[1]).fetch_add(pile.len());
    println!("{start}");
}
