//! Contexts, non-blocking operations, addresses, and what is counted.

use std::sync::atomic::{AtomicU64, Ordering};

use shmem::context::{Private, Shared};
use shmem::prelude::*;

// ANCHOR: statics
#[symmetric]
static INBOX: [u32; 4] = [0; 4];
#[symmetric]
static HALO: [[f64; 8]; 2] = [[0.0; 8]; 2];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);
// ANCHOR_END: statics

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + n - 1) % n, (me + 1) % n);

    // ANCHOR: context
    let rest = me as u64 % 2;
    let team = world.team().split_by_color(Some(rest), 0)?;
    let team = team.expect("every PE gave a colour");
    let ctx = team.context(Private)?;

    let next = (team.my_pe() + 1) % team.n_pes();
    remote!(ctx; INBOX[next, 1..3]) = [7, 8]; // PE `next` of the team
    ctx.fence(); // orders what was issued on this context
    remote!(ctx; INBOX[next, 3]) = 9;
    ctx.quiet(); // completes it
    // ANCHOR_END: context
    team.barrier();
    assert_eq!(local!(INBOX[..]), [0, 7, 8, 9]);

    // ANCHOR: threads
    let ctx = world.team().context(Shared)?;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| remote!(ctx; COUNT[0] += 1));
        }
    });
    // ANCHOR_END: threads
    world.barrier_all();
    assert_eq!(remote!(COUNT[0]), 2 * n as u64);
    world.barrier_all();

    // ANCHOR: nbi
    let mine = [me as f64; 8];
    let mut before = 0;
    world.nbi(|s| {
        s.put(remote!(&HALO[left, 1, ..]), &mine);
        s.put(remote!(&HALO[right, 0, ..]), &mine);
        s.fetch_add(remote!(&COUNT[0]), 1, &mut before);
    }); // all of it is complete here, and `mine` and `before` can be used again
    // ANCHOR_END: nbi
    world.barrier_all();
    assert!((2 * n as u64..3 * n as u64).contains(&before));
    assert_eq!(local!(HALO[.., 0]), [left as f64, right as f64]);

    // ANCHOR: address
    if let Some(count) = remote!(&COUNT[0]).as_ptr() {
        // SAFETY: the static is never freed, and all access to it is atomic.
        let count = unsafe { AtomicU64::from_ptr(count) };
        count.fetch_add(1, Ordering::AcqRel);
    } else {
        remote!(COUNT[0]) += 1; // out of reach for loads and stores
    }
    // ANCHOR_END: address
    world.barrier_all();
    assert_eq!(remote!(COUNT[0]), 4 * n as u64);
    Ok(())
}
