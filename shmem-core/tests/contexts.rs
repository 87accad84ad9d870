//! Contexts: whose PEs they number, which threads use them, and that threads may do everything at
//! once.

#[path = "harness/random.rs"]
mod random;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use random::Random;
use shmem::ThreadLevel;
use shmem::context::{Private, Serialized, Shared};
use shmem::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Pair {
    x: u32,
    y: u32,
}

#[symmetric]
static FLAG: Atomic<u64> = Atomic::new(0);
#[symmetric]
static WORD: u64 = 0;
#[symmetric]
static LINE: [i32; 24] = [0; 24];
#[symmetric]
static PAIRS: [Pair; 6] = [Pair { x: 0, y: 0 }; 6];

/// What a panic said.
#[track_caller]
fn message<R>(body: impl FnOnce() -> R) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(body)) else { panic!("no panic") };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().expect("a text")).to_owned(),
    }
}

/// Teams of every stride, of which each member writes to each: the copies say who was reached.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn pes_are_those_of_the_team(world: &World) {
    let n = world.n_pes();
    let mine = world.zeros::<u64, 1>([n]).unwrap();
    for stride in [-2, -1, 1, 2, 3_isize] {
        let size = (n - 1) / stride.unsigned_abs() + 1;
        let start = if stride < 0 { (size - 1) * stride.unsigned_abs() } else { 0 };
        let team = world.team().split_strided(start, stride, size).unwrap();
        if let Some(team) = &team {
            let ctx = team.context(Private).unwrap();
            assert!(std::ptr::eq(ctx.team(), team));
            for pe in 0..team.n_pes() {
                remote!(ctx; mine[pe, team.my_pe()]) = 100 + pe as u64;
            }
            ctx.quiet();
        }
        world.barrier_all();
        let rank = team.as_ref().map(Team::my_pe);
        let expected: Vec<u64> = (0..n)
            .map(|i| match rank {
                Some(rank) if i < size => 100 + rank as u64,
                _ => 0,
            })
            .collect();
        assert_eq!(local!(mine[..]), expected, "stride {stride}");
        local!(mine[..]) = 0;
        world.barrier_all();
    }
}

/// Every form of `remote!` that there is without a context.
#[shmem::test(npes = [1, 2, 3, 4])]
fn every_form(world: &World) {
    let n = world.n_pes();
    // The world backwards.
    let team = world.team().split_strided(n - 1, -1, n).unwrap().expect("all are members");
    let ctx = team.context(Shared).unwrap();
    let target = (team.my_pe() + 1) % n;
    let there = team.world_pe(target);
    let value = world.my_pe() as u32;

    remote!(ctx; WORD[target] = 7);
    remote!(ctx; WORD[target]) = 8;
    assert_eq!((remote!(ctx; WORD[target]), remote!(WORD[there])), (8, 8));

    remote!(ctx; LINE[target, 0..24;2]) = [value as i32; 12];
    remote!(ctx; LINE[target, 1..;2]) = 5;
    assert_eq!(remote!(LINE[there, 0..4]), [value as i32, 5, value as i32, 5]);
    let mut buffer = [0; 3];
    remote!(ctx; LINE[target, 21..24] => &mut buffer);
    assert_eq!(buffer, [5, value as i32, 5]);
    let from = world.n_pes();
    assert_eq!(remote!(ctx; LINE[target, from..from + 2]).len(), 2);

    remote!(ctx; PAIRS[target, 1..3].y) = [value, value + 1];
    assert_eq!(remote!(ctx; PAIRS[target, 2]), Pair { x: 0, y: value + 1 });
    let reference = remote!(ctx; &PAIRS[target, 1].y);
    assert_eq!((reference.pe(), reference.get()), (there, value));

    remote!(ctx; FLAG[target]) += 6;
    remote!(ctx; FLAG[target]) -= 1;
    remote!(ctx; FLAG[target] |= 8);
    remote!(ctx; FLAG[target] &= 12);
    remote!(ctx; FLAG[target] ^= 1);
    assert_eq!(remote!(ctx; &FLAG[target]).fetch_add(1), 13);
    assert_eq!(remote!(FLAG[there]), 14);

    // A context may be any expression, and behind references too.
    let contexts = [&ctx];
    let borrowed: &Context<'_, Shared> = &ctx;
    remote!(contexts[0]; WORD[target]) = 1;
    remote!(borrowed; WORD[target]) = 2;
    remote!(&ctx; WORD[target]) = 3;
    remote!(team.context(Private).unwrap(); WORD[target]) = remote!(ctx; WORD[target]) + 1;
    assert_eq!(remote!(WORD[there]), 4);
    let kept = remote!((contexts[0]); WORD[target]);
    assert_eq!(kept, 4);
    ctx.fence();
    ctx.pe_quiet(&[target, 0]);
    ctx.pe_quiet(&[]);
    world.pe_quiet(&[there]);
    world.barrier_all();
    assert_eq!(local!(WORD), 4);
}

#[shmem::test(npes = 3)]
fn pes_that_the_team_does_not_have(world: &World) {
    let team = world.team().split_list(&[2, 0]).unwrap();
    if let Some(team) = team {
        let ctx = team.context(Private).unwrap();
        let text = message(|| remote!(ctx; WORD[2]));
        assert!(text.contains("WORD") && text.contains("is 2, and the team has 2 PEs (0 to 1)"), "{text}");
        let text = message(|| ctx.pe_quiet(&[0, usize::MAX]));
        assert!(text.contains("the team has 2 PEs"), "{text}");
    }
    let text = message(|| world.pe_quiet(&[3]));
    assert!(text.contains("is 3, and the team has 3 PEs (0 to 2)"), "{text}");
    assert_eq!(world.thread_level(), ThreadLevel::Multiple);
}

#[shmem::test(npes = [1, 2])]
fn sessions(world: &World) {
    // Each PE writes to a copy that no other PE writes to.
    let next = (world.my_pe() + 1) % world.n_pes();
    let ctx = world.team().context(Shared.nostore()).unwrap();
    for round in 0..3 {
        let session = ctx.session();
        remote!(ctx; LINE[next, 0..4]) = round;
        let text = message(|| drop(ctx.session()));
        assert!(text.contains("sessions do not nest"), "{text}");
        drop(session);
    }
    // Each context has its own.
    let other = world.team().context(Private).unwrap();
    let _first = ctx.session();
    let _second = other.session();
    assert!(format!("{ctx:?} {other:?}").contains("Shared context, which orders no local stores, of PE"));
    ctx.quiet();
    assert_eq!(remote!(LINE[next, 3]), 2);
}

const THREADS: usize = 4;
const ROUNDS: usize = 300;

/// What one thread does, on its own places of every copy; and on cells that all threads of all PEs
/// share.
///
/// `access` makes the reference to a place, with or without a context.
fn work<'a>(
    me: usize,
    thread: usize,
    n: usize,
    place: impl Fn(usize, usize, usize) -> Remote<'a, u64, shmem::select::Many>,
    cell: impl Fn(usize, usize) -> Remote<'a, Atomic<i64>, shmem::select::One>,
) -> Vec<i64> {
    let mut numbers = Random((me * THREADS + thread) as u64 + 1);
    let mut model = vec![[0_u64; 8]; n];
    let mut added = vec![0_i64; n];
    for round in 0..ROUNDS {
        let pe = numbers.below(n);
        let start = numbers.below(8);
        let end = start + numbers.below(9 - start);
        match numbers.below(4) {
            0 => {
                let values: Vec<u64> = (start..end).map(|i| (round * 8 + i) as u64).collect();
                place(pe, start, end).put(&values);
                model[pe][start..end].copy_from_slice(&values);
            }
            1 => {
                let mut found = vec![0; end - start];
                place(pe, start, end).get_into(&mut found);
                assert_eq!(found, model[pe][start..end], "PE {me} thread {thread} round {round}");
            }
            2 => {
                let value = numbers.below(1000) as i64;
                cell(pe, 0).add(value);
                added[pe] += value;
            }
            _ => {
                // A compare-and-swap loop adds as well as an addition does.
                let mut found = cell(pe, 0).get();
                while let Err(other) = cell(pe, 0).compare_exchange(found, found + 1) {
                    found = other;
                }
                added[pe] += 1;
                // A cell that all add to only grows.
                assert!(cell(pe, 1).fetch_add(1) >= 0);
            }
        }
    }
    for (pe, model) in model.iter().enumerate() {
        assert_eq!(place(pe, 0, 8).get(), model, "PE {me} thread {thread} at the end");
    }
    added
}

/// Every thread of every PE puts, gets and updates at once, with no context.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn threads_without_a_context(world: &World) {
    let n = world.n_pes();
    let me = world.my_pe();
    let data = world.zeros::<u64, 3>([n, THREADS, 8]).unwrap();
    let cells = world.zeros::<Atomic<i64>, 1>([2]).unwrap();
    let sums = world.zeros::<Atomic<i64>, 1>([1]).unwrap();
    let added: Vec<Vec<i64>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (data, cells) = (&data, &cells);
                scope.spawn(move || {
                    let place = |pe, start, end| remote!(&data[pe, me, thread, start..end]);
                    work(me, thread, n, place, |pe, i| remote!(&cells[pe, i]))
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("the thread's work is right")).collect()
    });
    for added in &added {
        for (pe, added) in added.iter().enumerate() {
            remote!(sums[pe, 0]) += *added;
        }
    }
    world.barrier_all();
    assert_eq!(local!(cells[0]), local!(sums[0]));
}

/// The same on contexts: one that all threads share, one for each that moved there, and one that
/// each made.
#[shmem::test(npes = [1, 2, 3, 4])]
fn threads_with_contexts(world: &World) {
    let n = world.n_pes();
    let me = world.my_pe();
    // The world rotated by one, so that a number that was not translated is noticed.
    let order: Vec<usize> = (0..n).map(|pe| (pe + 1) % n).collect();
    let team = world.team().split_list(&order).unwrap().expect("all are members");
    let shared = team.context(Shared).unwrap();
    for kind in 0..3 {
        let data = world.zeros::<u64, 3>([n, THREADS, 8]).unwrap();
        let cells = world.zeros::<Atomic<i64>, 1>([2]).unwrap();
        let sums = world.zeros::<Atomic<i64>, 1>([1]).unwrap();
        let added: Vec<Vec<i64>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|thread| {
                    let (data, cells, shared, team) = (&data, &cells, &shared, &team);
                    let own = team.context(Serialized).unwrap();
                    scope.spawn(move || match kind {
                        0 => work(
                            me,
                            thread,
                            n,
                            |pe, start, end| remote!(shared; &data[pe, me, thread, start..end]),
                            |pe, i| remote!(shared; &cells[pe, i]),
                        ),
                        1 => work(
                            me,
                            thread,
                            n,
                            |pe, start, end| remote!(own; &data[pe, me, thread, start..end]),
                            |pe, i| remote!(own; &cells[pe, i]),
                        ),
                        _ => {
                            let own = team.context(Private).unwrap();
                            work(
                                me,
                                thread,
                                n,
                                |pe, start, end| remote!(own; &data[pe, me, thread, start..end]),
                                |pe, i| remote!(own; &cells[pe, i]),
                            )
                        }
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("the thread's work is right")).collect()
        });
        for added in &added {
            for (pe, added) in added.iter().enumerate() {
                remote!(shared; sums[pe, 0]) += *added;
            }
        }
        shared.quiet();
        world.barrier_all();
        assert_eq!(local!(cells[0]), local!(sums[0]));
        // The threads of this PE wrote to the copy of the PE that the team says.
        let there = order[0];
        let total = local!(sums[0]);
        assert_eq!(remote!(shared; sums[0, 0]), remote!(sums[there, 0]));
        assert!(total > 0);
        world.barrier_all();
    }
}
