//! Elements of another PE by a list of indices.

use shmem::prelude::*;

#[symmetric]
static TABLE: [u64; 1000] = [0; 1000];

#[shmem::main]
fn main(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let mine: Vec<u64> = (0..1000).map(|i| 1000 * me as u64 + i).collect();
    local!(TABLE[..]) = &mine;
    world.barrier_all();
    let got = remote!(TABLE[(me + 1) % n, [3, 900, 17, 512, 77]]);
    if me == 0 {
        let sum: u64 = got.iter().sum();
        println!("five elements of the next PE: {sum}");
    }
}
