use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let grids = vec![world.symmetric_array::<f64, 1>([8], 0.0).unwrap()];
    remote!(grids[0][0, 3]);
}
