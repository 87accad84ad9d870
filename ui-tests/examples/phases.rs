//! What a local phase lets through: the refusals that are left to run time, too.

use shmem::prelude::*;

#[symmetric]
static DATA: [u64; 8] = [0; 8];
#[symmetric]
static GRID: [[f32; 4]; 2] = [[0.0; 4]; 2];

fn half(p: &Phase) -> f32 {
    GRID.as_slice(p).iter().sum::<f32>() / 2.0
}

fn written(p: &Phase, value: u64) {
    DATA.as_mut_slice(p).fill(value);
}

#[shmem::main(npes = 2)]
fn main(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    let sum = world.local_phase(|p: &Phase| {
        GRID.as_mut_array(p)[1] = [2.0; 4];
        written(p, 3);
        if world.n_pes() > 100 {
            // Compiles, and would end the job.
            let source = DATA.as_slice(p);
            remote!(DATA[right, { 0 }..] = &source[..]);
        }
        std::thread::scope(|scope| scope.spawn(|| half(p)).join().expect("it does not panic"))
    });
    assert_eq!((sum, remote!(DATA[right, 7])), (4.0, 3));
    let copy: [u64; 8] = world.local_phase(|p| *DATA.as_array(p));
    assert_eq!(copy, [3; 8]);
    world.barrier_all();
}
