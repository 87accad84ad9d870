//! Slices of this PE's own copies.

use shmem::prelude::*;

// ANCHOR: all
#[symmetric]
static KEYS: [u32; 8] = [0; 8];

fn sort_on_all(world: &World) {
    let me = world.my_pe();
    let right = (me + 1) % world.n_pes();
    remote!(KEYS[right, ..] = [50, 20, 80, 70, 10, 40, 60, 30]);

    let largest = world.local_phase(|p| {
        let mut keys = KEYS.as_mut_slice(p); // derefs to &mut [u32]
        keys.sort(); // what was put is there
        keys[7]
    });

    if me == 0 {
        println!("on PE {right}: {:?}", remote!(KEYS[right, ..]));
        println!("largest: {largest}");
    }
}
// ANCHOR_END: all

#[symmetric]
static GRID: [[f64; 4]; 3] = [[1.0; 4]; 3];

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    sort_on_all(world);
    let sums = world.zeros::<f64, 1>([4])?;
    column_sums(world, &sums);
    assert_eq!(local!(sums[..]), [3.0; 4]);
    in_threads(world);
    assert_eq!(local!(KEYS[..]), [10, 20, 30, 40, 50, 60, 70, 80]);
    Ok(())
}

// ANCHOR: several
fn column_sums(world: &World, sums: &SymmetricArray<f64, 1>) {
    world.local_phase(|p| {
        let grid = GRID.as_array(p); // derefs to [[f64; 4]; 3]
        let mut sums = sums.as_mut_slice(p);
        for (column, sum) in sums.iter_mut().enumerate() {
            *sum = grid.iter().map(|row| row[column]).sum();
        }
    });
}
// ANCHOR_END: several

// ANCHOR: threads
fn in_threads(world: &World) {
    world.local_phase(|p| {
        let mut keys = KEYS.as_mut_slice(p);
        std::thread::scope(|scope| {
            for chunk in keys.chunks_mut(4) {
                scope.spawn(move || chunk.sort());
            }
        });
    });
}
// ANCHOR_END: threads
