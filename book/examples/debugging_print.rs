//! Output that names its PE.

use shmem::prelude::*;

// ANCHOR: all
#[shmem::main]
fn main(world: &World) {
    let me = world.my_pe();
    let value = 10 * me;
    println!("PE {me}: value {value}");
    let line = format!("PE {me}: value {value}\n");
    eprint!("{line}");

    let sum = collective!(sum value);
    if me == 0 {
        println!("sum {sum}");
    }
}
// ANCHOR_END: all
