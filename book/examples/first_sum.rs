//! Every PE adds up a part of a series, and all of them learn the sum.

use shmem::prelude::*;

const TERMS: usize = 1_000_000;

#[shmem::main]
fn main(world: &World) {
    // 1 - 1/3 + 1/5 - 1/7 ...: this PE takes every n-th term.
    let mine = (world.my_pe()..TERMS).step_by(world.n_pes());
    let part: f64 = mine
        .map(|k| if k % 2 == 0 { 1.0 } else { -1.0 } / (2 * k + 1) as f64)
        .sum();

    let pi = 4.0 * collective!(sum part);
    let least = collective!(min part);
    assert!((pi - std::f64::consts::PI).abs() < 2.0 / TERMS as f64);
    assert!(least <= part);
    if world.my_pe() == 0 {
        println!("pi is about {pi:.5}");
    }
}
