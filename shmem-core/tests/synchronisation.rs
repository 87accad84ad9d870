//! Barriers, fences and quiet: what was written before is seen after. And several threads of one
//! PE.

use std::thread;

use shmem::prelude::*;

const SLOTS: usize = 32;

/// Where each PE writes to each other one.
#[symmetric]
static FROM: PerPe<[u64; SLOTS]> = PerPe::new([0; SLOTS]);
#[symmetric]
static FLAGS: PerPe<Atomic<u64>> = PerPe::new(Atomic::new(0));
#[symmetric]
static DATA: [u64; 1024] = [0; 1024];
#[symmetric]
static SUM: Atomic<u64> = Atomic::new(0);
#[symmetric]
static TICKETS: [Atomic<u32>; 8] = [Atomic::new(0); 8];

fn stamp(round: u64, from: usize, to: usize) -> u64 {
    round << 32 | (from as u64) << 16 | to as u64
}

/// Everybody writes to everybody, in every round, with `barrier` between writing and reading.
#[shmem::kernel]
fn rounds(world: &World, rounds: u64, barrier: impl Fn()) {
    let me = world.my_pe();
    for round in 1..=rounds {
        for pe in 0..world.n_pes() {
            remote!(FROM[pe, me, ..]) = stamp(round, me, pe);
        }
        barrier();
        for pe in 0..world.n_pes() {
            assert_eq!(
                local!(FROM[pe, ..]),
                [stamp(round, pe, me); SLOTS],
                "round {round}, written by PE {pe}"
            );
        }
        // Nobody writes the next round before everybody has read this one.
        barrier();
    }
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn what_was_put_before_a_barrier_is_seen_after(world: &World) {
    rounds(world, 400, || world.barrier_all());
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn quiet_and_sync_all_are_a_barrier(world: &World) {
    rounds(world, 400, || {
        world.quiet();
        world.sync_all();
    });
}

#[shmem::test(npes = 16)]
fn barriers_of_more_pes_than_cores(world: &World) {
    rounds(world, 60, || world.barrier_all());
}

/// A barrier releases nobody before all have come: counted by an atomic cell, so no ordering of
/// puts helps it.
#[shmem::test(npes = [1, 2, 3, 4, 7, 16])]
fn a_barrier_waits_for_all(world: &World) {
    let n_pes = world.n_pes() as u64;
    for round in 1..=100 {
        if round % 10 == world.my_pe() as u64 % 10 {
            // Somebody is late.
            thread::sleep(std::time::Duration::from_micros(300));
        }
        remote!(SUM[0]) += 1;
        world.sync_all();
        let sum = remote!(SUM[0]);
        assert!(sum >= round * n_pes && sum <= (round + 1) * n_pes, "{sum} in round {round} of {n_pes} PEs");
    }
}

/// Waits until the cell of PE `from` on this PE is `value`.
fn wait_for(from: usize, value: u64) {
    while local!(FLAGS[from]) != value {
        thread::yield_now();
    }
}

/// A ring without barriers: data, a fence, a flag.
#[shmem::kernel]
fn ring(world: &World, order: impl Fn()) {
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + n_pes - 1) % n_pes, (me + 1) % n_pes);
    for round in 1..=300_u64 {
        remote!(DATA[right, ..]) = round;
        order();
        remote!(FLAGS[right, me] = 2 * round);
        wait_for(left, 2 * round);
        assert_eq!(local!(DATA[..]), [round; 1024], "round {round}");
        // The left one may write again.
        remote!(FLAGS[left, me] = 2 * round + 1);
        wait_for(right, 2 * round + 1);
    }
}

// From 3 PEs on: with fewer the neighbours on both sides are one, and would use one flag.
#[shmem::test(npes = [3, 4, 7])]
fn a_fence_orders_data_and_flag(world: &World) {
    ring(world, || world.fence());
}

#[shmem::test(npes = [3, 4, 7])]
fn quiet_orders_data_and_flag(world: &World) {
    ring(world, || world.quiet());
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn threads_of_a_pe_share_its_place(world: &World) {
    const THREADS: usize = 4;
    const TIMES: usize = 500;
    let n_pes = world.n_pes();
    let me = world.my_pe();
    thread::scope(|scope| {
        for number in 0..THREADS {
            scope.spawn(move || {
                for i in 0..TIMES {
                    remote!(TICKETS[(me + i) % n_pes, i % 8] += 1);
                    // Each thread has its own elements of each PE's copy.
                    remote!(FROM[(me + 1) % n_pes, me, number * 8 + i % 8] = stamp(i as u64, me, number));
                    assert_eq!(
                        remote!(FROM[(me + 1) % n_pes, me, number * 8 + i % 8]),
                        stamp(i as u64, me, number)
                    );
                }
            });
        }
    });
    world.barrier_all();
    let mut tickets = 0;
    for pe in 0..n_pes {
        tickets += remote!(&TICKETS[pe, ..]).get().iter().sum::<u32>();
    }
    assert_eq!(tickets as usize, n_pes * THREADS * TIMES);
    let left = (me + n_pes - 1) % n_pes;
    for number in 0..THREADS {
        let expected: Vec<u64> =
            (0..8).map(|k| stamp((TIMES - 8 + (k + 4) % 8) as u64, left, number)).collect();
        let mut found = local!(FROM[left, number * 8..number * 8 + 8]);
        found.sort_unstable();
        let mut sorted = expected;
        sorted.sort_unstable();
        assert_eq!(found, sorted);
    }
}

/// Different numbers are handed out to all threads of all PEs.
#[shmem::test(npes = [1, 2, 4])]
fn tickets_are_unique(world: &World) {
    let mine: Vec<u64> = thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| (0..200).map(|_| remote!(&SUM[0]).fetch_add(1)).collect::<Vec<u64>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread that draws tickets")).collect()
    });
    let all = world.n_pes() as u64 * 600;
    let drawn: u64 = mine.iter().sum();
    assert_eq!(collective!(sum drawn), all * (all - 1) / 2);
    let mut sorted = mine.clone();
    sorted.dedup();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), 600);
}
