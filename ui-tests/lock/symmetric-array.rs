use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    let _ = world.symmetric_array::<Lock, 1>([4], Lock::new());
}
