//! A sum over all PEs.

use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    let me = world.my_pe();
    let mine: f64 =
        (0..1000).map(|i| (1000 * me + i) as f64).map(|x| x * x).sum();
    let all = collective!(sum mine);
    if me == 0 {
        println!("the sum of squares is {all}");
    }
}
