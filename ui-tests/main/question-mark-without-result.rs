use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    let grid = world.symmetric_array::<f64, 1>([8], 0.0)?;
}
