//! Every PE writes to its right neighbour.

use shmem::prelude::*;

#[symmetric]
static INBOX: usize = 0;

#[shmem::main]
fn main(world: &World) {
    let me = world.my_pe();
    let right = (me + 1) % world.n_pes();

    remote!(INBOX[right]) = 100 + me;
    world.barrier_all();

    if me == 0 {
        for pe in 0..world.n_pes() {
            println!("PE {pe} holds {}", remote!(INBOX[pe]));
        }
    }
}
