//! Writes a checkpoint of objects of several types to the directory that it is given.

use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    at: [f32; 2],
    number: u64,
}

#[symmetric]
static HALO: [f64; 16] = [0.0; 16];

#[symmetric]
static STEP: u64 = 0;

#[symmetric]
static TURN: Lock = Lock::new();

#[symmetric]
static BODIES: [Body; 2] = [Body { at: [0.0; 2], number: 0 }; 2];

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let directory = std::env::args().nth(1).expect("a directory");
    let me = world.my_pe();
    let grid = world.zeros::<i32, 2>([3, 5])?;
    let line = world.global_array::<f32, 1>([30], Distribution::Cyclic)?;
    for step in 1..=2 {
        local!(STEP) = step;
        for i in 0..16 {
            local!(HALO[i]) = me as f64 + i as f64 / 16.0;
        }
        for i in 0..15 {
            local!(grid[i / 5, i % 5]) = (i * 10 + me) as i32 - 70;
        }
        world.local_phase(|phase| {
            for (i, x) in line.mine_mut(phase) {
                *x = i as f32 / 2.0;
            }
        });
        local!(BODIES[1]) = Body { at: [1.0, 2.0], number: me as u64 };
        world.checkpoint(&directory)?;
    }
    Ok(())
}
