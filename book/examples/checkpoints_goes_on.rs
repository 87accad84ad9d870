//! A program that is killed, and goes on from its last checkpoint.

// ANCHOR: all
use std::error::Error;

use shmem::prelude::*;

#[symmetric]
static STEP: u64 = 0; // how far the program has come: a part of each checkpoint

#[shmem::main]
fn main(world: &World) -> Result<(), Box<dyn Error>> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let field = world.zeros::<u64, 1>([1000])?;
    let found = world.restore("checkpoints")?; // after the arrays are allocated
    if me == 0 {
        match found {
            true => println!("goes on after step {}", local!(STEP)),
            false => println!("begins"),
        }
    }
    while local!(STEP) < 10 {
        local!(STEP) = local!(STEP) + 1;
        let mine = local!(field[0]);
        world.barrier_all();
        remote!(field[(me + 1) % n, ..]) = mine + 1;
        world.barrier_all();
        if local!(STEP).is_multiple_of(3) {
            world.checkpoint("checkpoints")?;
        }
        fail(me + 1 == n && local!(STEP) == 7);
    }
    assert_eq!(local!(field[..]), [10; 1000]);
    world.barrier_all();
    if me == 0 {
        println!("done");
        std::fs::remove_dir_all("checkpoints")?;
    }
    Ok(())
}
// ANCHOR_END: all

/// With the argument `fail` the process ends here, as if its host had lost power.
fn fail(is_now: bool) {
    if is_now && std::env::args().nth(1).is_some_and(|word| word == "fail") {
        std::process::abort();
    }
}
