use shmem::prelude::*;
use shmem::reduction::ReducedBy;

struct Last;

impl ReducedBy<Last> for f64 {
    const NAME: &'static str = "last";
    fn join(self, other: f64) -> f64 {
        collective!(max other)
    }
}

#[shmem::main]
fn main(world: &World) {
    world.team().reduce_value(Last, 1.0);
}
