use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let counts = world.symmetric_array::<u64, 1>([8], 0).unwrap();
    remote!(counts[0, 3] += 1);
}
