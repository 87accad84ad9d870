//! Locks: one at a time, in the order of coming, on PEs and on threads.

#[path = "harness/random.rs"]
mod random;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use random::Random;
use shmem::prelude::*;
use shmem::{LockGuard, LockRef};

#[symmetric]
static LOCK: Lock = Lock::new();
#[symmetric]
static OTHER: Lock = Lock::new();
#[symmetric]
static LOCKS: [Lock; 16] = [Lock::new(); 16];
#[symmetric]
static MINE: PerPe<Lock> = PerPe::new(Lock::new());
#[symmetric]
static GRID: [[Lock; 3]; 2] = [[Lock::new(); 3]; 2];
#[symmetric]
static SHELVES: PerPe<[Lock; 4]> = PerPe::new([Lock::new(); 4]);

/// Plain elements, which only a lock protects.
#[symmetric]
static COUNT: u64 = 0;
#[symmetric]
static BLOCK: [u64; 512] = [0; 512];
#[symmetric]
static ACCOUNTS: [i64; 16] = [0; 16];
#[symmetric]
static ORDER: [usize; 64] = [usize::MAX; 64];
#[symmetric]
static TURNS: usize = 0;
#[symmetric]
static FLAG: Atomic<u32> = Atomic::new(0);

/// How many threads of this PE have the lock or wait for it.
fn threads_at(lock: LockRef<'_>) -> u64 {
    lock.queue().1
}

/// Waits until `pe` is the last in the queue.
fn wait_for_last(lock: LockRef<'_>, pe: usize) {
    while lock.queue().0 != Some(pe) {
        thread::yield_now();
    }
}

/// Writes down who has the lock now; the caller has it.
fn sign(who: usize) {
    let turn = remote!(TURNS[0]);
    remote!(ORDER[0, turn] = who);
    remote!(TURNS[0] = turn + 1);
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn a_plain_counter_under_a_lock_is_exact(world: &World) {
    const TIMES: u64 = 300;
    let at = world.n_pes() - 1;
    for _ in 0..TIMES {
        let _guard = LOCK.lock();
        let count = remote!(COUNT[at]);
        remote!(COUNT[at]) = count + 1;
    }
    world.barrier_all();
    assert_eq!(remote!(COUNT[at]), TIMES * world.n_pes() as u64);
    assert_eq!(LockRef::from(&LOCK).queue(), (None, 0));
}

/// Strided and long puts to another PE are complete before the next one has the lock.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn the_next_one_sees_all_that_was_written(world: &World) {
    const TIMES: u64 = 100;
    for turn in 0..TIMES {
        let _guard = LOCK.lock();
        let at = turn as usize % world.n_pes();
        let block = remote!(BLOCK[at, ..]);
        assert_eq!(block, [block[0]; 512], "half of what somebody wrote");
        remote!(BLOCK[at, 1..;2]) = block[0] + 1;
        remote!(BLOCK[at, ..;2]) = block[0] + 1;
    }
    world.barrier_all();
    let total: u64 = (0..world.n_pes()).map(|pe| remote!(BLOCK[pe, 511])).sum();
    assert_eq!(total, TIMES * world.n_pes() as u64);
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn pes_have_the_lock_in_the_order_in_which_they_came(world: &World) {
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    for round in 0..30 {
        // Other homes, other first PEs, other directions.
        let lock = LOCKS.at(round % 16);
        let nth = |k: usize| (round + if round % 2 == 0 { k } else { n_pes - k }) % n_pes;
        let mine = (0..n_pes).find(|&k| nth(k) == me).expect("a place in the order");
        if mine == 0 {
            let guard = lock.lock();
            sign(me);
            world.sync_all();
            wait_for_last(lock, nth(n_pes - 1));
            drop(guard);
        } else {
            world.sync_all();
            wait_for_last(lock, nth(mine - 1));
            let _guard = lock.lock();
            sign(me);
        }
        world.barrier_all();
        if me == 0 {
            let expected: Vec<usize> = (0..n_pes).map(nth).collect();
            assert_eq!(local!(ORDER[0..n_pes]), expected, "round {round}");
            local!(TURNS) = 0;
        }
        world.barrier_all();
        assert_eq!(lock.queue(), (None, 0));
    }
}

#[shmem::test(npes = [1, 2, 3, 4])]
fn threads_of_a_pe_have_the_lock_in_the_order_in_which_they_came(world: &World) {
    const THREADS: usize = 5;
    let me = world.my_pe();
    let lock = MINE.at((me + 1) % world.n_pes());
    for round in 0..20 {
        let order = std::sync::Mutex::new(Vec::new());
        let guard = lock.lock();
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let order = &order;
                scope.spawn(move || {
                    // Thread 0 comes when main alone is there.
                    while threads_at(lock) != thread as u64 + 1 {
                        thread::yield_now();
                    }
                    let _guard = lock.lock();
                    order.try_lock().expect("one thread has the lock").push(thread);
                });
            }
            while threads_at(lock) != THREADS as u64 + 1 {
                thread::yield_now();
            }
            drop(guard);
        });
        let order = order.into_inner().expect("no thread failed");
        assert_eq!(order, Vec::from_iter(0..THREADS), "round {round}");
    }
    world.barrier_all();
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn threads_of_all_pes_compete(world: &World) {
    const THREADS: usize = 3;
    const TIMES: usize = 60;
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..TIMES {
                    let _guard = LOCK.lock();
                    let count = remote!(COUNT[0]);
                    remote!(COUNT[0] = count + 1);
                }
            });
        }
    });
    world.barrier_all();
    assert_eq!(remote!(COUNT[0]), (world.n_pes() * THREADS * TIMES) as u64);
}

/// A PE that waits after another is in the queue before that PE comes again, so no PE is passed.
#[shmem::test(npes = [2, 3, 4])]
fn who_comes_again_stands_behind(world: &World) {
    let me = world.my_pe();
    for _ in 0..30 {
        if me == 0 {
            let guard = LOCK.lock();
            world.sync_all();
            wait_for_last(LockRef::from(&LOCK), 1);
            drop(guard);
            let _again = LOCK.lock();
            assert_eq!(remote!(COUNT[0]), 1, "PE 1 was passed by");
            remote!(COUNT[0]) = 0;
        } else {
            world.sync_all();
            if me == 1 {
                let _guard = LOCK.lock();
                remote!(COUNT[0]) = 1;
            }
        }
        world.barrier_all();
    }
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn a_try_succeeds_on_a_free_lock_and_fails_on_a_taken_one(world: &World) {
    let me = world.my_pe();
    for holder in 0..world.n_pes() {
        let guard = (me == holder).then(|| LOCK.try_lock().expect("nobody has the lock"));
        world.barrier_all();
        // On the holder itself too, and from another thread of it.
        for _ in 0..3 {
            assert!(LOCK.try_lock().is_none());
            thread::scope(|scope| {
                scope.spawn(|| assert!(LOCK.try_lock().is_none()));
            });
        }
        world.barrier_all();
        drop(guard);
        world.barrier_all();
        assert_eq!(LockRef::from(&LOCK).queue(), (None, 0));
        world.barrier_all();
    }
    // What a failing try left does not stand in the way.
    drop(LOCK.lock());
}

/// A try does not pass by those who wait.
#[shmem::test(npes = [2, 3, 4])]
fn a_try_fails_while_somebody_waits(world: &World) {
    let me = world.my_pe();
    match me {
        0 => {
            let guard = LOCK.lock();
            world.sync_all();
            wait_for_last(LockRef::from(&LOCK), 1);
            drop(guard);
            // PE 1 has it, and keeps it until it is told.
            assert!(LOCK.try_lock().is_none());
            remote!(FLAG[1]) = 1;
        }
        1 => {
            world.sync_all();
            let _guard = LOCK.lock();
            while local!(FLAG) == 0 {
                thread::yield_now();
            }
        }
        _ => world.sync_all(),
    }
    world.barrier_all();
    if me == 0 {
        assert!(LOCK.try_lock().is_some());
    }
    world.barrier_all();
}

/// Counts by trying only.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn tries_exclude_one_another(world: &World) {
    const TIMES: u64 = 40;
    let mut done = 0;
    while done < TIMES {
        let Some(_guard) = OTHER.try_lock() else {
            thread::yield_now();
            continue;
        };
        let count = remote!(COUNT[0]);
        remote!(COUNT[0]) = count + 1;
        done += 1;
    }
    world.barrier_all();
    assert_eq!(remote!(COUNT[0]), TIMES * world.n_pes() as u64);
}

/// Payments between accounts that lie on different PEs, each under the locks of both; the balances
/// are those of a plain model.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn many_locks_in_random_order(world: &World) {
    const PAYMENTS: usize = 250;
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let payments = |pe: usize| {
        let mut random = Random(pe as u64 + 17);
        (0..PAYMENTS).map(move |_| (random.below(16), random.below(16), random.below(100) as i64))
    };
    for (from, to, amount) in payments(me) {
        // In one order, or two PEs wait for each other.
        let first = LOCKS.at(from.min(to)).lock();
        let second = (from != to).then(|| LOCKS.at(from.max(to)).lock());
        for (account, change) in [(from, -amount), (to, amount)] {
            let balance = remote!(ACCOUNTS[account % n_pes, account]);
            remote!(ACCOUNTS[account % n_pes, account]) = balance + change;
        }
        // Not always the last one first.
        if amount % 2 == 0 {
            drop(first);
            drop(second);
        } else {
            drop(second);
            drop(first);
        }
    }
    world.barrier_all();
    let mut model = [0; 16];
    for (from, to, amount) in (0..n_pes).flat_map(payments) {
        model[from] -= amount;
        model[to] += amount;
    }
    for (account, &balance) in model.iter().enumerate() {
        assert_eq!(remote!(ACCOUNTS[account % n_pes, account]), balance, "account {account}");
    }
}

/// Each index is a lock of its own, and the same one on every PE.
#[shmem::test(npes = [1, 2, 3, 4])]
fn locks_of_arrays_are_different_locks(world: &World) {
    let n_pes = world.n_pes();
    let mut all: Vec<LockRef<'static>> = vec![LockRef::from(&LOCK), LockRef::from(&OTHER)];
    all.extend((0..16).map(|i| LOCKS.at(i)));
    all.extend((0..n_pes).map(|pe| MINE.at(pe)));
    all.extend((0..2).flat_map(|i| (0..3).map(move |k| GRID.at([i, k]))));
    all.extend((0..n_pes).flat_map(|pe| (0..4).map(move |k| SHELVES.at([pe, k]))));
    let mut guards: Vec<Option<LockGuard<'static>>> = Vec::new();
    for (number, lock) in all.iter().enumerate() {
        // Dealt out to the PEs; each guard is had while all others are.
        let mine = number % n_pes == world.my_pe();
        guards.push(mine.then(|| lock.try_lock().unwrap_or_else(|| panic!("{lock:?} is taken"))));
    }
    world.barrier_all();
    for lock in &all {
        assert!(lock.try_lock().is_none(), "{lock:?} is free");
    }
    world.barrier_all();
    drop(guards);
    world.barrier_all();
    for lock in &all {
        assert_eq!(lock.queue(), (None, 0), "{lock:?}");
    }
}

/// What lies beside the locks is not theirs.
#[shmem::test(npes = [1, 2, 3])]
fn locks_touch_nothing_else(world: &World) {
    for i in 0..16 {
        drop(LOCKS.at(i).lock());
        drop(SHELVES.at([world.n_pes() - 1, i % 4]).lock());
    }
    world.barrier_all();
    assert_eq!((local!(COUNT), local!(TURNS), local!(FLAG)), (0, 0, 0));
    assert_eq!(local!(BLOCK[..]), [0; 512]);
    assert_eq!(local!(ACCOUNTS[..]), [0; 16]);
    assert_eq!(local!(ORDER[..]), [usize::MAX; 64]);
}

struct Entry<'a> {
    lock: Option<LockGuard<'a>>,
    number: usize,
}

#[shmem::test(npes = [1, 2, 3])]
fn a_guard_may_be_moved_and_kept(world: &World) {
    let me = world.my_pe();
    let lock = MINE.at(me);
    let take = || Entry { lock: Some(lock.lock()), number: me };
    let mut kept = Box::new(take());
    assert!(lock.try_lock().is_none() && kept.number == me);
    kept.lock = None;
    drop(lock.try_lock().expect("the guard in the struct was dropped"));
    kept.lock = Some(lock.lock());
    let moved = *kept;
    assert!(lock.try_lock().is_none());
    drop(moved);
    drop(lock.try_lock().expect("the struct was dropped"));
}

thread_local! {
    static KEPT: std::cell::RefCell<Option<LockGuard<'static>>> = const { std::cell::RefCell::new(None) };
}

/// It may be dropped after the list of what the thread has.
#[shmem::test(npes = [1, 2, 3])]
fn a_guard_may_end_with_its_thread(world: &World) {
    for _ in 0..10 {
        let first = thread::spawn(|| KEPT.with(|kept| *kept.borrow_mut() = Some(LOCK.lock())));
        first.join().expect("the thread takes the lock");
        let second = thread::spawn(|| {
            KEPT.with(|kept| *kept.borrow_mut() = None);
            let guard = LOCK.lock();
            KEPT.with(|kept| *kept.borrow_mut() = Some(guard));
        });
        second.join().expect("the thread takes the lock");
    }
    world.barrier_all();
    assert_eq!(LockRef::from(&LOCK).queue(), (None, 0));
}

/// On every PE the memory of the guard alone is gone; the job ends as always.
#[shmem::test(npes = [1, 2, 3])]
fn a_forgotten_guard_keeps_its_lock(world: &World) {
    let me = world.my_pe();
    std::mem::forget(MINE.at(me).lock());
    world.barrier_all();
    for pe in 0..world.n_pes() {
        assert!(MINE.at(pe).try_lock().is_none());
    }
}

#[shmem::test(npes = [1, 2, 3])]
fn unwinding_releases(world: &World) {
    for _ in 0..20 {
        let caught = catch_unwind(|| {
            let _guard = LOCK.lock();
            let count = remote!(COUNT[0]);
            remote!(COUNT[0] = count + 1);
            // Without a hook: a caught panic is not worth a page of output.
            std::panic::resume_unwind(Box::new("in between"));
        });
        assert!(caught.is_err());
    }
    world.barrier_all();
    assert_eq!(remote!(COUNT[0]), 20 * world.n_pes() as u64);
}

#[shmem::test(npes = [1, 2])]
fn what_was_refused_may_be_done_right_afterwards(world: &World) {
    let guard = LOCKS.at(3 + world.my_pe()).lock();
    let again = catch_unwind(|| drop(LOCKS.at(3 + world.my_pe()).lock()));
    let text = *again.expect_err("it would wait for ever").downcast::<String>().expect("a text");
    let line = guard_line();
    assert!(
        text.starts_with(&format!(
            "lock {} of `LOCKS: [Lock; 16]` (shmem-core/tests/locks.rs:",
            3 + world.my_pe()
        )) && text.contains(&format!("since shmem-core/tests/locks.rs:{line}:")),
        "{text}"
    );
    // Another lock is another lock, and another thread may wait.
    drop(LOCKS.at(7 + world.my_pe()).lock());
    thread::scope(|scope| {
        let lock = LOCKS.at(3 + world.my_pe());
        scope.spawn(move || drop(lock.lock()));
        while threads_at(lock) != 2 {
            thread::yield_now();
        }
        drop(guard);
    });
    drop(LOCKS.at(3 + world.my_pe()).lock());
}

/// The line of the `lock` in the test above.
fn guard_line() -> usize {
    let lines = include_str!("locks.rs").lines();
    1 + lines.take_while(|line| !line.contains("let guard = LOCKS.at(3 +")).count()
}

#[shmem::test(npes = 2)]
#[should_panic(expected = "and locking it again would wait for ever")]
fn locking_twice_ends_the_job() {
    let _guard = LOCK.lock();
    let _again = LOCK.lock();
}

#[shmem::test(npes = 3)]
#[should_panic(expected = ": with the lock")]
fn a_panic_with_a_lock_ends_the_job(world: &World) {
    if world.my_pe() == 1 {
        let _guard = LOCK.lock();
        world.sync_all();
        panic!("with the lock");
    }
    world.sync_all();
    drop(LOCK.lock());
    world.barrier_all();
}

/// The others wait for a lock that nobody will release, and the job ends all the same, with the
/// words of the one that failed.
#[shmem::test(npes = 3)]
#[should_panic(expected = "PE 1 of 3 panicked at shmem-core/tests/locks.rs")]
fn a_panic_ends_the_job_of_those_who_wait(world: &World) {
    if world.my_pe() == 1 {
        std::mem::forget(LOCK.lock());
        world.sync_all();
        wait_for_last(LockRef::from(&LOCK), 0);
        panic!("and never released");
    }
    world.sync_all();
    if world.my_pe() == 0 {
        drop(LOCK.lock());
    }
    world.barrier_all();
}

#[shmem::test(npes = 2)]
#[should_panic(
    expected = "there is no lock `LOCKS[16]`: index 16 on axis 0, which has extent 16; the locks are `LOCKS: [Lock; 16]` (shmem-core/tests/locks.rs:"
)]
fn an_index_out_of_bounds() {
    let _guard = LOCKS.at(16).lock();
}

#[shmem::test(npes = 3)]
#[should_panic(expected = "there is no lock `MINE[3]`: index 3 on axis 0, which has extent 3")]
fn no_lock_of_a_pe_that_does_not_exist(world: &World) {
    MINE.at(world.n_pes());
}

#[shmem::test(npes = 2)]
#[should_panic(expected = "there is no lock `SHELVES[1, 4]`: index 4 on axis 1, which has extent 4")]
fn an_index_out_of_bounds_on_the_second_axis() {
    SHELVES.at([1, 4]);
}

#[test]
fn outside_of_a_job() {
    for attempt in [
        (|| drop(LOCK.lock())) as fn(),
        || drop(LOCK.try_lock()),
        || drop(LOCKS.at(3).lock()),
        || drop(LOCKS.at(99).lock()),
        || drop(MINE.at(0).lock()),
    ] {
        let refused = catch_unwind(AssertUnwindSafe(attempt)).expect_err("there is no job");
        let text = refused.downcast::<String>().expect("a text");
        assert!(text.contains("was accessed outside of a job"), "{text}");
    }
}

#[test]
fn what_they_print() {
    assert_eq!(format!("{:?}", Lock::default()), "Lock");
    assert!(format!("{LOCK:?}").starts_with("symmetric `LOCK: Lock` (shmem-core/tests/locks.rs:"));
}

#[shmem::test(npes = 1)]
fn what_they_print_in_a_job() {
    let guard = GRID.at([1, 2]).lock();
    assert!(format!("{guard:?}").starts_with("guard of lock 5 of `GRID: [[Lock; 3]; 2]` (shmem-core/tests/"));
    let alone = LockRef::from(&LOCK);
    assert!(format!("{alone:?}").starts_with("the lock `LOCK: Lock` (shmem-core/tests/locks.rs:"));
}
