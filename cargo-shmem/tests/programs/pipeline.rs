//! Hangs for as long as its input is not there.

use std::path::Path;
use std::thread;
use std::time::Duration;

use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    if world.my_pe() == 2 {
        wait_for_input();
    }
    world.barrier_all();
}

fn wait_for_input() {
    while !Path::new("input.csv").exists() {
        thread::sleep(Duration::from_millis(100));
    }
}
