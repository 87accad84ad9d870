//! A benchmark, as far as a test needs one: each PE says which it is, and its arguments.

use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    println!("PE {} of {}: {}", world.my_pe(), world.n_pes(), arguments.join(" "));
}
