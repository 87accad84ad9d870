use shmem::Halo;
use shmem::prelude::*;

#[symmetric(block, halo = Halo::fixed(1))]
static COUNTS: [Atomic<u64>; 100] = [Atomic::new(0); 100];
#[symmetric(block, halo = [1, 1])]
static WIDTHS: [f64; 100] = [0.0; 100];
#[symmetric(block, halo = Halo::fixed(1))]
static ROD: [f64; 100] = [0.0; 100];
#[symmetric(block)]
static LINE: [f64; 100] = [0.0; 100];

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    LINE.refresh();
    let _ = world.local_phase(|p| ROD.as_slice(p).len());
    let _ = world.halo_array::<f64, 3>([4, 4, 4], Distribution::Block, Halo::fixed(1))?;
    Ok(())
}
