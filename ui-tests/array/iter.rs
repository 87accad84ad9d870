use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) {
    let array = world.zeros::<f64, 1>([8]).unwrap();
    for value in array.iter() {
        println!("{value}");
    }
}
