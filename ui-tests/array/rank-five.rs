use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let array = world.symmetric_array::<f64, 5>([2; 5], 0.0);
}
