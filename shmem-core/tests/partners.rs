//! `sync_with`, `barrier_with` and events: who meets whom, and what is seen after.

#[path = "harness/random.rs"]
mod random;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use random::Random;
use shmem::prelude::*;

/// How often this PE has met each other one, as it says in its own copy.
#[symmetric]
static MET: PerPe<u64> = PerPe::new(0);
/// How often each other PE has met this one, as they have put it here.
#[symmetric]
static INBOX: PerPe<[u64; 16]> = PerPe::new([0; 16]);
#[symmetric]
static ONE: Event = Event::new();
#[symmetric]
static FROM: PerPe<Event> = PerPe::new(Event::new());
#[symmetric]
static PAIR: [Event; 2] = [Event::new(); 2];
#[symmetric]
static VALUE: u64 = 0;
#[symmetric]
static PANICKED: Atomic<u64> = Atomic::new(0);

/// Comes to one more meeting with each of `others`, which has been met so often. What each has written
/// before is seen, and nobody is ahead by more than what it writes for the next meeting.
#[shmem::kernel]
fn meet(world: &World, met: &mut [u64], others: &[usize], completes: bool, meeting: impl FnOnce()) {
    let me = world.my_pe();
    let mut once = others.to_vec();
    once.sort_unstable();
    once.dedup();
    once.retain(|other| *other != me);
    for &other in &once {
        met[other] += 1;
        local!(MET[other]) = met[other];
        if completes {
            remote!(INBOX[other, me, ..]) = met[other];
        }
    }
    meeting();
    for &other in &once {
        let theirs = remote!(MET[other, me]);
        assert!(
            theirs == met[other] || theirs == met[other] + 1,
            "PE {other} has come {theirs} times to PE {me}, which has come {} times",
            met[other]
        );
        if completes {
            let arrived = local!(INBOX[other, ..]);
            let is_there = arrived.iter().all(|here| (met[other]..=met[other] + 1).contains(here));
            assert!(is_there, "{arrived:?} of PE {other} is for {}", met[other]);
        }
    }
}

/// Random graphs of partners, one after the other. The PEs are in different ones at the same time. In
/// some, a PE names its partners in another order, several times, and itself.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn graphs_of_partners(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    for completes in [false, true] {
        // The same graphs on all PEs, and orders of each PE's own.
        let mut graphs = Random(7 + n as u64);
        let mut own = Random(1000 + me as u64);
        let mut met = vec![0; n];
        local!(MET[..]) = 0;
        world.barrier_all();
        for _ in 0..150 {
            let density = 1 + graphs.below(4);
            let mut others = Vec::new();
            for one in 0..n {
                for two in 0..one {
                    let is_edge = graphs.below(4) < density;
                    if is_edge && (one == me || two == me) {
                        others.push(one + two - me);
                    }
                }
            }
            for _ in 0..own.below(3) {
                others.push(match others.len() {
                    0 => me,
                    len => others[own.below(len)],
                });
            }
            for at in (1..others.len()).rev() {
                others.swap(at, own.below(at + 1));
            }
            if own.below(8) == 0 {
                thread::sleep(std::time::Duration::from_micros(200));
            }
            meet(world, &mut met, &others, completes, || match completes {
                true => world.barrier_with(&others),
                false => world.sync_with(&others),
            });
        }
        world.barrier_all();
    }
}

/// A call of one kind meets a call of the other, and that of one team those of another.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn teams_name_partners_by_their_own_numbers(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let list: Vec<usize> = (0..n).rev().collect();
    let reversed = world.team().split_list(&list).expect("a team of all").expect("a member");
    let (row, _) = world.team().split_2d(2).expect("rows");
    let mut met = vec![0; n];
    for round in 0..40 {
        let (left, right) = ((me + n - 1) % n, (me + 1) % n);
        let as_reversed = [n - 1 - left, n - 1 - right];
        meet(world, &mut met, &[left, right], true, || match (me + round) % 2 {
            0 => world.barrier_with(&[left, right]),
            _ => reversed.barrier_with(&as_reversed),
        });
        let own: Vec<usize> = row.world_pes().collect();
        let all: Vec<usize> = (0..row.n_pes()).collect();
        meet(world, &mut met, &own, false, || row.sync_with(&all));
    }
}

/// PE 0 has a thread for each other PE.
#[shmem::test(npes = [3, 7])]
fn threads_meet_different_partners(world: &World) {
    const TIMES: u64 = 100;
    let (me, n) = (world.my_pe(), world.n_pes());
    let turns = |other: usize| {
        for time in 1..=TIMES {
            remote!(INBOX[other, me, 0] = time);
            world.barrier_with(&[other]);
            assert_eq!(local!(INBOX[other, 0]), time);
            world.sync_with(&[other]);
        }
    };
    if me == 0 {
        thread::scope(|scope| (1..n).for_each(|other| drop(scope.spawn(move || turns(other)))));
    } else {
        turns(0);
    }
}

fn message(result: Result<(), Box<dyn std::any::Any + Send>>) -> Option<String> {
    let panic = result.err()?;
    Some(panic.downcast_ref::<String>().cloned().unwrap_or_default())
}

/// Of two threads that name the same PE at the same time, one is refused, and the other one goes on.
#[shmem::test(npes = [2])]
fn two_threads_do_not_meet_one_partner(world: &World) {
    match world.my_pe() {
        0 => thread::scope(|scope| {
            let waits = || {
                let said = message(catch_unwind(AssertUnwindSafe(|| world.sync_with(&[1]))));
                if said.is_some() {
                    remote!(PANICKED[1] = 1);
                }
                said
            };
            let threads = [scope.spawn(waits), scope.spawn(waits)];
            let said: Vec<String> =
                threads.into_iter().filter_map(|thread| thread.join().expect("it catches")).collect();
            assert_eq!(said.len(), 1, "{said:?}");
            assert!(said[0].contains("with PE 1, and another one is in `sync_with`"), "{said:?}");
        }),
        1 => {
            wait!(PANICKED == 1);
            world.sync_with(&[0]);
        }
        _ => {}
    }
}

#[shmem::test(npes = [1, 3])]
fn a_pe_that_there_is_not_is_named(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let alone = world.team().split_list(&[0]).expect("a team");
    let refused = |meeting: &dyn Fn()| message(catch_unwind(AssertUnwindSafe(meeting))).expect("a panic");
    // The other PE is not kept: nothing was done before the check.
    let others: Vec<usize> = (0..=n).collect();
    let pes = if n == 1 { "1 PE (number 0)" } else { "3 PEs (0 to 2)" };
    let expected = format!("a PE to synchronise with is {n}, and the team has {pes}");
    assert_eq!(refused(&|| world.sync_with(&others)), expected);
    assert_eq!(refused(&|| world.barrier_with(&[n])), expected);
    if let Some(alone) = alone {
        let said = refused(&|| alone.sync_with(&[0, 1]));
        assert_eq!(said, "a PE to synchronise with is 1, and the team has 1 PE (number 0)");
    }
    world.sync_with(&[]);
    world.barrier_with(&[me]);
    world.sync_with(&(0..n).collect::<Vec<_>>());
}

/// Each PE posts in an order of its own, and each takes what all have posted.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn posts_are_counted(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let events = world.symmetric_array::<Event, 1>([3], Event::new()).expect("room");
    let mut random = Random(31 * me as u64);
    for round in 1..=50 {
        let first = random.below(n);
        for at in (first..n).chain(0..first) {
            remote!(INBOX[at, me, ..]) = round;
            remote!(&FROM[at, me]).post();
            remote!(&ONE[at]).post();
            remote!(&events[at, 2]).post();
        }
        for pe in 0..n {
            local!(&FROM[pe]).wait();
            let arrived = local!(INBOX[pe, ..]);
            assert!(arrived.iter().all(|&at| at == round), "{arrived:?} in round {round}");
        }
        local!(&ONE).wait_for(n as u64);
        while !local!(&events[2]).try_wait(n as u64) {
            thread::yield_now();
        }
        // So that the next values come after these were read.
        world.barrier_all();
        assert_eq!([local!(&ONE).count(), local!(&events[2]).count(), local!(&FROM[me]).count()], [0; 3]);
        assert!(!local!(&ONE).try_wait(1) && local!(&ONE).try_wait(0));
        world.sync_all();
    }
}

/// A post says what the posts before it have said: PE 2 reads on PE 0 what PE 1 has not written.
#[shmem::test(npes = [3, 7])]
fn what_is_posted_is_handed_on(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    for round in 1..=50 {
        if me == 0 {
            remote!(VALUE[n - 1]) = round;
            remote!(&PAIR[1, 0]).post();
        } else {
            local!(&PAIR[0]).wait();
            assert!(remote!(VALUE[n - 1]) == round || me < n - 1);
            if me + 1 < n {
                remote!(&PAIR[me + 1, 0]).post();
            } else {
                remote!(&PAIR[0, 1]).post();
            }
        }
        if me == 0 {
            local!(&PAIR[1]).wait();
        }
    }
}

/// Threads that wait for one event take different posts.
#[shmem::test(npes = [1, 3])]
fn threads_take_their_own_posts(world: &World) {
    let n = world.n_pes() as u64;
    if world.my_pe() == 0 {
        thread::scope(|scope| {
            let takes = |count| move || (0..100).for_each(|_| local!(&ONE).wait_for(count));
            scope.spawn(takes(1));
            scope.spawn(takes(n));
            scope.spawn(|| (0..100 * (n + 1)).for_each(|_| remote!(&ONE[0]).post()));
        });
        assert_eq!(local!(&ONE).count(), 0);
    }
    world.barrier_all();
}

/// The macros of waits read an event, and take nothing.
#[shmem::test(npes = [2])]
fn a_wait_for_a_value_takes_nothing(world: &World) {
    let me = world.my_pe();
    remote!(&PAIR[me, 1]).post();
    remote!(&PAIR[me, 1]).post();
    assert_eq!(wait!(PAIR[1] >= 2), 2);
    assert!(poll!(any PAIR[..] == 2) == Some(1) && !poll!(PAIR[0] > 0));
    assert_eq!(local!(PAIR[..]), [0, 2]);
    local!(&PAIR[1]).wait_for(2);
}
