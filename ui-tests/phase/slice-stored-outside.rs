use shmem::phase::LocalMut;
use shmem::prelude::*;

#[symmetric]
static DATA: [u64; 8] = [0; 8];

#[shmem::main]
fn main(world: &World) {
    let mut kept: Vec<LocalMut<'_, [u64]>> = Vec::new();
    world.local_phase(|p| kept.push(DATA.as_mut_slice(p)));
    kept[0][0] = 1;
}
