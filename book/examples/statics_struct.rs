//! A symmetric array in a struct, and several in a vector.

use shmem::prelude::*;

// ANCHOR: all
struct Field {
    cells: SymmetricArray<f64, 2>,
}

impl Field {
    #[shmem::kernel]
    fn set_edge(&self, pe: usize, value: f64) {
        remote!(self.cells[pe, 0, ..]) = value;
    }
}

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let right = (world.my_pe() + 1) % world.n_pes();
    let field = Field { cells: world.symmetric_array([3, 4], 0.0)? };
    field.set_edge(right, 1.5);

    let mut levels = Vec::new();
    for level in 0..3 {
        levels.push(world.symmetric_array::<u32, 1>([1 << level], level)?);
    }
    remote!((levels[2])[right, 3]) = 9; // not a path: in parentheses
    world.barrier_all();

    assert_eq!(local!(field.cells[0, ..]), [1.5; 4]);
    assert_eq!(local!((levels[2])[..]), [2, 2, 2, 9]);
    Ok(())
}
// ANCHOR_END: all
