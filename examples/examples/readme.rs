//! The program of the README, which shows the language. It checks its results.
//!
//! ```text
//! cargo run --release --example readme
//! ```

use shmem::prelude::*;

#[symmetric]
static HALO: [f64; 1024] = [0.0; 1024];
#[symmetric]
static ARRIVED: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let right = (world.my_pe() + 1) % world.n_pes();

    remote!(HALO[right, 0..16;2]) = [1.0; 8]; // iput, length checked by the type
    remote!(ARRIVED[right]) += 1; // atomic add
    world.barrier_all();

    let got: [f64; 8] = remote!(HALO[right, 0..16;2]); // iget
    let column = remote!(&HALO[right, 4..12]); // a remote reference: nothing moves yet
    let sum: f64 = collective!(sum got[0]); // all-reduce of one value

    assert_eq!(got, [1.0; 8]);
    assert_eq!(column.get(), [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    assert_eq!(sum, world.n_pes() as f64);
    assert_eq!(local!(ARRIVED), 1);
    Ok(())
}
