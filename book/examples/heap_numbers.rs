//! Elements of other crates, and their views.

// ANCHOR: all
use half::f16;
use num_complex::Complex;
use shmem::prelude::*;

#[symmetric]
static SPECTRUM: [Complex<f64>; 4] = [Complex::new(0.0, 1.0); 4];
#[symmetric]
static GRID: [[f64; 3]; 2] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let right = (world.my_pe() + 1) % world.n_pes();

    let i = remote!(SPECTRUM[right, 2]); // feature num-complex
    assert_eq!(i * i, Complex::new(-1.0, 0.0));

    let weights = world.ones::<f16, 1>([4])?; // feature half
    assert_eq!(collective!(max local!(weights[3])), f16::ONE);

    world.local_phase(|p| {
        let grid = GRID.as_ndarray(p); // feature ndarray
        assert_eq!(grid.view().column(1).sum(), 7.0);
    });
    Ok(())
}
// ANCHOR_END: all
