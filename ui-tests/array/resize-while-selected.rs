use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let mut line = world.zeros::<f64, 1>([8]).unwrap();
    let first = remote!(&line[0, 0]);
    line.resize([16], 0.0).unwrap();
    first.put(1.0);
}
