use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    let array = world.symmetric_array::<f64, 1>([8], 0.0).unwrap();
    let _ = remote!(array[0, 1, 2]);
}
