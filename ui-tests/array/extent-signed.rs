use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let n: i32 = 8;
    let array = world.symmetric_array::<f64, 1>([n], 0.0);
}
