//! The programs that are traced.

use std::thread;
use std::time::Duration;

use shmem::prelude::*;

use crate::harness::{Program, say};

pub(crate) const PROGRAMS: &[Program] = &[
    ("known", known),
    ("handshakes", handshakes),
    ("moves", moves),
    ("many", many),
    ("parts", parts),
    ("threads", threads),
    ("falls", falls),
    ("falls-in-a-phase", falls_in_a_phase),
    ("hangs", hangs),
];

#[symmetric]
static A: [u64; 16] = [0; 16];
#[symmetric]
static GRID: [[u16; 8]; 4] = [[0; 8]; 4];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);
#[symmetric]
static FLAG: Atomic<u64> = Atomic::new(0);
#[symmetric]
static BACK: Atomic<u32> = Atomic::new(0);

/// How often `known` puts in its loop.
pub(crate) const LOOP: u64 = 1000;

/// Each kind of thing once.
#[shmem::main]
fn known(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n;
    remote!(A[right, 0..4]) = [1; 4];
    remote!(A[right, 0..8;2]) = [2; 4];
    let _ = remote!(A[right, 4..9]);
    remote!(COUNT[right]) += 1;
    world.fence();
    world.barrier_all();
    world.local_phase(|p| A.as_mut_slice(p)[15] = 1);
    let array = world.zeros::<u64, 2>([3, 5])?;
    remote!(array[right, 2, 1]) = 3;
    for i in 0..LOOP {
        remote!(A[right, i as usize % 8]) = i;
    }
    world.quiet();
    assert_eq!(collective!(sum 1), n);
    Ok(())
}

/// How many turns `handshakes` has.
pub(crate) const TURNS: u64 = 5;

/// Each PE sends data with a signal to the right, which sets it back and answers, so that a flag has
/// the same value in every turn.
#[shmem::main]
fn handshakes(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (right, left) = ((me + 1) % n, (me + n - 1) % n);
    for turn in 0..TURNS {
        // Some waits find what they wait for, and some last.
        if (turn + me as u64).is_multiple_of(2) {
            thread::sleep(Duration::from_millis(2));
        }
        remote!(&A[right, 8..10]).put_signal([turn, turn], remote!(&FLAG[right]), SignalOp::Set(1));
        wait!(FLAG == 1);
        assert_eq!(local!(A[8..10]), [turn, turn]);
        local!(FLAG) = 0;
        remote!(BACK[left]) += 1;
        wait!(BACK >= turn as u32 + 1);
    }
}

/// Moves something in every way, and waits for no cell: the looks of a wait are as many as it takes.
#[shmem::main]
fn moves(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    for to in 0..n {
        remote!(A[to, 0..me + 1]) = &vec![1; me + 1];
        remote!(GRID[to, 0..3, 0..8;2]) = [[1; 4]; 3];
        let _ = remote!(A[to, 0..6;3]);
        for _ in 0..to {
            remote!(COUNT[to]) += 1;
        }
    }
    let source = world.zeros::<u64, 1>([5000])?;
    let all = world.zeros::<u64, 1>([5000 * n])?;
    collective!(all[..] = fcollect source[..]);
    collective!(all[0..5000] = sum source[..]);
    let _ = local!(A[3]);
    world.nbi(|s| s.put(remote!(&A[0, 15]), &1));
    Ok(())
}

/// How many times `many` puts and gets.
pub(crate) const MANY: u64 = 3000;

/// Puts and gets in turns, which are not joined, and then many that are, and calls.
#[shmem::main]
fn many(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    for i in 0..MANY {
        remote!(A[right, 1]) = i;
        let _ = remote!(A[right, 2]);
    }
    for _ in 0..1200 {
        world.sync_all();
    }
}

/// A part of what it does is to be seen.
#[shmem::main]
fn parts(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    world.pcontrol(0);
    remote!(A[right, 0]) = 1;
    world.barrier_all();
    world.pcontrol(1);
    remote!(A[right, 0..3]) = [1; 3];
    world.sync_all();
    world.pcontrol(0);
    remote!(A[right, 5]) = 1;
}

/// Two threads of each PE put at the same time.
#[shmem::main]
fn threads(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    let put = |at: usize| (0..50).for_each(|i| remote!(A[right, at] = i));
    thread::scope(|scope| {
        scope.spawn(|| put(0));
        put(8);
    });
}

/// The last PE aborts after some puts.
#[shmem::main]
fn falls(world: &World) {
    let last = world.n_pes() - 1;
    if world.my_pe() == last {
        for i in 0..7 {
            remote!(A[0, i]) = 1;
        }
        std::process::abort();
    }
    world.barrier_all();
}

/// The last PE aborts when all have begun a local phase.
#[shmem::main]
fn falls_in_a_phase(world: &World) {
    let last = world.n_pes() - 1;
    world.local_phase(|_| {
        if world.my_pe() == last {
            std::process::abort();
        }
    });
}

/// Never ends.
#[shmem::main]
fn hangs(world: &World) {
    if world.my_pe() == 0 {
        remote!(A[1, 0..2]) = [1; 2];
        world.fence();
        say("hanging");
        loop {
            thread::sleep(Duration::from_secs(1));
        }
    }
    world.barrier_all();
}
