use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let mut line = world.zeros::<f64, 1>([8]).unwrap();
    line.resize([8, 8], 0.0).unwrap();
}
