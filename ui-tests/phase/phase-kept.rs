use shmem::prelude::*;

#[symmetric]
static DATA: [u64; 8] = [0; 8];

#[shmem::main]
fn main(world: &World) {
    let mut kept = None;
    world.local_phase(|p| kept = Some(p));
    if let Some(p) = kept {
        DATA.as_mut_slice(p)[0] = 1;
    }
}
