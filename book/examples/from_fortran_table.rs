//! The right column of the table for those who come from Coarray Fortran.

use shmem::prelude::*;

// ANCHOR: all
#[symmetric]
static A: [f64; 20] = [0.0; 20];
#[symmetric]
static G: [[f64; 3]; 4] = [[0.0; 3]; 4];
#[symmetric]
static C: Atomic<i64> = Atomic::new(0);
#[symmetric]
static READY: Event = Event::new();
#[symmetric]
static GATE: Lock = Lock::new();

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let pe = (me + 1) % npes;
    let (left, right) = ((me + npes - 1) % npes, pe);
    let (n, j, v, src) = (20, 1, 1.5, [1.0, 2.0, 3.0, 4.0]);
    let list = [2, 8, 18];

    let b = world.zeros::<f64, 1>([n])?;
    local!(A[..]) = 7.0;
    world.barrier_all();
    remote!(A[pe, 2]) = v;
    remote!(A[pe, 3..7]) = src;
    remote!(G[pe, j, ..]) = v;
    world.quiet();
    let x = remote!(A[pe, 2]);
    let half = remote!(A[pe, 0..16;2]);
    let some = remote!(A[pe, @list]);
    let column = remote!(G[pe, j, ..]);
    world.barrier_with(&[left, right]);

    remote!(&READY[pe]).post();
    local!(&READY).wait();

    remote!(C[pe]) += 1;
    let old = remote!(&C[pe]).fetch_add(1);
    remote!(&C[pe]).compare_exchange(9, 1).unwrap_or_default();
    let now = remote!(C[pe]);
    let guard = GATE.lock();
    drop(guard);

    let total = collective!(sum v);
    let most = collective!(max me);
    let word = collective!(broadcast v from 0);
    let product = collective!(reduce v with |a: f64, b: f64| a * b);
    let half_team = world.team().split_by_color(Some((me % 2) as u64), 0)?;
    if let Some(team) = half_team {
        team.barrier();
        assert!(collective!(max me; on team) < npes);
    }
    if total < 0.0 {
        world.global_exit(3);
    }
    // ANCHOR_END: all
    assert_eq!((x, half[1], half[2]), (1.5, 1.5, 2.0));
    assert_eq!((some[0], column), (1.5, [1.5; 3]));
    assert_eq!((old, now, b.len()), (1, 2, 20));
    assert_eq!((total, most, word), (v * npes as f64, npes - 1, v));
    assert_eq!(product, v.powi(npes as i32));
    Ok(())
}
