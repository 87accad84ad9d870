//! The right column of the tables for those who come from C or from shmem4py.

use shmem::SignalOp;
use shmem::context::Private;
use shmem::prelude::*;

// ANCHOR: all
#[symmetric]
static SUM: i64 = 0;
#[symmetric]
static C: Atomic<i64> = Atomic::new(0);
#[symmetric]
static M: [Atomic<i64>; 4] = [Atomic::new(1); 4];
#[symmetric]
static S: Atomic<u64> = Atomic::new(0);
#[symmetric]
static LOCK: Lock = Lock::new();

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let pe = (me + 1) % npes;
    let (n, i, j) = (20, 2, 1);
    let (rows, cols) = (3, 4);
    let (v, src) = (1.5, [1.0, 2.0, 3.0, 4.0]);
    let mut dst = [0.0; 8];

    let a = world.zeros::<f64, 1>([n])?;
    let g = world.zeros::<f64, 2>([rows, cols])?;
    let mut b = world.symmetric_array::<f64, 1>([n], 0.5)?;
    let pair = world.array_from_slice(&[1.0, 2.0])?;
    let page = world.allocate().align(4096).zeros::<f64, 1>([n])?;

    remote!(SUM[pe]) = 5;
    remote!(a[pe, i]) = v;
    remote!(a[pe, 3..7]) = src;
    world.fence();
    remote!(a[pe, 1..17;2]) = [v; 8];
    remote!(g[pe, .., j]) = v;
    world.fence();
    remote!(g[pe, 0..2, 0..2]) = [[0.0; 2]; 2];
    world.quiet();
    world.barrier_all();
    let x = remote!(a[pe, i]);
    let part = remote!(a[pe, 3..7]);
    world.nbi(|s| s.get(remote!(&a[pe, 0..8]), &mut dst));
    remote!(a[pe, 1..17;2] => &mut dst);
    let column = remote!(g[pe, .., j]);

    remote!(C[pe]) += 1;
    remote!(C[pe]) |= 4;
    world.fence();
    remote!(C[pe]) = 7;
    let was = remote!(&C[pe]).fetch_add(1);
    let was_before = remote!(&C[pe]).swap(9);
    let found = remote!(&C[pe]).compare_exchange(9, 1);
    let now = remote!(C[pe]);

    wait!(C >= 1);
    let ready = poll!(C != 0);
    let first = wait!(any M[..] != 0);
    remote!(&b[pe, 0..4]).put_signal(src, remote!(&S[pe]), SignalOp::Add(1));
    wait!(S == 1);
    world.fence();
    remote!(b[pe, 0..4]) = src;
    world.barrier_all();
    let guard = LOCK.lock();
    drop(guard);
    let had = LOCK.try_lock().is_some();

    let total = collective!(sum v);
    collective!(b[..] = exscan a[..]);
    let even = world.team().split_strided(0, 2, npes.div_ceil(2))?;
    if let Some(team) = even {
        assert_eq!(team.my_pe() * 2, me);
        assert_eq!(team.n_pes(), npes.div_ceil(2));
        assert_eq!(team.world_pe(0), 0);
        team.sync();
        collective!(b[..] = max a[..]; on team);
        collective!(b[0..4] = broadcast a[0..4] from 0; on team);
        team.barrier();
        {
            let ctx = team.context(Private)?;
            remote!(ctx; a[0, me]) = v; // on PE 0 of the team
            ctx.quiet();
        }
        drop(team);
    }
    let address = remote!(&a[pe, ..]).as_ptr();
    world.sync_all();
    world.barrier_all();

    b.resize([2 * n], 0.0)?;
    g.free()?;
    // ANCHOR_END: all
    assert_eq!(
        (x, part[0], dst, column),
        (1.5, 1.5, [1.5; 8], vec![0.0, 0.0, 1.5])
    );
    let direct = std::env::var_os("SHMEM_DIRECT").is_none_or(|v| v != "0")
        && std::env::var_os("SHMEM_RACES").is_none();
    assert_eq!(address.is_some(), direct);
    assert!(ready && first.is_some());
    assert!(had || npes > 1); // another PE may have the lock
    assert_eq!((pair.len(), page.len()), (2, n));
    assert_eq!((was, was_before, found, now), (7, 8, Ok(9), 1));
    assert_eq!(total, v * npes as f64);
    assert_eq!(local!(SUM), 5);
    Ok(())
}
