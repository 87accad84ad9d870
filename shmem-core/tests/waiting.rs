//! `wait!`, `poll!` and their methods: against plain Rust comparisons, against every atomic
//! operation of other PEs, and as the receiving end of messages.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use shmem::prelude::*;

const ALL: [Comparison; 6] =
    [Comparison::Eq, Comparison::Ne, Comparison::Gt, Comparison::Ge, Comparison::Lt, Comparison::Le];

/// The model of a comparison.
fn compares<T: Ord>(seen: T, comparison: Comparison, value: T) -> bool {
    let order = seen.cmp(&value);
    match comparison {
        Comparison::Eq => order.is_eq(),
        Comparison::Ne => order.is_ne(),
        Comparison::Gt => order.is_gt(),
        Comparison::Ge => order.is_ge(),
        Comparison::Lt => order.is_lt(),
        Comparison::Le => order.is_le(),
    }
}

/// What `call` panics with.
fn panic_of<T>(call: impl FnOnce() -> T) -> String {
    let panic = catch_unwind(AssertUnwindSafe(call)).err().expect("a mistake");
    panic.downcast_ref::<String>().cloned().expect("a text")
}

// Every comparison on every type, with values whose order depends on the sign -------------------------------

macro_rules! comparisons {
    ($($test:ident $int:ident;)*) => {$(
        #[shmem::test(npes = [1, 2, 3, 4, 7])]
        fn $test(world: &World) {
            #[symmetric]
            static CELL: Atomic<$int> = Atomic::new(0);
            #[symmetric]
            static CELLS: [[Atomic<$int>; 4]; 3] = [[Atomic::new(0); 4]; 3];

            let values: [$int; 10] = [
                <$int>::MIN,
                <$int>::MIN + 1,
                (0 as $int).wrapping_sub(7),
                (0 as $int).wrapping_sub(1),
                0,
                1,
                7,
                <$int>::MAX / 2 + 1,
                <$int>::MAX - 1,
                <$int>::MAX,
            ];
            let right = (world.my_pe() + 1) % world.n_pes();
            for seen in values {
                // By this PE's left neighbour, and read from this one and from the left.
                remote!(CELL[right]) = seen;
                remote!(CELLS[right, .., 1..4;2]) = seen;
                world.barrier_all();
                for value in values {
                    for comparison in ALL {
                        let expected = compares(seen, comparison, value);
                        let case = format!("{seen} {comparison:?} {value}");
                        for cell in [local!(&CELL), remote!(&CELL[right])] {
                            assert_eq!(cell.test(comparison, value), expected, "{case}");
                            assert_eq!(cell.test_all(comparison, value), expected, "{case}");
                            assert_eq!(cell.test_any(comparison, value), expected.then_some(0), "{case}");
                            if expected {
                                assert_eq!(cell.wait_until(comparison, value), seen, "{case}");
                                cell.wait_until_all(comparison, value);
                                assert_eq!(cell.wait_until_some(comparison, value), [0], "{case}");
                            }
                        }
                        let block = local!(&CELLS[.., 1..4;2]);
                        assert_eq!(block.test_all(comparison, [[value; 2]; 3]), expected, "{case}");
                        assert_eq!(block.test_some(comparison, value).len(), if expected { 6 } else { 0 });
                    }
                    assert_eq!(poll!(CELL == value), seen == value);
                    assert_eq!(poll!(CELL != value), seen != value);
                    assert_eq!(poll!(CELL > value), seen > value);
                    assert_eq!(poll!(CELL >= value), seen >= value);
                    assert_eq!(poll!(CELL < value), seen < value);
                    assert_eq!(poll!(CELL <= value), seen <= value);
                    assert_eq!(poll!(all CELLS[..2, 1] > [value, value]), seen > value);
                    assert_eq!(poll!(any CELLS[1, 1..2] <= value), (seen <= value).then_some(0));
                }
                assert_eq!(wait!(CELL == seen), seen);
                world.barrier_all();
            }
        }
    )*};
}

comparisons! {
    comparisons_of_i32 i32;
    comparisons_of_i64 i64;
    comparisons_of_isize isize;
    comparisons_of_u32 u32;
    comparisons_of_u64 u64;
    comparisons_of_usize usize;
}

// Every kind of update, by another PE, while this one waits -------------------------------------------------

#[symmetric]
static WORD: Atomic<i64> = Atomic::new(0);
#[symmetric]
static SHORT: Atomic<u32> = Atomic::new(0);
#[symmetric]
static PAYLOAD: [u64; 33] = [0; 33];

/// The left neighbour updates by `update`, and `waits` ends; then the payload that came before is
/// there.
#[shmem::kernel]
fn an_update_ends_a_wait(world: &World, stamp: u64, update: impl Fn(usize), waits: impl Fn(usize)) {
    let right = (world.my_pe() + 1) % world.n_pes();
    world.barrier_all();
    if stamp.is_multiple_of(3) {
        // The waiter has gone to sleep by then, as a rule.
        thread::sleep(Duration::from_millis(2));
    }
    remote!(PAYLOAD[right, ..]) = stamp;
    world.fence();
    update(right);
    waits(right);
    assert_eq!(local!(PAYLOAD[..]), [stamp; 33]);
    world.barrier_all();
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn every_update_ends_a_wait(world: &World) {
    type Update = fn(usize);
    // Each finds what the one before it left.
    let words: [(Update, i64); 15] = [
        (|pe| remote!(WORD[pe]) = -5, -5),
        (|pe| remote!(WORD[pe]) += 2, -3),
        (|pe| remote!(WORD[pe]) -= 7, -10),
        (|pe| remote!(WORD[pe]) &= 0xff, 0xf6),
        (|pe| remote!(WORD[pe]) |= 1 << 40, 0xf6 | 1 << 40),
        (|pe| remote!(WORD[pe]) ^= -1, !(0xf6 | 1 << 40)),
        (|pe| assert_eq!(remote!(&WORD[pe]).swap(12), !(0xf6 | 1 << 40)), 12),
        (|pe| assert_eq!(remote!(&WORD[pe]).compare_exchange(12, i64::MIN), Ok(12)), i64::MIN),
        (|pe| assert_eq!(remote!(&WORD[pe]).fetch_add(1), i64::MIN), i64::MIN + 1),
        (|pe| assert_eq!(remote!(&WORD[pe]).fetch_sub(2), i64::MIN + 1), i64::MAX),
        (|pe| assert_eq!(remote!(&WORD[pe]).fetch_and(0xf0f), i64::MAX), 0xf0f),
        (|pe| assert_eq!(remote!(&WORD[pe]).fetch_or(0xf0), 0xf0f), 0xfff),
        (|pe| assert_eq!(remote!(&WORD[pe]).fetch_xor(0xff), 0xfff), 0xf00),
        (|pe| remote!(&WORD[pe]).put(77), 77),
        (|pe| remote!(&WORD[pe]).fill(0), 0),
    ];
    for (round, (update, value)) in words.into_iter().enumerate() {
        an_update_ends_a_wait(world, 3 * round as u64, update, |_| assert_eq!(wait!(WORD == value), value));
    }
    for (round, (update, value)) in words.into_iter().enumerate() {
        // At the neighbour's, too: nobody but this PE updates it, so the wait has to see what was
        // just done.
        an_update_ends_a_wait(world, 3 * round as u64 + 1, update, |right| {
            assert_eq!(remote!(&WORD[right]).wait_until(Comparison::Eq, value), value);
            wait!(all WORD == value);
        });
    }
    let shorts: [(Update, u32); 4] = [
        (|pe| remote!(SHORT[pe]) -= 1, u32::MAX),
        (|pe| assert_eq!(remote!(&SHORT[pe]).swap(1 << 31), u32::MAX), 1 << 31),
        (|pe| remote!(SHORT[pe]) ^= 1 << 31 | 6, 6),
        (|pe| assert_eq!(remote!(&SHORT[pe]).compare_exchange(6, 0), Ok(6)), 0),
    ];
    for (round, (update, value)) in shorts.into_iter().enumerate() {
        an_update_ends_a_wait(world, 1000 + round as u64, update, |_| {
            assert_eq!(wait!(any SHORT == value), Some(0))
        });
    }
}

/// A cell of another PE, which that PE updates itself.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn a_wait_for_another_pes_cell(world: &World) {
    let (me, right) = (world.my_pe(), (world.my_pe() + 1) % world.n_pes());
    for round in 1..=200 {
        remote!(WORD[me]) += 1;
        assert!(remote!(&WORD[right]).wait_until(Comparison::Ge, round) >= round);
    }
    world.barrier_all();
}

// Messages: each once, in any order ------------------------------------------------------------------------

/// What PE `from` last sent to the PE that holds it, from 1 on; 0 once it is taken.
#[symmetric]
static MAIL: PerPe<Atomic<i64>> = PerPe::new(Atomic::new(0));
#[symmetric]
static LETTERS: PerPe<[i64; 20]> = PerPe::new([0; 20]);

const MESSAGES: i64 = 60;

/// Sends [`MESSAGES`] to every PE, each when the one before has been taken.
#[shmem::kernel]
fn send(world: &World) {
    let me = world.my_pe();
    for message in 1..=MESSAGES {
        for step in 0..world.n_pes() {
            let to = (me + step) % world.n_pes();
            remote!(&MAIL[to, me]).wait_until(Comparison::Eq, 0);
            remote!(LETTERS[to, me, ..]) = message * 100 + me as i64;
            world.fence();
            remote!(MAIL[to, me]) = message;
        }
    }
}

/// Takes the message that `from` has left, which follows `taken`.
#[shmem::kernel]
fn take(from: usize, taken: &mut [i64]) {
    taken[from] += 1;
    assert_eq!(local!(MAIL[from]), taken[from], "a message of PE {from}");
    assert_eq!(local!(LETTERS[from, ..]), [taken[from] * 100 + from as i64; 20]);
    local!(MAIL[from]) = 0;
}

/// Sends from another thread, which waits at the same time as this one, and receives by `next`.
fn exchange(world: &World, mut next: impl FnMut(&mut [i64])) {
    let mut taken = vec![0; world.n_pes()];
    thread::scope(|scope| {
        scope.spawn(|| send(world));
        while taken.iter().any(|&taken| taken < MESSAGES) {
            next(&mut taken);
        }
    });
    assert_eq!(taken, vec![MESSAGES; world.n_pes()]);
    world.barrier_all();
    assert!(poll!(all MAIL[..] == 0));
    world.barrier_all();
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn any_takes_each_message_once(world: &World) {
    exchange(world, |taken| take(wait!(any MAIL[..] != 0).expect("there are slots"), taken));
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn some_takes_each_message_once(world: &World) {
    exchange(world, |taken| {
        let some = wait!(some MAIL[..] != 0);
        assert!(!some.is_empty() && some.is_sorted(), "{some:?}");
        some.into_iter().for_each(|from| take(from, taken));
    });
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn polls_take_each_message_once(world: &World) {
    let mut turn = 0;
    exchange(world, |taken| {
        turn += 1;
        if turn % 2 == 0 {
            poll!(any MAIL[..] > 0).into_iter().for_each(|from| take(from, taken));
        } else {
            poll!(some MAIL[..] > 0).into_iter().for_each(|from| take(from, taken));
        }
        thread::yield_now();
    });
}

/// The values are what each sender's next message is: a list, a different one in each call.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn vectors_take_each_message_once(world: &World) {
    exchange(world, |taken| {
        let next: Vec<i64> = taken.iter().map(|taken| taken + 1).collect();
        take(wait!(any MAIL[..] == &next).expect("there are slots"), taken);
    });
}

/// All PEs in turn, each left out when it has sent enough.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn masks_take_each_message_once(world: &World) {
    let mut round = 0;
    let mut seen = vec![false; world.n_pes()];
    exchange(world, |taken| match wait!(any MAIL[..] != 0; except seen) {
        Some(from) => {
            assert!(!seen[from], "PE {from} twice in round {round}");
            seen[from] = true;
            take(from, taken);
        }
        None => {
            assert_eq!(seen, vec![true; seen.len()]);
            round += 1;
            assert_eq!(taken, vec![round; seen.len()]);
            seen.fill(false);
        }
    });
    // The last round ends without another call.
    assert_eq!((round, seen), (MESSAGES - 1, vec![true; world.n_pes()]));
}

// Which cells, and which values --------------------------------------------------------------------------

#[symmetric]
static GRID: [[Atomic<i32>; 5]; 4] = [[Atomic::new(0); 5]; 4];

/// Every form of a selection, with one value and with a value for each: positions are row-major in
/// the selection.
#[shmem::test(npes = [1, 3])]
fn positions_are_those_of_the_selection(world: &World) {
    let mut model = [[0; 5]; 4];
    for (row, cells) in model.iter_mut().enumerate() {
        for (column, cell) in cells.iter_mut().enumerate() {
            *cell = (row * 7 + column * 3) as i32 % 5 - 2;
        }
    }
    local!(GRID[.., ..]) = model;
    let all: Vec<usize> = (0..20).filter(|i| model[i / 5][i % 5] > 0).collect();
    assert_eq!(poll!(some GRID[.., ..] > 0), all);
    assert_eq!(wait!(some GRID[.., ..] > 0), all);
    let (from, by) = (world.n_pes().min(1), 2);
    let part: Vec<i32> =
        (from..4).step_by(by).flat_map(|row| (1..5).step_by(3).map(move |c| model[row][c])).collect();
    assert_eq!(local!(GRID[from..;by, 1..;3]), part);
    for value in -3..=3 {
        let model: Vec<usize> = (0..part.len()).filter(|&i| part[i] <= value).collect();
        assert_eq!(poll!(some GRID[from..;by, 1..;3] <= value), model);
        assert_eq!(poll!(all GRID[from..;by, 1..;3] <= value), model.len() == part.len());
        let any = poll!(any GRID[from..;by, 1..;3] <= value);
        assert!(any.map_or(model.is_empty(), |any| model.contains(&any)), "{any:?} of {model:?}");
    }
    let column = [model[0][3], model[1][3] + 1, model[2][3], model[3][3] - 1];
    assert_eq!(poll!(some GRID[.., 3] == column), [0, 2]);
    assert_eq!(poll!(some GRID[.., 3] == column.as_slice()), [0, 2]);
    assert_eq!(poll!(some GRID[.., 3] >= column.to_vec()), [0, 2, 3]);
    assert_eq!(poll!(some GRID[.., 3] == &column), [0, 2]);
    assert_eq!(poll!(some GRID[1..3, 1..3] == [[model[1][1], 9], [9, model[2][2]]]), [0, 3]);
    assert_eq!(poll!(some GRID[1..3, 1..3] == vec![9, model[1][2], model[2][1], 9]), [1, 2]);

    // Masks are flat, in the same order.
    let status = [true, false, false, true];
    assert_eq!(poll!(some GRID[1..3, 1..3] > -9; except status), [1, 2]);
    assert_eq!(wait!(some GRID[1..3, 1..3] > -9; except &status[..]), [1, 2]);
    assert_eq!(poll!(some GRID[1..3, 1..3] == [[9, model[1][2]], [9, 9]]; except status.to_vec()), [1]);
    assert!(poll!(all GRID[.., 3] == column; except [false, true, false, true]));
    assert!(!poll!(all GRID[.., 3] == column; except [false, true, false, false]));
    wait!(all GRID[.., 3] == column; except [false, true, false, true]);
    assert_eq!(poll!(any GRID[.., 3] == column; except [true, true, false, true]), Some(2));
    assert_eq!(poll!(any GRID[.., 3] == column; except [true, true, true, false]), None);
    let cells = local!(&GRID[.., 3]).except(&status);
    assert_eq!(cells.test_some(Comparison::Ge, i32::MIN), [1, 2]);
    assert_eq!(cells.wait_until_any(Comparison::Eq, column), Some(2));
    world.barrier_all();
}

/// A selection without cells, and one whose cells are all left out, end every wait.
#[shmem::test(npes = [1, 2])]
fn nothing_to_wait_for(world: &World) {
    let n = world.n_pes() - world.n_pes();
    let empty: [i32; 0] = [];
    wait!(all GRID[1, 2..2] == 99);
    wait!(all GRID[1, n..n] == 99);
    wait!(all GRID[n..n, 2..2] == vec![]);
    wait!(all GRID[2..2, ..] == [[99; 5]; 0]);
    assert_eq!(wait!(any GRID[1, 2..2] == empty), None);
    assert_eq!(wait!(any GRID[n..n, ..] == 99), None);
    assert_eq!(wait!(some GRID[1, 2..2] == 99), []);
    assert_eq!(wait!(any GRID[1, 2..2] == 99; except []), None);
    assert!(poll!(all GRID[1, 2..2] == 99));
    assert_eq!((poll!(any GRID[1, 2..2] == 99), poll!(some GRID[1, 2..2] == 99)), (None, vec![]));

    let out = vec![true; 5];
    wait!(all GRID[1, ..] == 99; except out);
    assert_eq!(wait!(any GRID[1, ..] == 99; except out), None);
    assert_eq!(wait!(some GRID[1, ..] == 99; except out), []);
    assert!(poll!(all GRID[1, ..] == 99; except out));
    assert!(!poll!(all GRID[1, ..] == 99));
    assert_eq!(poll!(any GRID[1, ..] == 0; except out), None);
    assert_eq!(poll!(some GRID[1, ..] == 0; except out), []);
    wait!(all GRID[1, 1] == 99; except [true]);
    let none: [bool; 5] = [false; 5];
    assert_eq!(wait!(some GRID[1, ..] == 0; except none), [0, 1, 2, 3, 4]);
}

#[shmem::test(npes = 2)]
fn a_list_of_another_length(world: &World) {
    let n = world.n_pes();
    let values = vec![0; n];
    let message = panic_of(|| wait!(all GRID[1, ..] == values));
    assert!(
        message.starts_with("the list of values has 2 elements, and the selection of `GRID: "),
        "{message}"
    );
    let message = panic_of(|| poll!(any GRID[1, ..] == 0; except vec![false; 4 + n]).is_some());
    assert!(message.starts_with("the status has 6 elements, and the selection of `GRID: "), "{message}");
    let message = panic_of(|| remote!(&WORD[n + 1]).wait_until(Comparison::Eq, 0));
    assert!(message.starts_with("there is no PE 3: the job has 2 PEs"), "{message}");
    let message = panic_of(|| remote!(&GRID[n, 0, ..]).test_any(Comparison::Eq, 0));
    assert!(message.starts_with("there is no PE 2: the job has 2 PEs"), "{message}");
}

/// Cells that always compare are all returned again and again, also when searches in several sets
/// take turns.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn any_is_fair(world: &World) {
    for sets in 1..=4 {
        let mut found = vec![[0; 5]; sets];
        for _ in 0..100 {
            for (row, found) in found.iter_mut().enumerate() {
                found[wait!(any GRID[row, ..] == 0).expect("five cells")] += 1;
            }
        }
        assert!(found.as_flattened().iter().all(|&times| times >= 10), "{found:?}");
    }
    // Two cells next to each other, far from the rest: neither hides behind the other.
    let row = world.my_pe() % 4;
    local!(GRID[row, 1..3]) = 1;
    let mut found = [0; 5];
    for turn in 0..100 {
        let at = if turn % 2 == 0 { wait!(any GRID[row, ..] == 1) } else { poll!(any GRID[row, ..] == 1) };
        found[at.expect("two cells")] += 1;
    }
    assert!(found[1] >= 10 && found[2] >= 10 && found[1] + found[2] == 100, "{found:?}");
}

/// Arrays made at run time, behind references and in structs.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn arrays_of_run_time(world: &World) {
    struct Mail {
        slots: SymmetricArray<Atomic<u32>, 2>,
    }
    impl Mail {
        fn arrivals(&self, row: usize) -> Vec<usize> {
            wait!(some self.slots[row, ..] != 0)
        }
    }
    let (me, n) = (world.my_pe(), world.n_pes());
    let mail = Mail { slots: world.symmetric_array([2, n], Atomic::new(0)).expect("room") };
    for pe in 0..n {
        remote!(mail.slots[pe, 1, me] += 1 + me as u32);
    }
    let arrivals = mail.arrivals(1);
    assert!(!arrivals.is_empty() && arrivals.iter().all(|&pe| pe < n));
    let each: Vec<u32> = (1..=n as u32).collect();
    wait!(all mail.slots[1, ..] == each);
    assert_eq!(wait!(mail.slots[1, me] >= 1), me as u32 + 1);
    let boxed = [Box::new(mail)];
    assert!(poll!(all (boxed[0].slots)[0, ..] == 0));
    world.barrier_all();
}

// Long waits --------------------------------------------------------------------------------------------

#[symmetric]
static GATES: [Atomic<u64>; 6] = [Atomic::new(0); 6];

/// How often a thread of this process has given its core away to sleep.
#[cfg(target_os = "linux")]
fn sleeps(thread: rustix::thread::Pid) -> u64 {
    let path = format!("/proc/self/task/{thread}/status");
    let status = std::fs::read_to_string(path).expect("the thread runs");
    let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    count.and_then(|count| count.trim().parse().ok()).expect("the system counts how often a thread sleeps")
}

/// Every form of a wait sleeps again and again while nothing happens. What is looked at is that
/// they sleep, however long it takes: a wait that span never would.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn a_long_wait_sleeps(world: &World) {
    let me = world.my_pe();
    let right = (me + 1) % world.n_pes();
    let waits: [fn(usize); 6] = [
        |_| assert_eq!(wait!(GATES[0] != 0), 1),
        |_| wait!(all GATES[..] == 1),
        |_| assert!(wait!(any GATES[1..4] != 0).is_some()),
        |_| assert!(!wait!(some GATES[..] != 0; except [true, true, true, false, true, true]).is_empty()),
        |right| assert_eq!(remote!(&GATES[right, 4]).wait_until(Comparison::Eq, 1), 1),
        |right| remote!(&GATES[right, ..]).wait_until_all(Comparison::Gt, [0, 0, 0, 0, 0, 0]),
    ];
    let (enter, entered) = mpsc::channel();
    thread::scope(|scope| {
        // All at once: several threads of one PE wait at the same time.
        let waiters = waits.map(|wait| {
            let enter = enter.clone();
            scope.spawn(move || {
                enter.send(thread_number()).expect("the PE listens");
                wait(right);
            })
        });
        for thread in entered.iter().take(waits.len()) {
            see_it_sleep(thread);
        }
        // Nobody is released before all have slept.
        world.barrier_all();
        assert!(waiters.iter().all(|waiter| !waiter.is_finished()), "a wait ended by itself");
        world.barrier_all();
        remote!(GATES[right, ..]) = 1;
    });
    world.barrier_all();
}

#[cfg(target_os = "linux")]
fn thread_number() -> rustix::thread::Pid {
    rustix::thread::gettid()
}

/// Returns when the thread has slept often.
#[cfg(target_os = "linux")]
fn see_it_sleep(thread: rustix::thread::Pid) {
    // A library whose transfers need this process is driven at each look, without a pause.
    let far = std::env::var_os("SHMEM_DIRECT").is_some_and(|value| value != "1");
    if cfg!(feature = "openshmem") && far {
        return;
    }
    let before = sleeps(thread);
    while sleeps(thread) < before + 50 {
        thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(not(target_os = "linux"))]
fn thread_number() {}

/// Elsewhere it is not known how often a thread sleeps.
#[cfg(not(target_os = "linux"))]
fn see_it_sleep(_: ()) {
    thread::sleep(Duration::from_millis(50));
}

/// Several threads wait for the same cell, and each is released by each step.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn threads_wait_for_one_cell(world: &World) {
    const STEPS: i64 = 100;
    let right = (world.my_pe() + 1) % world.n_pes();
    thread::scope(|scope| {
        for thread in 0..2 {
            scope.spawn(move || {
                for step in 1..=STEPS {
                    assert!(wait!(WORD >= step) >= step);
                    // Its own answer; the left neighbour waits for both.
                    remote!(GATES[right, thread]) = step as u64;
                }
            });
        }
        for step in 1..=STEPS {
            remote!(WORD[right]) = step;
            wait!(all GATES[0..2] >= step as u64);
        }
    });
    world.barrier_all();
}
