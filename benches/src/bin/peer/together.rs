//! The works that all PEs do together.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::yield_now;

use benches::loops::address;
use benches::time;
use benches::work::{Operation, Order, Way, Work};
use shmem::SignalOp;
use shmem::bench;
use shmem::prelude::*;
use shmem::reduction::Sum;
use shmem::select::OnOnePe;

use crate::places::{Places, TARGET};
use crate::{many, neighbours};

/// The words of a cache line.
pub(crate) const LINE: usize = 8;

/// A word on a cache line of its own, as every static is, which two PEs pass to each other.
#[symmetric]
static TURN: Atomic<u64> = Atomic::new(0);
/// The number of PEs that have come to the barrier.
#[symmetric]
static COUNTED: Atomic<u64> = Atomic::new(0);
/// The signal that a message has arrived.
#[symmetric]
static CAME: Atomic<u64> = Atomic::new(0);

/// Does a work in which all PEs take part; returns `None` on all of them if it does not exist in
/// this way. Collective.
pub(crate) fn perform(places: &Places<'_>, order: Order) -> Option<f64> {
    let Order { work: Work { operation, bytes, stride }, way, repeats } = order;
    let (world, n) = (places.world, bytes / 8);
    let n_pes = world.n_pes();
    let fits = match operation {
        Operation::PingPong => n <= places.parcel.len(),
        Operation::Fcollect | Operation::Alltoall | Operation::AlltoallToReady | Operation::Collect => {
            n * n_pes <= places.to.len()
        }
        _ => n <= places.to.len(),
    };
    let reached = !address(remote!(&TURN[0])).is_null();
    let strides = if operation == Operation::Signal { 1..n_pes } else { 1..2 };
    let whole = strides.contains(&stride) && bytes.is_multiple_of(8);
    if !whole || !fits || way == Way::Limit && !reached || operation == Operation::PingPong && n_pes < 2 {
        return None;
    }
    let mut work = if operation.is_of_many() {
        repeated(many::work(places, order)?, repeats)
    } else if operation.is_with_neighbours() {
        repeated(neighbours::work(places, order)?, repeats)
    } else {
        collective(places, order)?
    };
    world.barrier_all();
    let taken = time(&mut work);
    Some(if world.my_pe() == 0 { taken } else { 0.0 })
}

/// All repetitions of what `once` does.
fn repeated<'a>(mut once: Box<dyn FnMut() + 'a>, repeats: usize) -> Box<dyn FnMut() + 'a> {
    Box::new(move || (0..repeats).for_each(|_| once()))
}

/// All repetitions of a collective operation.
fn collective<'a>(places: &'a Places<'_>, order: Order) -> Option<Box<dyn FnMut() + 'a>> {
    let Order { work: Work { operation, bytes, stride }, way, repeats } = order;
    let (world, n) = (places.world, bytes / 8);
    let (team, n_pes) = (world.team(), world.n_pes());
    let (to, from) = (&places.to, &places.from);
    Some(match (way, operation) {
        (Way::Language, Operation::PingPong) => {
            // Read before any PE sends.
            let before = local!(CAME);
            Box::new(move || ping_pong(places, n, before, repeats))
        }
        (Way::Language, Operation::Signal) => {
            let before = local!(CAME);
            Box::new(move || signal(world.my_pe(), stride, before, repeats))
        }
        (Way::Language, Operation::Barrier) => {
            Box::new(move || (0..repeats).for_each(|_| world.barrier_all()))
        }
        (Way::Language, Operation::Sync) => Box::new(move || (0..repeats).for_each(|_| world.sync_all())),
        (Way::Language, Operation::TeamSync) => {
            let team = team.split_strided(0, 1, n_pes).expect("there is room").expect("all are members");
            Box::new(move || (0..repeats).for_each(|_| team.sync()))
        }
        (Way::Language, Operation::ReduceValue) => {
            Box::new(move || (0..repeats).for_each(|_| _ = black_box(collective!(sum black_box(1.5)))))
        }
        (Way::Language, Operation::Reduce) => moving(places, operation, n, repeats, move || {
            team.reduce(Sum, local!(&to[..n]), local!(&from[..n]))
        }),
        (Way::Language, Operation::Broadcast) => moving(places, operation, n, repeats, move || {
            team.broadcast(local!(&to[..n]), local!(&from[..n]), 0)
        }),
        (Way::Language, Operation::Fcollect) => moving(places, operation, n, repeats, move || {
            team.fcollect(local!(&to[..n * n_pes]), local!(&from[..n]))
        }),
        (Way::Language, Operation::Collect) => moving(places, operation, n, repeats, move || {
            black_box(team.collect(local!(&to[..n * n_pes]), local!(&from[..n])));
        }),
        (Way::Language, Operation::Alltoall) => moving(places, operation, n, repeats, move || {
            team.alltoall(local!(&to[..n * n_pes]), local!(&from[..n * n_pes]))
        }),
        (Way::Language, Operation::AlltoallToReady) => moving(places, operation, n, repeats, move || {
            team.alltoall_to_ready(local!(&to[..n * n_pes]), local!(&from[..n * n_pes]))
        }),
        (Way::Raw, Operation::Barrier) => Box::new(move || (0..repeats).for_each(|_| bench::barrier_all())),
        (Way::Limit, operation) => limit(places, operation, n, repeats)?,
        _ => return None,
    })
}

/// All repetitions of `once`, a collective that moves `n` elements. Before it, this PE renews what it gives, and
/// afterwards it looks at what it has got.
fn moving<'a>(
    places: &'a Places<'_>,
    operation: Operation,
    n: usize,
    repeats: usize,
    once: impl Fn() + 'a,
) -> Box<dyn FnMut() + 'a> {
    let (me, n_pes) = (places.world.my_pe(), places.world.n_pes());
    let (given, got) = (address(local!(&places.from[0])), address(local!(&places.to[0])));
    let (to_give, to_get) = match operation {
        // Loads reach nothing where each access is observed.
        _ if given.is_null() || got.is_null() => (0, 0),
        Operation::Broadcast if me > 0 => (0, n),
        Operation::Fcollect | Operation::Collect => (n, n * n_pes),
        Operation::Alltoall | Operation::AlltoallToReady => (n * n_pes, n * n_pes),
        _ => (n, n),
    };
    Box::new(move || {
        for _ in 0..repeats {
            // SAFETY: so many words of this PE's own array, which others only read.
            unsafe { renew(given, to_give) };
            once();
            // SAFETY: so many words of this PE's own array.
            unsafe { look(got, to_get, 1) };
        }
    })
}

/// Reads a word of each cache line of `len` words that are `step` words apart: what nobody reads has not
/// come. Another process may write them meanwhile, and nobody looks at the values.
///
/// # Safety
///
/// They are memory of this PE.
pub(crate) unsafe fn look(first: *const f64, len: usize, step: usize) {
    for word in (0..len).step_by(if step == 1 { LINE } else { 1 }) {
        // SAFETY: the caller's promise.
        unsafe { first.add(word * step).read_volatile() };
    }
}

/// Writes a word of each cache line of `len` words, the value that it has already: what has not changed since the last
/// time need not go from one core to another. Another process may read them meanwhile.
///
/// # Safety
///
/// They are memory of this PE, to which no other writes.
unsafe fn renew(first: *mut f64, len: usize) {
    for word in (0..len).step_by(LINE) {
        // SAFETY: the caller's promise.
        unsafe { first.add(word).write_volatile(first.add(word).read_volatile()) };
    }
}

/// The same with plain memory operations. Two PEs copy at the same time, between the same places,
/// without synchronisation, and a synchronisation is the transfer of a cache line from one to the
/// other. More PEs may have to share cores. Then a synchronisation is a barrier with one counter
/// whose waiters yield, and it follows each copy: without it, PE 0 would measure only its own part.
fn limit<'a>(
    places: &'a Places<'_>,
    operation: Operation,
    n: usize,
    repeats: usize,
) -> Option<Box<dyn FnMut() + 'a>> {
    let (me, n_pes) = (places.world.my_pe(), places.world.n_pes());
    let (turn, counter) = (cell(remote!(&TURN[0])), cell(remote!(&COUNTED[0])));
    // A waiter may have the core that the other PE needs.
    let wait = if n_pes > 2 { yield_now } else { spin_loop };
    let (to, from) = (&places.to, &places.from);
    let own = |n: usize| (address(remote!(&to[me, ..n])), address(remote!(&from[me, ..n])), n);
    let copies: Vec<(*mut f64, *mut f64, usize)> = match operation {
        Operation::PingPong if me <= TARGET => {
            // The others sleep, so both have cores; but the system may put both on one of them.
            let mut looks = 0_u32;
            let wait = move || {
                looks = looks.wrapping_add(1);
                if n_pes > 2 && looks.is_multiple_of(32) { yield_now() } else { spin_loop() }
            };
            return Some(Box::new(move || hand_over(turn, me, 2 * repeats, wait)));
        }
        Operation::PingPong => return Some(Box::new(|| ())),
        Operation::Barrier | Operation::Sync | Operation::ReduceValue if n_pes == 2 => {
            return Some(Box::new(move || hand_over(turn, me, repeats, wait)));
        }
        Operation::Barrier | Operation::Sync | Operation::ReduceValue => {
            return Some(Box::new(move || (0..repeats).for_each(|_| count_in(counter, n_pes))));
        }
        // A size this small is a synchronisation.
        Operation::Reduce if n == 1 => return limit(places, Operation::Barrier, 0, repeats),
        Operation::Reduce => vec![own(n)],
        Operation::Broadcast => {
            vec![(address(remote!(&to[me, ..n])), address(remote!(&from[0, ..n])), n)]
        }
        Operation::Fcollect | Operation::Collect => {
            let mine = address(remote!(&from[me, ..n]));
            let place = |pe: usize| address(remote!(&to[pe, me * n..(me + 1) * n]));
            (0..n_pes).map(|pe| (place((me + pe) % n_pes), mine, n)).collect()
        }
        Operation::Alltoall => {
            let place = |pe: usize| address(remote!(&to[pe, me * n..(me + 1) * n]));
            let block = |pe: usize| address(remote!(&from[me, pe * n..(pe + 1) * n]));
            (0..n_pes).map(|pe| (me + pe) % n_pes).map(|pe| (place(pe), block(pe), n)).collect()
        }
        _ => return None,
    };
    Some(moving(places, operation, n, repeats, move || {
        // SAFETY: each PE copies to places that no other PE writes to, from places whose values never change.
        copies.iter().for_each(|&(to, from, len)| unsafe { plain_copy(to, from, len) });
        if n_pes > 2 {
            count_in(counter, n_pes);
        }
    }))
}

/// A cell of a static that is mapped here.
fn cell<F: OnOnePe>(cell: Remote<'_, Atomic<u64>, F>) -> &'static AtomicU64 {
    // SAFETY: a static is mapped until the process ends, aligned to its element, and all PEs update it
    // atomically.
    unsafe { AtomicU64::from_ptr(address(cell)) }
}

/// The limit of a barrier, as of [`limit`]: of two PEs, the transfer of a cache line. PE 0 leaves when the
/// line has come back.
pub(crate) fn meet_plainly(me: usize, n_pes: usize) {
    if n_pes == 2 {
        hand_over(cell(remote!(&TURN[0])), me, 2, spin_loop);
    } else {
        count_in(cell(remote!(&COUNTED[0])), n_pes);
    }
}

/// A message with a signal to the target and back, `repeats` times, after `before` messages have
/// arrived already.
fn ping_pong(places: &Places<'_>, n: usize, before: u64, repeats: usize) {
    let (me, parcel) = (places.world.my_pe(), &places.parcel);
    if me > TARGET {
        return;
    }
    let other = TARGET - me;
    let goods = vec![me as u64; n];
    for round in 1..=repeats as u64 {
        let send = || {
            remote!(&parcel[other, ..n]).put_signal(
                &goods[..],
                remote!(&CAME[other]),
                SignalOp::Set(before + round),
            );
        };
        if me == 0 {
            send();
        }
        wait!(CAME >= before + round);
        if me == TARGET {
            send();
        }
    }
}

/// An update of a word from PE 0 to PE `other` and back, `repeats` times, after `before` updates
/// have arrived already.
fn signal(me: usize, other: usize, before: u64, repeats: usize) {
    if me != 0 && me != other {
        return;
    }
    for round in 1..=repeats as u64 {
        if me == 0 {
            remote!(CAME[other] += 1);
        }
        wait!(CAME >= before + round);
        if me == other {
            remote!(CAME[0] += 1);
        }
    }
}

/// The copy function of the C library.
///
/// # Safety
///
/// As [`std::ptr::copy_nonoverlapping`].
unsafe fn plain_copy(to: *mut f64, from: *const f64, len: usize) {
    // SAFETY: as this function requires.
    unsafe { black_box(to).copy_from_nonoverlapping(black_box(from), black_box(len)) };
}

/// The simplest barrier: waits until all PEs have counted themselves in for this round.
fn count_in(counter: &AtomicU64, n_pes: usize) {
    let n_pes = n_pes as u64;
    let before = counter.fetch_add(1, Ordering::AcqRel);
    let all = (before / n_pes + 1) * n_pes;
    while counter.load(Ordering::Acquire) < all {
        yield_now();
    }
}

/// Transfers a cache line `n` times, there and back in turns: PE 0 makes the word odd, PE 1 makes
/// it even. `wait` is called meanwhile.
fn hand_over(turn: &AtomicU64, me: usize, n: usize, mut wait: impl FnMut()) {
    let mine = me as u64;
    for _ in 0..n.div_ceil(2) {
        let seen = loop {
            let seen = turn.load(Ordering::Acquire);
            if seen % 2 == mine {
                break seen;
            }
            wait();
        };
        turn.store(seen + 1, Ordering::Release);
    }
    // PE 0 stops the clock when the last transfer has arrived, not when it has sent its own last
    // one.
    while me == 0 && !turn.load(Ordering::Acquire).is_multiple_of(2) {
        wait();
    }
}
