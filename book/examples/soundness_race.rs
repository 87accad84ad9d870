//! A race, and the same with atomic cells.

use shmem::prelude::*;

// ANCHOR: all
#[symmetric]
static PLAIN: u64 = 0;
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    for _ in 0..10_000 {
        // A race: all PEs read, then all PEs write.
        let seen = remote!(PLAIN[0]);
        remote!(PLAIN[0]) = seen + 1;
        // Not a race: the addition is one operation.
        remote!(COUNT[0]) += 1;
    }
    world.barrier_all();

    if world.my_pe() == 0 {
        assert_eq!(local!(COUNT), 10_000 * world.n_pes() as u64);
        println!("COUNT is {}", local!(COUNT));
        if std::env::args().any(|argument| argument == "plain") {
            println!("PLAIN is {}", local!(PLAIN));
        }
    }
}
// ANCHOR_END: all
