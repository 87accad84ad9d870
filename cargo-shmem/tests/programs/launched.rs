//! Says which PE it is, and ends with the number of PEs. One test builds it in two ways, so no other
//! test runs it.

use std::process::ExitCode;

use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> ExitCode {
    println!("PE {} of {}", world.my_pe(), world.n_pes());
    world.barrier_all();
    ExitCode::from(world.n_pes() as u8)
}
