#![deny(unused_must_use)]

use shmem::context::Shared;
use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];

#[shmem::main]
fn main(world: &World) {
    let ctx = world.team().context(Shared).unwrap();
    ctx.session();
}
