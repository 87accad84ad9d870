//! The ways in which a PE can end a job.

use shmem::prelude::*;

// ANCHOR: all
#[shmem::main]
fn main(world: &World) -> Result<(), String> {
    let how = std::env::args().nth(1).unwrap_or_default();
    if world.my_pe() == world.n_pes() - 1 {
        match how.as_str() {
            "panic" => panic!("no more paper"),
            "error" => return Err("no such file".to_owned()),
            "exit" => std::process::exit(0),
            "abort" => std::process::abort(),
            _ => {}
        }
    }
    world.barrier_all(); // the others wait here
    Ok(())
}
// ANCHOR_END: all
