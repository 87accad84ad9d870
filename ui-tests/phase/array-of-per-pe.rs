use shmem::prelude::*;

#[symmetric]
static SLOTS: PerPe<[u64; 4]> = PerPe::new([0; 4]);

#[shmem::main]
fn main(world: &World) {
    world.local_phase(|p| SLOTS.as_array(p)[0][0]);
}
