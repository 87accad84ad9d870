//! What is evaluated first.

use shmem::prelude::*;

#[symmetric]
static CELLS: [u32; 8] = [0; 8];

// ANCHOR: all
fn say<T>(what: &str, value: T) -> T {
    println!("{what}");
    value
}

#[shmem::main]
fn main(world: &World) {
    if world.my_pe() == 0 {
        remote!(CELLS[say("the PE", 0), say("the index", 5)]) =
            say("the value", 1);

        let mut cell = 0;
        remote!(CELLS[say("the PE", 0), say("the index", 5)]
            => say("the buffer", &mut cell));
        assert_eq!(cell, 1);
    }
}
// ANCHOR_END: all
