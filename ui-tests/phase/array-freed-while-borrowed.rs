use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let array = world.symmetric_array::<u64, 1>([8], 0)?;
    world.local_phase(|p| {
        let mut slice = array.as_mut_slice(p);
        drop(array);
        slice[0] = 1;
    });
    Ok(())
}
