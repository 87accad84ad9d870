use shmem::prelude::*;
use shmem::reduction::{Operation, ReducedBy};

struct Last;

impl ReducedBy<Last> for f64 {
    const OPERATION: Operation = Operation::Max;
    fn join(self, other: f64) -> f64 {
        collective!(max other)
    }
}

#[shmem::main]
fn main(world: &World) {
    world.team().reduce_value(Last, 1.0);
}
