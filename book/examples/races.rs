//! Programs that race, and their repairs.

use shmem::prelude::*;

#[symmetric]
static HALO: [f64; 16] = [0.0; 16];
#[symmetric]
static FLAG: Atomic<u64> = Atomic::new(0);
#[symmetric]
static SEEN: Atomic<u64> = Atomic::new(0);
#[symmetric]
static SUM: [f64; 4] = [0.0; 4];

#[shmem::main(npes = 2)]
fn main(world: &World) {
    let (me, right) = (world.my_pe(), (world.my_pe() + 1) % world.n_pes());
    match std::env::args().nth(1).as_deref() {
        // ANCHOR: quiet
        Some("quiet") => {
            if me == 0 {
                remote!(HALO[1, 0..16;2]) = [1.0; 8];
            }
            world.sync_all();
            if me == 1 {
                println!("{}", local!(HALO[4]));
            }
        }
        // ANCHOR_END: quiet
        // ANCHOR: no-quiet
        Some("no-quiet") => {
            if me == 0 {
                remote!(HALO[1, 0..16;2]) = [1.0; 8];
            }
            world.barrier_all();
            if me == 1 {
                println!("{}", local!(HALO[4]));
            }
        }
        // ANCHOR_END: no-quiet
        // ANCHOR: fence
        Some("fence") if me == 0 => {
            remote!(HALO[1, ..]) = 2.0;
            remote!(FLAG[1]) = 1;
        }
        Some("fence") => {
            wait!(FLAG == 1);
            println!("{}", local!(HALO[4]));
        }
        // ANCHOR_END: fence
        // ANCHOR: no-fence
        Some("no-fence") if me == 0 => {
            remote!(HALO[1, ..]) = 2.0;
            world.fence();
            remote!(FLAG[1]) = 1;
        }
        // ANCHOR_END: no-fence
        Some("no-fence") => {
            wait!(FLAG == 1);
            println!("{}", local!(HALO[4]));
        }
        // ANCHOR: own
        Some("own") if me == 0 => {
            remote!(HALO[1, 0..4]) = [1.0; 4];
            remote!(HALO[1, 0]) = 2.0;
        }
        // ANCHOR_END: own
        // ANCHOR: no-own
        Some("no-own") if me == 0 => {
            remote!(HALO[1, 0..4]) = [1.0; 4];
            world.fence();
            remote!(HALO[1, 0]) = 2.0;
        }
        // ANCHOR_END: no-own
        // ANCHOR: read
        Some("read") if me == 0 => {
            remote!(HALO[1, 3]) = 1.0;
            println!("{}", remote!(HALO[1, 3]));
        }
        // ANCHOR_END: read
        // ANCHOR: no-read
        Some("no-read") if me == 0 => {
            remote!(HALO[1, 3]) = 1.0;
            world.quiet();
            println!("{}", remote!(HALO[1, 3]));
        }
        // ANCHOR_END: no-read
        // ANCHOR: result
        Some("result") => {
            collective!(SUM[..] = sum HALO[0..4]);
            println!("{}", remote!(SUM[right, 0]));
        }
        // ANCHOR_END: result
        // ANCHOR: no-result
        Some("no-result") => {
            for _ in 0..3 {
                collective!(SUM[..] = sum HALO[0..4]);
                println!("{}", local!(SUM[0]));
            }
        }
        // ANCHOR_END: no-result
        // ANCHOR: buffer
        Some("buffer") if me == 0 => {
            for round in 1..4 {
                remote!(HALO[1, ..]) = round as f64;
                world.fence();
                remote!(FLAG[1]) = round;
                wait!(SEEN >= round);
            }
        }
        Some("buffer") => {
            for round in 1..4 {
                wait!(FLAG >= round);
                println!("{}", local!(HALO[4]));
                remote!(SEEN[0]) = round;
            }
        }
        // ANCHOR_END: buffer
        _ => {}
    }
}
