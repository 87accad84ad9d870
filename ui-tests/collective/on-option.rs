use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let odd = world.team().split_strided(1, 2, world.n_pes() / 2)?;
    collective!(barrier; on odd);
    Ok(())
}
