//! A test whose job a PE ends on purpose: what the harness makes of it.

use shmem::prelude::*;

#[shmem::test(npes = 3)]
fn success_has_passed(world: &World) {
    if world.my_pe() == 1 {
        world.global_exit(0);
    }
    // PE 1 never comes.
    world.barrier_all();
    unreachable!("PE 1 is gone");
}

#[shmem::test(npes = 3)]
#[should_panic(expected = "PE 1 of 3 ended the job with status 3, by global_exit")]
fn another_status_has_failed(world: &World) {
    if world.my_pe() == 1 {
        world.global_exit(3);
    }
    world.barrier_all();
}
