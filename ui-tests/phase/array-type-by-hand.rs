use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(transparent)]
struct Mine(u64);

impl shmem::phase::AllConstant for PerPe<Mine> {}

#[symmetric]
static SLOTS: PerPe<Mine> = PerPe::new(Mine(0));

#[shmem::main]
fn main(world: &World) {
    world.local_phase(|p| SLOTS.as_mut_array(p)[1 << 19] = 1);
}
