//! Does as little as a job can: joins it, meets all PEs in a barrier, and ends. What a start takes,
//! and how much memory a PE.
//!
//! Where a conductor listens, every PE says that it is there, and sleeps until that ends: so one
//! can look at its memory.

use std::env;
use std::io::Read as _;

use benches::conductor::{SOCKET, report_to};
use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), std::io::Error> {
    world.barrier_all();
    if let Some(socket) = env::var_os(SOCKET) {
        let mut conductor = report_to(&socket, world.my_pe(), world.n_pes())?;
        // It gives no orders.
        conductor.read_exact(&mut [0]).unwrap_or_default();
    }
    Ok(())
}
