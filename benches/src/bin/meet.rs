//! A minimal program: joins the job, calls a barrier, and ends. It measures the time of a start,
//! and the memory of a PE.
//!
//! If there is a conductor, every PE connects to it, and sleeps until the conductor ends. So the
//! conductor can measure its memory.

use std::env;
use std::io::Read as _;

use benches::conductor::{SOCKET, report_to};
use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), std::io::Error> {
    world.barrier_all();
    if let Some(socket) = env::var_os(SOCKET) {
        let mut conductor = report_to(&socket, world.my_pe(), world.n_pes())?;
        // The conductor sends no work.
        conductor.read_exact(&mut [0]).unwrap_or_default();
    }
    Ok(())
}
