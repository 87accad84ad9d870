//! The right columns of the tables for those who come from Chapel and UPC++.

use shmem::SignalOp;
use shmem::prelude::*;

// ANCHOR: all
#[symmetric]
static X: f64 = 0.0;
#[symmetric]
static HITS: Atomic<i64> = Atomic::new(0);
#[symmetric]
static S: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let pe = (me + 1) % npes;
    let (n, v, src) = (40, 1.5, [1.0, 2.0, 3.0, 4.0]);
    let list = vec![3, 1, 3];
    let mut dst = [0.0; 4];

    let a = world.global_array::<f64, 1>([n], Distribution::Block)?;
    let c = world.global_array::<f64, 1>([n], Distribution::Cyclic)?;
    let g = world.global_array::<f64, 2>([n, n], Distribution::Block2d)?;
    if me == 0 {
        remote!(a[@3]) = v;
        remote!(a[@8..12]) = src;
    }
    world.barrier_all();
    let x = remote!(a[@3]);
    let some = remote!(a[@list]);
    world.local_phase(|p| {
        for (i, x) in c.mine_mut(p) {
            *x = i as f64;
        }
    });
    let total = c.sum();
    let most = c.maxloc();
    c.assign_from(&a);
    let here = (a.owner(3) == me, world.node_team().n_pes());

    let b = world.zeros::<f64, 1>([n])?;
    remote!(X[pe]) = v;
    remote!(b[pe, 3..7]) = src;
    world.quiet();
    world.barrier_all();
    let y = remote!(b[pe, 3]);
    world.nbi(|s| s.get(remote!(&b[pe, 3..7]), &mut dst));
    remote!(&b[pe, 0..4]).put_signal(src, remote!(&S[pe]), SignalOp::Add(1));
    wait!(S >= 1);
    remote!(HITS[pe]) += 1;
    let old = remote!(&HITS[pe]).fetch_add(1);
    let sum = collective!(sum v);
    let word = collective!(broadcast v from 0);
    let half = world.team().split_by_color(Some((me % 2) as u64), 0)?;
    let _address = remote!(&b[pe, ..]).as_ptr();
    // ANCHOR_END: all
    assert_eq!((x, some, y), (1.5, vec![1.5, 0.0, 1.5], 1.0));
    assert_eq!((total, most), (780.0, Some((39.0, 39))));
    assert_eq!((dst, old), (src, 1));
    assert_eq!((sum, word), (v * npes as f64, v));
    assert!(half.is_some() && g.len() == 1600 && here.1 <= npes);
    Ok(())
}
