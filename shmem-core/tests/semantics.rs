//! The rules of OpenSHMEM that implementations get wrong, one by one.
//!
//! The numbers are those of a list of fourteen; number 13, the sizes that `SHMEM_SYMMETRIC_SIZE`
//! takes, is tested in `process`.
//!
//! Where a rule is about something that Rust's types leave out (a null pointer, an invalid team),
//! its counterpart here is tested, and the comment says so.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use shmem::Error;
use shmem::prelude::*;
use shmem::reduction::{Max, Sum};

/// The PE after this one.
fn right(world: &World) -> usize {
    (world.my_pe() + 1) % world.n_pes()
}

/// The PE before this one.
fn left(world: &World) -> usize {
    (world.my_pe() + world.n_pes() - 1) % world.n_pes()
}

/// What a panic said.
fn panic_of<T>(call: impl FnOnce() -> T) -> String {
    match catch_unwind(AssertUnwindSafe(|| drop(call()))) {
        Ok(()) => panic!("nothing was refused"),
        Err(payload) => *payload.downcast::<String>().expect("a panic with words"),
    }
}

/// Rule 1: `malloc(0)` is NULL, `free(NULL)` nothing, `realloc(p, 0)` frees; none of them is a
/// barrier.
///
/// There is no null array here: an array without elements is a value like others, and has its place
/// in the order of collective calls. What is left of the rule: it can be made, resized from and to,
/// and freed; no element of it is there; and it takes no memory to speak of.
mod zero_size_allocation {
    use super::*;

    #[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
    fn is_an_array_without_elements(world: &World) -> Result<(), Error> {
        let before = world.heap_free();
        let empty = world.symmetric_array::<u64, 1>([0], 7)?;
        let flat = world.zeros::<u8, 3>([5, 0, 9])?;
        assert!(empty.is_empty() && flat.is_empty());
        assert_eq!(remote!(empty[right(world), ..]), []);
        remote!(empty[right(world), ..]) = 1;
        assert!(panic_of(|| remote!(empty[right(world), 0])).contains("out of bounds"));
        assert!(before - world.heap_free() <= 2 * 64, "no more than a cache line for each");
        empty.free()?;
        flat.free()?;
        assert_eq!(world.heap_free(), before);
        Ok(())
    }

    #[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
    fn is_what_a_resize_to_nothing_leaves(world: &World) -> Result<(), Error> {
        let before = world.heap_free();
        // More than half of the heap: the next one fits only when the memory has returned.
        for round in 0..3_u64 {
            let mut array = world.symmetric_array::<u64, 1>([80 * 1024], round)?;
            array.resize([0], 0)?;
            assert!(before - world.heap_free() <= 64, "the memory has returned");
            // And it can grow again, out of nothing.
            array.resize([80 * 1024], round + 1)?;
            assert_eq!(remote!(array[right(world), 80 * 1024 - 1]), round + 1);
            array.free()?;
        }
        assert_eq!(world.heap_free(), before);
        Ok(())
    }
}

/// Rule 2: `align` takes a power of two that is a multiple of a pointer's size, where Rust has
/// smaller alignments: these are raised, not refused. What is no power of two is an error, the same
/// on every PE.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn small_alignments_are_raised(world: &World) -> Result<(), Error> {
    for align in [1, 2, 4, 8, 16, 4096] {
        let bytes = world.allocate().align(align).array_from_fn([3], |[i]| i as u8 + 1)?;
        let words = world.allocate().align(align).array_from_fn([3], |[i]| i as u64 + 1)?;
        world.local_phase(|p| {
            assert!(bytes.as_slice(p).as_ptr().addr().is_multiple_of(align));
            assert!(words.as_slice(p).as_ptr().addr().is_multiple_of(align.max(size_of::<usize>())));
        });
        assert_eq!(remote!(bytes[right(world), ..]), [1, 2, 3]);
        assert_eq!(remote!(words[right(world), ..]), [1, 2, 3]);
    }
    for align in [0, 3, 12, 24, usize::MAX] {
        let told = world.allocate().align(align).zeros::<u64, 1>([3]);
        assert!(matches!(told, Err(Error::Alignment { .. })), "{align}: {told:?}");
    }
    Ok(())
}

/// Rule 3: An allocation ends with a barrier, a release begins with one: who returns from the first
/// may use the array on every PE, and what was put before the second has arrived.
mod allocation_is_a_barrier {
    use super::*;

    #[symmetric]
    static SUMS: Atomic<u64> = Atomic::new(0);

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn at_its_end(world: &World) -> Result<(), Error> {
        for round in 1..=50_u64 {
            // Read at once: each PE has written its copy.
            let array = world.array_from_fn([3], |[i]| 100 * round + world.my_pe() as u64 + i as u64)?;
            for pe in 0..world.n_pes() {
                assert_eq!(remote!(array[pe, 2]), 100 * round + pe as u64 + 2);
            }
            // And the copies are there to be written: the next PE's own writing came before.
            remote!(array[right(world), 0]) = round;
            world.barrier_all();
            assert_eq!(local!(array[0]), round);
        }
        Ok(())
    }

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn at_the_beginning_of_a_release(world: &World) -> Result<(), Error> {
        let inbox = world.zeros::<u64, 1>([1000])?;
        for round in 1..=50_u64 {
            let array = world.zeros::<u64, 1>([10])?;
            remote!(inbox[right(world), ..]) = round;
            remote!(SUMS[right(world)]) += round;
            array.free()?;
            // What was put before is complete, by the barrier of the release.
            assert!(local!(inbox[..]).iter().all(|&value| value == round), "round {round}");
            assert_eq!(local!(SUMS), (1..=round).sum());
            world.barrier_all();
        }
        Ok(())
    }

    /// The memory of an array is not handed out again while another PE may still put to it: until
    /// that has released it too.
    #[shmem::test(npes = [2, 3, 4, 7], heap = "1M")]
    fn nobody_writes_to_what_was_released(world: &World) -> Result<(), Error> {
        let last = world.n_pes() - 1;
        for round in 0..30 {
            let array = world.zeros::<u64, 1>([1000])?;
            let mut kept = None;
            if world.my_pe() == last {
                kept = Some(array);
            } else {
                drop(array);
            }
            // It does not lie where the last PE still writes.
            let next = world.symmetric_array::<u64, 1>([1000], 5)?;
            if let Some(array) = &kept {
                (0..last).for_each(|pe| remote!(array[pe, ..]) = 9);
            }
            world.barrier_all();
            assert!(local!(next[..]).iter().all(|&value| value == 5), "round {round}");
        }
        Ok(())
    }
}

/// Rule 4: `quiet` completes puts, atomic updates and puts with signals, to all PEs; `fence` orders
/// what goes to one PE. A put with a signal orders its own payload, and needs neither.
mod ordering {
    use super::*;

    #[symmetric]
    static DATA: [u64; 64] = [0; 64];
    #[symmetric]
    static COUNT: Atomic<u64> = Atomic::new(0);
    #[symmetric]
    static SIGNAL: Atomic<u64> = Atomic::new(0);
    #[symmetric]
    static TOLD: Atomic<u64> = Atomic::new(0);

    /// A third PE is told after the quiet, and looks at the second: everything is there, of every
    /// kind.
    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn quiet_covers_puts_atomics_and_signals(world: &World) {
        let (me, n) = (world.my_pe(), world.n_pes());
        let far = (me + 2) % n;
        for round in 1..=200_u64 {
            remote!(DATA[right(world), 0..32]) = round;
            remote!(COUNT[right(world)]) += 2;
            remote!(&DATA[right(world), 32..64]).put_signal(
                round,
                remote!(&SIGNAL[right(world)]),
                SignalOp::Set(round),
            );
            world.quiet();
            remote!(TOLD[far]) += 1;
            wait!(TOLD == round);
            // Told by the PE two before: what it has put is on the one before.
            assert_eq!(remote!(DATA[left(world), ..]), [round; 64]);
            assert_eq!(remote!(COUNT[left(world)]), 2 * round);
            assert_eq!(remote!(SIGNAL[left(world)]), round);
            world.barrier_all();
        }
    }

    /// Puts after a fence do not arrive before those ahead of it, on the same PE.
    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn fence_orders_to_each_pe(world: &World) {
        let n = world.n_pes();
        if n == 1 || world.my_pe() == 0 {
            for round in 1..=500_u64 {
                for pe in 0..n {
                    remote!(DATA[pe, ..]) = round;
                }
                world.fence();
                for pe in 0..n {
                    remote!(COUNT[pe]) = round;
                }
                wait!(TOLD >= round * (n as u64 - 1));
            }
        } else {
            for round in 1..=500_u64 {
                assert_eq!(wait!(COUNT == round), round);
                assert_eq!(local!(DATA[..]), [round; 64]);
                remote!(TOLD[0]) += 1;
            }
        }
    }

    /// The payload of a signal is there when the signal is, whatever else is on its way.
    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn put_signal_orders_its_own_payload(world: &World) {
        for round in 1..=200_u64 {
            remote!(&DATA[right(world), ..]).put_signal(
                round,
                remote!(&SIGNAL[right(world)]),
                SignalOp::Add(1),
            );
            wait!(SIGNAL == round);
            assert_eq!(local!(DATA[..]), [round; 64]);
            world.barrier_all();
        }
    }

    /// Stores to one's own copy are completed too.
    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn quiet_covers_local_stores(world: &World) {
        for round in 1..=200_u64 {
            local!(DATA[..]) = round;
            world.quiet();
            remote!(TOLD[right(world)]) += 1;
            wait!(TOLD == round);
            assert_eq!(remote!(DATA[left(world), ..]), [round; 64]);
            world.barrier_all();
        }
    }
}

/// Rule 5: A wait and a test are sure to see atomic updates and signals, and nothing is promised of
/// plain puts. Here only [`Atomic`] cells can be waited for, so a plain element is refused by the
/// compiler (the tests of messages have it); each update that a cell has is seen.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn waits_see_updates_and_signals(world: &World) {
    #[symmetric]
    static CELL: Atomic<u64> = Atomic::new(0);
    #[symmetric]
    static NOTHING: [u8; 1] = [0];

    let cell = remote!(&CELL[right(world)]);
    let updates: [&dyn Fn(); 9] = [
        &|| cell.put(1),
        &|| cell.add(1),
        &|| assert_eq!(cell.swap(3), 2),
        &|| assert_eq!(cell.compare_exchange(3, 4), Ok(3)),
        &|| cell.or(1),
        &|| cell.xor(3),
        &|| cell.sub(!0), // 6 + 1
        &|| remote!(&NOTHING[right(world), 0..0]).put_signal([], cell, SignalOp::Set(8)),
        &|| remote!(&NOTHING[right(world), 0]).put_signal(1, cell, SignalOp::Add(1)),
    ];
    for (update, expected) in updates.iter().zip([1, 2, 3, 4, 5, 6, 7, 8, 9]) {
        update();
        assert_eq!(wait!(CELL == expected), expected);
        assert!(poll!(CELL == expected));
        world.barrier_all();
    }
}

/// Rule 6: With nothing to wait for: `_all` returns, `_any` and `_some` say that there is nothing,
/// which is `SIZE_MAX` and 0 in C and here `None` and an empty list; a test of all is true. A
/// status that is not zero excludes an element.
mod empty_sets {
    use super::*;

    #[symmetric]
    static CELLS: [Atomic<i32>; 6] = [Atomic::new(0); 6];

    fn nothing(cells: shmem::Except<'_, '_, Atomic<i32>, shmem::select::Many>) {
        cells.wait_until_all(Comparison::Ne, 0);
        assert_eq!(cells.wait_until_any(Comparison::Ne, 0), None);
        assert_eq!(cells.wait_until_some(Comparison::Ne, 0), []);
        assert!(cells.test_all(Comparison::Ne, 0));
        assert_eq!(cells.test_any(Comparison::Ne, 0), None);
        assert_eq!(cells.test_some(Comparison::Ne, 0), []);
    }

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn do_not_wait(world: &World) {
        let end = 6 * world.n_pes() / world.n_pes();
        nothing(local!(&CELLS[end..end]).except(&[]));
        nothing(remote!(&CELLS[right(world), ..end]).except(&[true; 6]));
        wait!(all CELLS[3..3] == 1);
        assert_eq!(wait!(any CELLS[3..3] == 1), None);
        assert_eq!(wait!(some CELLS[6..] == 1), []);
        assert!(poll!(all CELLS[0..0] == 1));
    }

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn a_status_excludes(world: &World) {
        remote!(CELLS[right(world), 1]) = 5;
        remote!(CELLS[right(world), 4]) = 6;
        world.barrier_all();
        let status = [false, true, false, true, false, true];
        assert_eq!(wait!(any CELLS[..] != 0; except status), Some(4));
        assert_eq!(wait!(some CELLS[..] != 0; except status), [4]);
        assert_eq!(poll!(some CELLS[..] != 0), [1, 4]);
        let others = [true, false, true, true, false, true];
        wait!(all CELLS[..] > 4; except others);
        assert!(!poll!(all CELLS[..] > 4));
        assert_eq!(poll!(any CELLS[..] < 5; except others), None);
    }
}

/// Rule 7: The destination of a reduction is its source, or apart from it, and both are right. An
/// exclusive scan gives zero on PE 0. A broadcast reaches the root's own destination. `collect`
/// takes another count on each PE, `fcollect` the same. A destination may be written as soon as its
/// PE is in the call, and not before.
mod collectives {
    use super::*;

    const N: usize = 2000;

    #[symmetric]
    static FROM: [u64; N] = [0; N];
    #[symmetric]
    static TO: [u64; N] = [0; N];
    #[symmetric]
    static ALL: [u64; 7 * N] = [0; 7 * N];

    fn set(world: &World, round: usize) {
        let me = world.my_pe();
        let values: Vec<u64> = (0..N).map(|i| (round * 1000 + me * i) as u64).collect();
        local!(FROM[{ 0 }..] = &values[..]);
    }

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn reduction_in_place_and_apart(world: &World) {
        let (team, n) = (world.team(), world.n_pes());
        for (round, len) in [1, 3, 64, 700, N].into_iter().enumerate() {
            let sum = |i: usize| (n * round * 1000 + i * n * (n - 1) / 2) as u64;
            set(world, round);
            team.reduce(Sum, local!(&TO[..len]), local!(&FROM[..len]));
            assert!(local!(TO[..len]).iter().enumerate().all(|(i, &value)| value == sum(i)), "{len}");
            team.reduce(Sum, local!(&FROM[..len]), local!(&FROM[..len]));
            assert!(local!(FROM[..len]).iter().enumerate().all(|(i, &value)| value == sum(i)), "{len}");
            world.barrier_all();
        }
    }

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn exclusive_scan_begins_with_zero(world: &World) {
        let me = world.my_pe();
        for len in [1, 5, N] {
            set(world, 1);
            local!(TO[..]) = !0;
            world.team().exscan(local!(&TO[..len]), local!(&FROM[..len]));
            let before = |i: usize| (me * 1000 + i * (me * me.saturating_sub(1) / 2)) as u64;
            assert!(local!(TO[..len]).iter().enumerate().all(|(i, &value)| value == before(i)), "{len}");
            assert_eq!(local!(TO[len..]), vec![!0; N - len]);
            world.barrier_all();
        }
        assert_eq!(world.team().exscan_value(me + 1), me * (me + 1) / 2);
    }

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn broadcast_reaches_the_root_s_destination(world: &World) {
        for root in 0..world.n_pes() {
            for len in [1, 3, N] {
                local!(TO[..]) = !0;
                local!(FROM[..]) = 10 + world.my_pe() as u64;
                world.team().broadcast(local!(&TO[..len]), local!(&FROM[..len]), root);
                assert_eq!(local!(TO[..len]), vec![10 + root as u64; len]);
                assert_eq!(local!(TO[len..]), vec![!0; N - len]);
                world.barrier_all();
            }
        }
    }

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn collect_takes_different_counts(world: &World) {
        let (me, n) = (world.my_pe(), world.n_pes());
        for scale in [1, 40, N / 8] {
            // PE 0 gives nothing.
            let len = |pe: usize| pe * scale;
            local!(FROM[..]) = 7 + me as u64;
            local!(ALL[..]) = 0;
            let all = world.team().collect(local!(&ALL[..]), local!(&FROM[..len(me)]));
            let expected: Vec<u64> = (0..n).flat_map(|pe| vec![7 + pe as u64; len(pe)]).collect();
            assert_eq!(all, expected.len());
            assert_eq!(local!(ALL[..all]), expected);
            assert!(local!(ALL[all..]).iter().all(|&value| value == 0));
            world.barrier_all();
        }
    }

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn fcollect_takes_equal_counts(world: &World) {
        let (me, n) = (world.my_pe(), world.n_pes());
        for len in [1, 40, N] {
            local!(FROM[..]) = 7 + me as u64;
            world.team().fcollect(local!(&ALL[..n * len]), local!(&FROM[..len]));
            let expected: Vec<u64> = (0..n).flat_map(|pe| vec![7 + pe as u64; len]).collect();
            assert_eq!(local!(ALL[..n * len]), expected);
            world.barrier_all();
        }
        let told = panic_of(|| world.team().fcollect(local!(&ALL[..3 * n + 1]), local!(&FROM[..3])));
        assert!(told.contains("the destination of the collective"), "{told}");
    }

    /// A PE that is late finds nothing written to its destination before it came.
    #[shmem::test(npes = [2, 3, 4, 7])]
    fn nothing_arrives_before_a_pe_is_ready(world: &World) {
        let late = world.n_pes() - 1;
        for round in 0..6 {
            for len in [1, N] {
                local!(TO[..]) = !0;
                local!(FROM[..]) = 3;
                world.barrier_all();
                if world.my_pe() == late {
                    // Time for the others to be far ahead; that they are is not needed.
                    std::thread::yield_now();
                    for _ in 0..50 {
                        assert!(local!(TO[..]).iter().all(|&value| value == !0), "round {round}");
                        std::thread::yield_now();
                    }
                }
                world.team().reduce(Max, local!(&TO[..len]), local!(&FROM[..len]));
                assert_eq!(local!(TO[..len]), vec![3; len]);
                world.barrier_all();
            }
        }
    }
}

/// Rule 8: `split_strided`: a negative stride reverses, 0 goes with size 1 only, and who is no
/// member has no error. `split_2d`: a range beyond the team is that of the team, and the last row
/// may be short.
///
/// There is no invalid team here: who is no member gets `None`, on which nothing can be called. PE
/// numbers of another team are translated to `None` where C gives -1.
mod teams {
    use super::*;

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn strides_may_be_negative_and_zero(world: &World) -> Result<(), Error> {
        let (me, n) = (world.my_pe(), world.n_pes());
        let all = world.team();
        let reversed = all.split_strided(n - 1, -1, n)?.expect("all are members");
        assert_eq!((reversed.my_pe(), reversed.n_pes()), (n - 1 - me, n));
        assert_eq!(reversed.reduce_value(Sum, me), n * (n - 1) / 2);
        assert_eq!(reversed.broadcast_value(me, 0), n - 1);
        // Once more reversed is as it was.
        assert_eq!(reversed.split_strided(n - 1, -1, n)?.expect("all are members").my_pe(), me);

        let one = all.split_strided(n - 1, 0, 1)?;
        assert_eq!(one.is_some(), me == n - 1);
        assert!(one.is_none_or(|one| (one.my_pe(), one.n_pes()) == (0, 1)));
        assert!(matches!(all.split_strided(0, 0, 2), Err(Error::Team { .. })));

        // Every other one, from the end.
        let odd = all.split_strided(n - 1, -2, n.div_ceil(2))?;
        assert_eq!(odd.is_some(), (n - 1 - me) % 2 == 0);
        if let Some(odd) = odd {
            assert!(odd.world_pes().eq((0..n).rev().step_by(2)));
            for pe in 0..n {
                assert_eq!(all.translate(pe, &odd), (0..n).rev().step_by(2).position(|member| member == pe));
            }
            assert!(panic_of(|| odd.world_pe(odd.n_pes())).contains("the PE to translate"));
        }
        Ok(())
    }

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn a_grid_has_short_rows_and_a_range_of_all(world: &World) -> Result<(), Error> {
        let (me, n) = (world.my_pe(), world.n_pes());
        for range in [1, 2, 3, 5, 7, 8, 100, usize::MAX] {
            let (row, column) = world.team().split_2d(range)?;
            let x = range.min(n);
            assert_eq!((row.my_pe(), column.my_pe()), (me % x, me / x), "{range}");
            assert!(row.world_pes().eq((me / x * x..n).take(x)), "{range}");
            assert!(column.world_pes().eq((me % x..n).step_by(x)), "{range}");
            assert_eq!(row.reduce_value(Sum, me), row.world_pes().sum());
            assert_eq!(column.reduce_value(Sum, me), column.world_pes().sum());
        }
        assert!(matches!(world.team().split_2d(0), Err(Error::Team { .. })));
        Ok(())
    }
}

/// Rule 9: A team has no barrier in OpenSHMEM: a `quiet`, then `team_sync`, is one, and
/// [`Team::barrier`] is these two. `sync` alone completes stores to one's own memory.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn a_team_barrier_is_quiet_and_sync(world: &World) -> Result<(), Error> {
    #[symmetric]
    static DATA: [u64; 300] = [0; 300];
    #[symmetric]
    static COUNT: Atomic<u64> = Atomic::new(0);

    let n = world.n_pes();
    let team = world.team().split_strided(n - 1, -1, n)?.expect("all are members");
    let next = team.world_pe((team.my_pe() + 1) % n);
    let before = team.world_pe((team.my_pe() + n - 1) % n);
    for round in 1..=30_u64 {
        remote!(DATA[next, ..]) = round;
        remote!(COUNT[next]) += 1;
        if round % 2 == 0 {
            team.barrier();
        } else {
            world.quiet();
            team.sync();
        }
        assert!(local!(DATA[..]).iter().all(|&value| value == round));
        assert_eq!(local!(COUNT), round);
        team.sync();
        // A store of one's own needs no quiet.
        local!(DATA[..]) = round + 1000;
        team.sync();
        assert!(remote!(DATA[before, ..]).iter().all(|&value| value == round + 1000));
        team.sync();
    }
    Ok(())
}

/// Rule 10: Atomic updates of two types, or atomic and plain access, at the same time on one place
/// are undefined. Here the type of the object says which it is: a cell is updated as one type and
/// never accessed otherwise, so that all kinds of updates of all PEs come out exact.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn a_cell_has_one_type(world: &World) {
    #[symmetric]
    static WIDE: [Atomic<u64>; 2] = [Atomic::new(0); 2];
    #[symmetric]
    static NARROW: [Atomic<i32>; 4] = [Atomic::new(0); 4];

    let (me, n) = (world.my_pe(), world.n_pes());
    const ROUNDS: usize = 2000;
    for round in 0..ROUNDS {
        let pe = (me + round) % n;
        remote!(WIDE[pe, 0]) += 1;
        remote!(WIDE[pe, 1]) ^= 1 << (me + 8 * (round % 8));
        // Side by side in eight bytes, each its own cell.
        remote!(NARROW[pe, 0]) += 1;
        remote!(NARROW[pe, 1]) -= 1;
        let cell = remote!(&NARROW[pe, 2]);
        let mut seen = cell.get();
        while let Err(found) = cell.compare_exchange(seen, seen + 3) {
            seen = found;
        }
        remote!(NARROW[pe, 3]) |= 1 << me;
    }
    world.barrier_all();
    let here = (0..n).map(|pe| (0..ROUNDS).filter(|round| (pe + round) % n == me).count());
    let all: usize = here.sum();
    assert_eq!(all, ROUNDS);
    let mut bits = 0_u64;
    for (pe, round) in (0..n).flat_map(|pe| (0..ROUNDS).map(move |round| (pe, round))) {
        if (pe + round) % n == me {
            bits ^= 1 << (pe + 8 * (round % 8));
        }
    }
    assert_eq!(local!(WIDE[..]), [all as u64, bits]);
    assert_eq!(local!(NARROW[..]), [all as i32, -(all as i32), 3 * all as i32, (1 << n) - 1]);
}

/// Rule 11: A lock is free at the start; it is not to be taken twice by one thread, which is told
/// so; who comes first has it first; and what was written under it is complete when it is released.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn locks(world: &World) {
    #[symmetric]
    static LOCK: Lock = Lock::new();
    #[symmetric]
    static ORDER: [u64; 8] = [0; 8];
    #[symmetric]
    static NEXT: u64 = 0;
    #[symmetric]
    static IN_QUEUE: Atomic<u64> = Atomic::new(0);

    let (me, n) = (world.my_pe(), world.n_pes());
    // Free at the start, for whoever comes first.
    if me == n - 1 {
        let guard = LOCK.try_lock().expect("nobody has it");
        assert!(panic_of(|| LOCK.lock()).contains("is locked by this thread already"));
        assert!(LOCK.try_lock().is_none());
        drop(guard);
    }
    world.barrier_all();
    // PE 0 has it; the others queue up one after the other, in an order that is not that of their
    // numbers.
    let place = |pe: usize| (pe * 3 + n) % 7;
    let mut guard = (me == 0).then(|| LOCK.lock());
    world.barrier_all();
    let mut queue: Vec<usize> = (1..n).collect();
    queue.sort_by_key(|&pe| place(pe));
    let enter = || {
        let number = remote!(NEXT[n - 1]);
        remote!(ORDER[n - 1, number as usize]) = me as u64 + 1;
        remote!(NEXT[n - 1]) = number + 1;
    };
    if me == 0 {
        // Each is let in when the one before stands in the queue.
        for &pe in &queue {
            remote!(IN_QUEUE[pe]) = 1;
            while shmem::LockRef::from(&LOCK).queue().0 != Some(pe) {
                std::thread::yield_now();
            }
        }
        enter();
        drop(guard.take());
    } else {
        wait!(IN_QUEUE == 1);
        let _guard = LOCK.lock();
        enter();
    }
    world.barrier_all();
    let expected: Vec<u64> = std::iter::once(0).chain(queue).map(|pe| pe as u64 + 1).collect();
    assert_eq!(remote!(ORDER[n - 1, ..n]), expected);
    assert_eq!(remote!(NEXT[n - 1]), n as u64);
}

/// Rule 12: The strides of `iput` and `iget` are at least 1 and count elements, those of `ibput`
/// and `ibget` are at least the block. Nothing moves when the count is zero.
///
/// Steps are those of a selection: a step of 0 is refused. A block's rows cannot overlap.
mod strides {
    use super::*;

    #[symmetric]
    static ROW: [u32; 24] = [0; 24];
    #[symmetric]
    static GRID: [[u16; 6]; 4] = [[0; 6]; 4];

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn count_elements(world: &World) {
        let right = right(world);
        for step in 1..=25_usize {
            for start in 0..=24_usize {
                local!(ROW[..]) = 0;
                world.barrier_all();
                let count = (24 - start).div_ceil(step);
                let values: Vec<u32> = (1..=count as u32).collect();
                remote!(ROW[right, start..24;step]) = &values[..];
                world.barrier_all();
                let mut model = [0; 24];
                (start..24).step_by(step).zip(&values).for_each(|(at, &value)| model[at] = value);
                assert_eq!(local!(ROW[..]), model, "{start}..24;{step}");
                assert_eq!(remote!(ROW[right, start..24;step]), values);
                world.barrier_all();
            }
        }
    }

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn of_zero_are_refused_and_counts_of_zero_move_nothing(world: &World) {
        let (right, none) = (right(world), world.n_pes() - world.n_pes());
        assert!(
            panic_of(|| remote!(ROW[right, 0..8;none]))
                .contains("the step on axis 0 is 0, and it must be at least 1")
        );
        for start in 0..=24_usize {
            remote!(ROW[right, start..start;3]) = 9;
            remote!(ROW[right, start..start]) = &[][..];
            assert_eq!(remote!(ROW[right, start..start;usize::MAX]), []);
        }
        remote!(GRID[right, none..none, ..]) = 9;
        remote!(GRID[right, .., 6..6]) = 9;
        world.barrier_all();
        assert_eq!(local!(ROW[..]), [0; 24]);
        assert_eq!(local!(GRID[.., ..]), [[0; 6]; 4]);
    }

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn of_blocks(world: &World) {
        let right = right(world);
        remote!(GRID[right, 0..4;2, 1..4]) = [[1, 2, 3], [4, 5, 6]];
        remote!(GRID[right, 1..4;2, 0..6;5]) = [[7, 8], [9, 10]];
        world.barrier_all();
        assert_eq!(
            local!(GRID[.., ..]),
            [[0, 1, 2, 3, 0, 0], [7, 0, 0, 0, 0, 8], [0, 4, 5, 6, 0, 0], [9, 0, 0, 0, 0, 10]]
        );
        assert_eq!(remote!(GRID[right, 0..4;2, 1..4]), [[1, 2, 3], [4, 5, 6]]);
    }
}

/// Rule 14: A static that only other PEs write must not be taken for a constant: every read of it
/// asks memory. Run optimised, this is where an implementation over a plain `static` fails.
mod statics_that_others_write {
    use super::*;

    #[symmetric]
    static SCALAR: u64 = 11;
    #[symmetric]
    static FLAG: u8 = 0;
    #[symmetric]
    static TABLE: [f64; 4] = [1.5; 4];
    #[symmetric]
    static CELL: Atomic<i64> = Atomic::new(-4);
    #[symmetric]
    static SLOTS: PerPe<u16> = PerPe::new(3);

    #[inline(never)]
    fn read() -> (u64, u8, [f64; 4], i64) {
        (local!(SCALAR), local!(FLAG), local!(TABLE[..]), local!(CELL))
    }

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn are_not_folded(world: &World) {
        // Nobody writes to its own copies but where there is one PE alone.
        assert_eq!(read(), (11, 0, [1.5; 4], -4));
        world.barrier_all();
        remote!(SCALAR[right(world)]) = 12;
        remote!(FLAG[right(world)]) = 1;
        remote!(TABLE[right(world), 2]) = 2.5;
        remote!(CELL[right(world)]) = 5;
        remote!(SLOTS[right(world), world.my_pe()]) = 4;
        world.barrier_all();
        assert_eq!(read(), (12, 1, [1.5, 1.5, 2.5, 1.5], 5));
        let slots = local!(SLOTS[..]);
        assert!((0..world.n_pes()).all(|pe| slots[pe] == if pe == left(world) { 4 } else { 3 }));
    }

    /// A loop that does nothing but look ends when another PE writes, although no call in it
    /// synchronises.
    #[shmem::test(npes = [2, 3, 4, 7])]
    fn end_a_loop_that_looks(world: &World) {
        if world.my_pe() == 0 {
            (1..world.n_pes()).for_each(|pe| remote!(FLAG[pe]) = 1);
        } else {
            while local!(FLAG) == 0 {
                std::hint::spin_loop();
            }
        }
        // And in a slice of it, the value is what was written.
        world.barrier_all();
        let seen = world.local_phase(|p| FLAG.as_slice(p)[0]);
        assert_eq!(seen, u8::from(world.my_pe() != 0));
    }

    /// Each PE's copies lie apart, and at the same place in every heap: what one PE writes nobody
    /// else sees.
    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn are_copies_of_their_own(world: &World) {
        local!(SCALAR) = 100 + world.my_pe() as u64;
        world.barrier_all();
        let all: BTreeSet<u64> = (0..world.n_pes()).map(|pe| remote!(SCALAR[pe])).collect();
        assert_eq!(all, (0..world.n_pes() as u64).map(|pe| 100 + pe).collect());
    }
}

/// Rules 3 and 4, of contexts and non-blocking operations: the barriers of allocation complete the
/// default context, and `quiet` of a context what was issued on it, non-blocking reads among it;
/// `fence` orders neither these nor the values that they fetch. Rule 8: the numbers of PEs are
/// those of the context's team.
///
/// What is read non-blocking cannot be looked at before the scope has ended, which is a `quiet`:
/// the compiler refuses it.
mod contexts {
    use shmem::context::{Private, Serialized, Shared};

    use super::*;

    #[symmetric]
    static DATA: [u64; 96] = [0; 96];
    #[symmetric]
    static COUNT: Atomic<u64> = Atomic::new(0);
    #[symmetric]
    static SIGNAL: Atomic<u64> = Atomic::new(0);
    #[symmetric]
    static TOLD: Atomic<u64> = Atomic::new(0);
    #[symmetric]
    static SOURCE: [u64; 32] = [0; 32];

    /// All kinds of operations on a context, then its quiet: a third PE is told, and finds all of
    /// it.
    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn quiet_covers_every_operation_of_the_context(world: &World) -> Result<(), Error> {
        let (me, n) = (world.my_pe(), world.n_pes());
        let ctx = world.team().context(Private)?;
        for round in 1..=200_u64 {
            local!(SOURCE[..]) = round;
            world.barrier_all();
            let (mut before, mut got) = (0, [0; 32]);
            let payload = [round; 32];
            remote!(ctx; DATA[right(world), 0..32]) = round;
            ctx.nbi(|s| {
                s.put(remote!(ctx; &DATA[right(world), 32..64]), &payload);
                s.get(remote!(ctx; &SOURCE[left(world), ..]), &mut got);
                s.fetch_add(remote!(ctx; &COUNT[right(world)]), 2, &mut before);
                let signal = remote!(ctx; &SIGNAL[right(world)]);
                s.put_signal(
                    remote!(ctx; &DATA[right(world), 64..96]),
                    &payload,
                    signal,
                    SignalOp::Set(round),
                );
            });
            // The scope's end is the quiet of the context: what was read and fetched is there.
            assert_eq!((got, before), ([round; 32], 2 * (round - 1)));
            ctx.quiet();
            remote!(TOLD[(me + 2) % n]) += 1;
            wait!(TOLD == round);
            assert_eq!(remote!(DATA[left(world), ..]), [round; 96]);
            assert_eq!(remote!(COUNT[left(world)]), 2 * round);
            assert_eq!(remote!(SIGNAL[left(world)]), round);
            world.barrier_all();
        }
        Ok(())
    }

    /// Each context has an order of its own: two threads with one each.
    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn fence_orders_each_context(world: &World) -> Result<(), Error> {
        let contexts = [world.team().context(Serialized)?, world.team().context(Serialized)?];
        let cells = [local!(&COUNT), local!(&SIGNAL)];
        std::thread::scope(|scope| {
            for (number, ctx) in contexts.into_iter().enumerate() {
                scope.spawn(move || {
                    let (from, to) = (48 * number, 48 * number + 48);
                    for round in 1..=200_u64 {
                        remote!(ctx; DATA[right(world), from..to]) = round;
                        ctx.fence();
                        if number == 0 {
                            remote!(ctx; COUNT[right(world)]) = round;
                        } else {
                            remote!(ctx; SIGNAL[right(world)]) = round;
                        }
                        // What was put on the context before is here, or what was put later: the
                        // others may be ahead.
                        let told = cells[number].wait_until(Comparison::Ge, round);
                        let seen = local!(DATA[from..to]);
                        assert!(seen.iter().all(|&value| value >= told), "{told}: {seen:?}");
                    }
                });
            }
        });
        Ok(())
    }

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn pe_numbers_are_those_of_the_team(world: &World) -> Result<(), Error> {
        let (me, n) = (world.my_pe(), world.n_pes());
        let reversed = world.team().split_strided(n - 1, -1, n)?.expect("all are members");
        let ctx = reversed.context(Shared)?;
        for pe in 0..n {
            remote!(ctx; DATA[pe, me]) = 1 + (10 * reversed.my_pe() + pe) as u64;
        }
        ctx.quiet();
        reversed.sync();
        for pe in 0..n {
            assert_eq!(local!(DATA[pe]), 1 + (10 * (n - 1 - pe) + n - 1 - me) as u64);
            assert_eq!(remote!(ctx; DATA[n - 1 - pe, me]), remote!(DATA[pe, me]));
        }
        // Of half of them, the others have no number.
        let some = world.team().split_strided(0, 2, n.div_ceil(2))?;
        if let Some(some) = &some {
            let ctx = some.context(Private)?;
            let told = panic_of(|| remote!(ctx; DATA[some.n_pes(), 0]));
            assert!(told.contains("on a context"), "{told}");
        }
        Ok(())
    }

    /// The barrier of an allocation completes what the default context has; here a context is
    /// completed by its own quiet before.
    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn allocation_completes_the_default_context(world: &World) -> Result<(), Error> {
        for round in 1..=50_u64 {
            let ctx = world.team().context(Private)?;
            remote!(DATA[right(world), 0..48]) = round;
            remote!(ctx; DATA[right(world), 48..]) = round;
            // A context that ends completes what was issued on it.
            drop(ctx);
            let array = world.zeros::<u8, 1>([1])?;
            assert_eq!(local!(DATA[..]), [round; 96]);
            array.free()?;
        }
        Ok(())
    }
}
