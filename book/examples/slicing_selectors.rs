//! Every selector, on one axis.

use shmem::prelude::*;

#[symmetric]
static ROW: [u32; 10] = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90];

#[shmem::main]
fn main(world: &World) {
    let pe = world.n_pes() - 1;
    if world.my_pe() != 0 {
        return;
    }
    println!("{:?}", remote!(ROW[pe, 3])); // an index
    println!("{:?}", remote!(ROW[pe, 2..5])); // from 2 to before 5
    println!("{:?}", remote!(ROW[pe, 2..=5])); // from 2 to 5
    println!("{:?}", remote!(ROW[pe, 7..])); // from 7 on
    println!("{:?}", remote!(ROW[pe, ..3])); // to before 3
    println!("{:?}", remote!(ROW[pe, ..=3])); // to 3
    println!("{:?}", remote!(ROW[pe, ..])); // everything
    println!("{:?}", remote!(ROW[pe, 1..9;3])); // 1, 4, 7
    println!("{:?}", remote!(ROW[pe, 1..=7;3])); // 1, 4, 7
    println!("{:?}", remote!(ROW[pe, ..;4])); // 0, 4, 8
    println!("{:?}", remote!(ROW[pe, 5..;2])); // 5, 7, 9
    println!("{:?}", remote!(ROW[pe, 4..4])); // nothing
}
