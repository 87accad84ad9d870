//! The program of the README.

use shmem::prelude::*;

#[symmetric]
static HALO: [f64; 1024] = [0.0; 1024];
#[symmetric]
static ARRIVED: Atomic<u64> = Atomic::new(0);
#[symmetric]
static GRID: [[f64; 8]; 4] = [[1.5; 8]; 4];
#[symmetric]
static SLOTS: PerPe<[u32; 2]> = PerPe::new([7, 9]);

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    pos: [f64; 3],
    mass: f64,
}
#[symmetric]
static BODIES: [Body; 4] = [Body { pos: [1.0, 2.0, 3.0], mass: 4.0 }; 4];

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
    assert_eq!(sum, world.n_pes() as f64);
    assert_eq!(column.get(), [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    assert_eq!(local!(ARRIVED), 1);
    remote!(GRID[right, 1..3, 2]) = [8.0, 9.0];
    remote!(SLOTS[right, world.my_pe(), 1]) = 3;
    let i = 2;
    remote!(BODIES[right, i].mass) = 5.0;
    world.barrier_all();
    assert_eq!(local!(GRID[.., 2]), [1.5, 8.0, 9.0, 1.5]);
    let m: [f64; 4] = local!(BODIES[..].mass);
    assert_eq!(m, [4.0, 4.0, 5.0, 4.0]);
    let arr = world.symmetric_array::<f64, 2>([4, 5], 2.5)?;
    let v: Vec<f64> = remote!(arr[right, 1..i, ..]);
    println!("{v:?} {:?}", remote!(SLOTS[right, .., 0]));
    let e = std::env::args().nth(1);
    if e.as_deref() == Some("oob") {
        let k = 2000;
        remote!(HALO[right, k]) = 1.0;
    }
    if e.as_deref() == Some("pe") {
        remote!(HALO[right + 10, 3]) = 1.0;
    }
    if e.as_deref() == Some("heap") {
        world.symmetric_array::<f64, 2>([1 << 20, 1 << 20], 2.5)?;
    }
    if e.as_deref() == Some("mem") {
        world.symmetric_array::<f64, 2>([1 << 28, 1], 2.5)?;
    }
    if e.as_deref() == Some("dis") {
        world.symmetric_array::<f64, 1>([1 << world.my_pe()], 2.5)?;
    }
    Ok(())
}
