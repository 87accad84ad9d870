//! Every PE prints a greeting, and puts its number to PE 0.
//!
//! ```text
//! cargo run --release --example hello
//! SHMEM_NPES=7 cargo run --release --example hello
//! ```
//!
//! A PE ("processing element") is one of the processes of the job. All of them run the same `main`,
//! each with its own number. The lines appear in any order, because the PEs run at the same time.

use shmem::prelude::*;

/// Every PE has a copy of a symmetric static, and every PE can access every copy. This one has a
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

    // Write to my slot of the copy on PE 0, and count there. PE 0 takes no part in either
    // operation.
    remote!(GUESTS[0, me]) = me + 1;
    remote!(HELLOS[0]) += 1;

    // Wait for all PEs. After the barrier, everything that was written before it has arrived.
    world.barrier_all();

    if me == 0 {
        let guests = local!(GUESTS[..]);
        assert_eq!(guests, (1..=n_pes).collect::<Vec<_>>(), "every PE left its number, plus 1");
        assert_eq!(local!(HELLOS), n_pes, "every PE said hello once");
        println!("PE 0 heard from everybody: {n_pes} of {n_pes}");
    }
}
