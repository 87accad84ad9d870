//! A program whose PEs come to a local phase at different times.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use shmem::prelude::*;

/// Started with this argument, the binary is this program.
pub(crate) const PROGRAM: &str = "--late";
/// What the program prints.
pub(crate) const DONE: &str = "all has arrived\n";

const LEN: usize = 1 << 16;
#[symmetric]
static TABLE: [u64; LEN] = [0; LEN];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

/// PE 0, which has a second thread, waits in a phase; PE 1 puts to it, and enters the phase later.
#[shmem::main]
pub(crate) fn late(world: &World) {
    let (_end, until) = mpsc::channel::<()>();
    if world.my_pe() == 0 {
        thread::spawn(move || until.recv());
    }
    world.barrier_all();
    let source: Vec<u64> = (0..LEN as u64).collect();
    if world.my_pe() == 1 {
        // Enough for PE 0 to close its heap.
        thread::sleep(Duration::from_millis(200));
        remote!(TABLE[0, { 0 }..] = &source[..]);
        remote!(COUNT[0] += 3);
        assert_eq!(remote!(&COUNT[0]).fetch_add(4), 3);
        assert_eq!(remote!(TABLE[0, LEN - 1]), LEN as u64 - 1);
    }
    world.local_phase(|p| {
        if world.my_pe() == 0 {
            assert_eq!(TABLE.as_slice(p)[..], source[..]);
        }
    });
    if world.my_pe() == 0 {
        assert_eq!(local!(COUNT), 7);
        println!("{}", DONE.trim_end());
    }
}
