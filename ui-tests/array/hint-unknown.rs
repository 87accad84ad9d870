use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let cells = world.allocate().hint(shmem::Hint::Atomic).zeros::<Atomic<u64>, 1>([8]);
}
