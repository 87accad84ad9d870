use shmem::prelude::*;

#[symmetric]
static DATA: [u64; 8] = [0; 8];

#[shmem::main]
fn main(world: &World) {
    let data = world.local_phase(|p| DATA.as_slice(p));
    println!("{}", data[0]);
}
