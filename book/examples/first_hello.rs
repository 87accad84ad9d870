//! Every PE says hello.

use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    println!("hello from PE {} of {}", world.my_pe(), world.n_pes());
}
