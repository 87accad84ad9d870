use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    collective!(sum 1; on world);
}
