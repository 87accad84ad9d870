//! Squares that are divided over all PEs, and read by a list of indices.

use lamellar::array::prelude::*;

const EACH: usize = 1000;

fn main() {
    let world = LamellarWorldBuilder::new().build();
    let (me, n) = (world.my_pe(), world.num_pes());
    let table = AtomicArray::<usize>::new(&world, EACH * n, Distribution::Block).block();
    let counts = AtomicArray::<usize>::new(&world, 10, Distribution::Cyclic).block();
    for (i, place) in table.local_data().iter().enumerate() {
        let i = me * EACH + i;
        place.store(i * i);
    }
    table.barrier();

    let list: Vec<usize> = (0..EACH).map(|i| (i + me) * 7919 % (EACH * n)).collect();
    let found = table.batch_load(list).block();
    let digits: Vec<usize> = found.iter().map(|square| square % 10).collect();
    counts.batch_add(digits, 1).block();
    counts.barrier();

    if me == 0 {
        println!("last digits of squares: {:?}", counts.batch_load((0..10).collect::<Vec<_>>()).block());
    }
    world.barrier();
}
