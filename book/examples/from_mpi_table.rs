//! The last column of the tables for those who come from MPI.

use shmem::SignalOp;
use shmem::prelude::*;

// ANCHOR: all
#[symmetric]
static C: Atomic<i64> = Atomic::new(0);
#[symmetric]
static S: Atomic<u64> = Atomic::new(0);
#[symmetric]
static LOCK: Lock = Lock::new();

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let pe = (me + 1) % npes;
    let (n, cols) = (20, 2);
    let (v, src) = (1.5, [1.0, 2.0, 3.0, 4.0]);
    let mut dst = [0.0; 8];
    let mine = vec![v; me];
    let counts = vec![1; npes];
    let (color, key) = ((me % 2) as u64, 0);
    let pes: Vec<usize> = (0..npes).rev().collect();

    let a = world.zeros::<f64, 1>([n])?;
    let b = world.zeros::<f64, 1>([n])?;
    let g = world.zeros::<f64, 2>([4, 4])?;
    let out = world.array_from_fn([npes], |[to]| (10 * me + to) as f64)?;
    let all = world.zeros::<f64, 1>([npes])?;
    let sums = world.zeros::<f64, 1>([1])?;

    remote!(a[pe, 3..7]) = src;
    remote!(a[pe, 8..20;3]) = [v; 4];
    remote!(g[pe, 0..2, 0..2]) = [[v; 2]; 2];
    world.pe_quiet(&[pe]);
    world.quiet();
    world.barrier_all();
    let part = remote!(a[pe, 3..7]);
    world.nbi(|s| s.get(remote!(&a[pe, 0..8]), &mut dst));
    let address = remote!(&a[pe, ..]).as_ptr();
    let corner = remote!(g[pe, 0..2, 0..2]);
    let top = world.local_phase(|p| a.as_slice(p)[3]);

    remote!(C[pe]) += 1;
    let was = remote!(&C[pe]).fetch_add(1);
    let found = remote!(&C[pe]).compare_exchange(2, 9);
    let was_before = remote!(&C[pe]).swap(9);
    let now = remote!(C[pe]);
    let guard = LOCK.lock();
    drop(guard);

    remote!(&b[pe, 0..4]).put_signal(src, remote!(&S[pe]), SignalOp::Add(1));
    let there = poll!(S >= 1);
    wait!(S >= 1);

    world.sync_all();
    let total = collective!(sum v);
    collective!(b[..] = max a[..]);
    let word = collective!(broadcast v from 0);
    collective!(b[0..4] = broadcast a[3..7] from 0);
    collective!(all[..] = fcollect out[0..1]);
    let listed = collective!(collect mine.as_slice());
    let on_one = collective!(sum v to 0);
    collective!(all[..] = gather out[0..1] to 0);
    collective!(sums[..] = scatter all[..] from 0);
    collective!(all[..] = alltoall out[..]);
    let team = world.team();
    let got = team.alltoallv(local!(&all[..]), local!(&out[..]), &counts);
    collective!(sums[..] = reduce_scatter sum out[..]);
    let so_far = collective!(scan v);
    let before = collective!(exscan v);

    let half = world.team().split_by_color(Some(color), key)?;
    let back = world.team().split_list(&pes)?;
    let (row, column) = world.team().split_2d(cols)?;
    let host = world.node_team();
    if let Some(team) = half {
        collective!(b[8..] = min a[8..]; on team);
        assert_eq!(team.world_pe(team.my_pe()), me);
        drop(team);
    }
    g.free()?;
    // ANCHOR_END: all
    assert_eq!(on_one, (me == 0).then_some(total));
    assert_eq!((part, dst[3], top), (src, 1.0, 1.0));
    assert_eq!(corner, [[v; 2]; 2]);
    let direct = std::env::var_os("SHMEM_DIRECT").is_none_or(|v| v != "0")
        && std::env::var_os("SHMEM_RACES").is_none();
    assert_eq!(address.is_some(), direct);
    assert_eq!((was, found, was_before, now), (1, Ok(2), 9, 9));
    let _ = there; // the message may be there by now, or may not
    assert_eq!(local!(b[0..4]), src);
    assert_eq!((total, word), (v * npes as f64, v));
    assert_eq!((before, so_far), (v * me as f64, v * (me + 1) as f64));
    assert_eq!(listed.len(), npes * (npes - 1) / 2);
    assert_eq!((got, local!(all[npes - 1])), (counts, out_of(npes - 1, me)));
    let part = (0..npes).map(|pe| out_of(pe, me)).sum::<f64>();
    assert_eq!(local!(sums[0]), part);
    assert_eq!((row.my_pe(), column.my_pe()), (me % cols, me / cols));
    assert_eq!(back.map(|team| team.my_pe()), Some(npes - 1 - me));
    assert!(host.n_pes() <= npes);
    Ok(())
}

/// What PE `from` sends to PE `to`.
fn out_of(from: usize, to: usize) -> f64 {
    (10 * from + to) as f64
}
