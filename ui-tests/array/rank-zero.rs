use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let array = world.symmetric_array::<f64, 0>([], 0.0);
}
