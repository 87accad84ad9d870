use shmem::prelude::*;

#[symmetric]
static LOCKS: PerPe<Lock> = PerPe::new(Lock::new());

#[shmem::main]
fn main(world: &World) {
    let _ = remote!(&LOCKS[0, world.my_pe()]);
}
