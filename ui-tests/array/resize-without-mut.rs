use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let line = world.zeros::<f64, 1>([8]).unwrap();
    line.resize([16], 0.0).unwrap();
}
