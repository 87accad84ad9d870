//! Squares that are divided over all PEs, and read by a list of indices.

use shmem::prelude::*;

const EACH: usize = 1000;

#[symmetric(cyclic)]
static COUNTS: [Atomic<usize>; 10] = [Atomic::new(0); 10];

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let table =
        world.global_array::<usize, 1>([EACH * n], Distribution::Block)?;
    world.local_phase(|p| {
        for (i, square) in table.mine_mut(p) {
            *square = i * i;
        }
    });

    let list: Vec<usize> =
        (0..EACH).map(|i| (i + me) * 7919 % (EACH * n)).collect();
    let found = remote!(table[@list]);
    world.batch(|b| {
        for square in found {
            remote!(b; COUNTS[@square % 10]) += 1;
        }
    });

    if me == 0 {
        println!("last digits of squares: {:?}", remote!(COUNTS[@..]));
    }
    Ok(())
}
