use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let line = world.array_from_fn::<u32, 1>([4], |[i]| i);
}
