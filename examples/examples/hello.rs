//! Every PE says hello, and leaves its number with PE 0.
//!
//! ```text
//! cargo run --release --example hello
//! SHMEM_NPES=7 cargo run --release --example hello
//! ```
//!
//! A PE ("processing element") is one of the processes of the job. All run this same `main`, each
//! with a number of its own. The lines come in any order: the PEs run at the same time.

use shmem::prelude::*;

/// Every PE has a copy of a symmetric static, and every PE can reach every copy. This one has a
/// slot for each PE.
#[symmetric]
static GUESTS: PerPe<usize> = PerPe::new(0);

/// A cell that many PEs may update at the same time.
#[symmetric]
static HELLOS: Atomic<usize> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    let me = world.my_pe();
    let n_pes = world.n_pes();
    println!("Hello from PE {me} of {n_pes}");

    // Write into my slot of the copy that PE 0 has, and count there. PE 0 takes no part in either.
    remote!(GUESTS[0, me]) = me + 1;
    remote!(HELLOS[0]) += 1;

    // Wait for everybody; behind the barrier everything that was written before it has arrived.
    world.barrier_all();

    if me == 0 {
        let guests = local!(GUESTS[..]);
        assert_eq!(guests, (1..=n_pes).collect::<Vec<_>>(), "every PE left its number, plus 1");
        assert_eq!(local!(HELLOS), n_pes, "every PE said hello once");
        println!("PE 0 heard from everybody: {n_pes} of {n_pes}");
    }
}
