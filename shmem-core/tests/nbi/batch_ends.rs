//! The end of a batch, by its closure or by a panic; other batches and calls inside of one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use shmem::prelude::*;

#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);
#[symmetric]
static COUNTS: [Atomic<u64>; 8] = [Atomic::new(0); 8];
#[symmetric]
static DATA: [u64; 8] = [5; 8];
#[symmetric]
static GO: Atomic<u64> = Atomic::new(0);

/// The sentence of a panic in `body`.
fn panic_of(body: impl FnOnce()) -> String {
    let reason = catch_unwind(AssertUnwindSafe(body)).expect_err("it did not panic");
    match reason.downcast::<String>() {
        Ok(reason) => *reason,
        Err(reason) => {
            reason.downcast::<&str>().map_or_else(|_| "?".to_owned(), |reason| (*reason).to_owned())
        }
    }
}

/// All that was issued before a panic is done when it leaves the batch, and the others need not help.
#[shmem::test(npes = [1, 2, 3])]
fn a_panic_completes_what_was_issued(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    if me == 0 {
        let mut read = [0; 20];
        let reason = panic_of(|| {
            world.batch(|b| {
                for (i, place) in read.iter_mut().enumerate() {
                    remote!(b; COUNTS[i % n, i % 8]) += 1;
                    remote!(b; DATA[i % n, 3] => place);
                }
                for i in 0..7777 {
                    remote!(b; COUNT[i % n]) += 1;
                }
                panic!("as asked for");
            })
        });
        assert_eq!(reason, "as asked for");
        assert_eq!(read, [5; 20]);
        let counted: u64 = (0..n).map(|pe| remote!(COUNTS[pe, ..]).iter().sum::<u64>()).sum();
        assert_eq!(counted, 20);
        assert_eq!((0..n).map(|pe| remote!(COUNT[pe])).sum::<u64>(), 7777);
        (0..n).for_each(|pe| remote!(GO[pe] += 1));
    } else {
        wait!(GO == 1);
    }
    world.barrier_all();
    // The team is free for another batch.
    world.batch(|b| remote!(b; COUNT[0]) += 1);
    let left_there = (7777usize).div_ceil(n) as u64;
    assert_eq!(remote!(COUNT[0]), left_there + n as u64);
}

/// Batches of one team do not nest, and those of different teams do.
#[shmem::test(npes = [2, 4])]
fn nested(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (row, _) = world.team().split_2d(2).unwrap();
    world.batch(|outer| {
        remote!(outer; COUNT[0]) += 1;
        row.batch(|inner| {
            remote!(inner; COUNTS[1, 0]) += 1; // in each row, its PE 1
            remote!(outer; COUNTS[(me + 1) % n, 1]) += 1;
        });
        assert_eq!(remote!(COUNTS[row.world_pe(1), 0]), 2);
        let reason = panic_of(|| world.batch(|_| ()));
        assert!(
            reason.starts_with(
                "this PE is in a batch of this team already, since shmem-core/tests/nbi/batch_ends.rs:"
            ),
            "{reason}"
        );
        // The outer one goes on.
        remote!(outer; COUNT[0]) += 1;
    });
    assert_eq!((remote!(COUNT[0]), local!(COUNTS[1])), (2 * n as u64, 1));
}

/// Collective calls and waits inside of a batch: no operation of another PE waits for them.
#[shmem::test(npes = [1, 2, 3, 4])]
fn waits_inside(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    world.batch(|b| {
        for i in 0..3000 {
            remote!(b; COUNTS[i % n, i % 8]) += 1;
        }
        world.barrier_all();
        for i in 0..3000 {
            remote!(b; COUNTS[i % n, i % 8]) += 1;
        }
        if me == 0 {
            (0..n).for_each(|pe| remote!(GO[pe] = 1));
        }
        wait!(GO == 1);
        assert_eq!(collective!(sum 1), n);
    });
    let all: u64 = (0..n).map(|pe| remote!(COUNTS[pe, ..]).iter().sum::<u64>()).sum();
    assert_eq!(all, 6000 * n as u64);
}

/// Threads of a PE, each in a batch of a team of its own.
#[shmem::test(npes = [1, 2, 3])]
fn threads(world: &World) {
    let n = world.n_pes();
    let members: Vec<usize> = (0..n).collect();
    let teams = [0, 1].map(|_| world.team().split_list(&members).unwrap().unwrap());
    std::thread::scope(|scope| {
        for (i, team) in teams.iter().enumerate() {
            scope.spawn(move || {
                team.batch(|b| (0..999).for_each(|k| remote!(b; COUNTS[k % n, i] += 1)));
                assert_eq!((0..n).map(|pe| remote!(COUNTS[pe, i])).sum::<u64>(), 999 * n as u64);
            });
        }
    });
}

/// Objects that are made, used in a batch, and dropped.
#[shmem::test(npes = [1, 2, 3])]
fn arrays_come_and_go(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    for len in [10, 1000, 3] {
        let array = world.zeros::<Atomic<u32>, 1>([len]).unwrap();
        let mut found = vec![0; len];
        world.batch(|b| (0..len).for_each(|i| remote!(b; array[(me + i) % n, i] += 1)));
        world.batch(|b| {
            for (i, place) in found.iter_mut().enumerate() {
                remote!(b; array[(me + i) % n, i] => place);
            }
        });
        assert_eq!(found, vec![1; len]);
        world.barrier_all();
    }
}

/// A wrong PE and a wrong index are told at the operation, and what was issued before is done.
#[shmem::test(npes = [1, 2])]
fn mistakes(world: &World) {
    let n = world.n_pes();
    for index in [0, 8] {
        let pe = if index == 0 { n } else { 0 };
        let reason = panic_of(|| {
            world.batch(|b| {
                remote!(b; COUNTS[0, 7]) += 1;
                remote!(b; COUNTS[pe, index]) += 1;
            });
        });
        let expected = if index == 0 { format!("is {n}, and the team has") } else { "COUNTS".to_owned() };
        assert!(reason.contains(&expected), "{reason}");
    }
    world.barrier_all();
    assert_eq!(remote!(COUNTS[0, 7]), 2 * n as u64);
}
