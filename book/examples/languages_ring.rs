//! A ring: each PE writes its number to the next one.

use shmem::prelude::*;

#[symmetric]
static GOT: usize = 0;

#[shmem::main]
fn main(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    remote!(GOT[(me + 1) % n]) = me;
    world.barrier_all();
    if me == 0 {
        println!("PE 0 got {}", local!(GOT));
    }
}
