//! Programs that mean harm, in safe code but for the promise of a buffer: code of theirs that runs
//! in the middle of the library's, and things that are dropped, forgotten, repeated or left where
//! they should not be. What is refused inside of a local phase is tested in `process`.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use shmem::prelude::*;
use shmem::reduction::Sum;
use shmem::{Error, Source, Target};

#[symmetric]
static SMALL: [u64; 4] = [0; 4];
#[symmetric]
static LARGE: [u64; 3 << 12] = [0; 3 << 12];
#[symmetric]
static CELLS: [Atomic<u64>; 4] = [Atomic::new(0); 4];
#[symmetric]
static LOCK: Lock = Lock::new();

/// The PE after this one.
fn right(world: &World) -> usize {
    (world.my_pe() + 1) % world.n_pes()
}

/// What a panic said.
fn panic_of<T>(call: impl FnOnce() -> T) -> String {
    match catch_unwind(AssertUnwindSafe(|| drop(call()))) {
        Ok(()) => panic!("nothing was refused"),
        Err(payload) => match payload.downcast::<String>() {
            Ok(text) => *text,
            Err(payload) => (*payload.downcast::<&str>().expect("a panic with words")).to_owned(),
        },
    }
}

/// Uses the library as much as can be: a phase, collectives, an allocation. Collective.
fn meddle(world: &World) {
    world.local_phase(|p| SMALL.as_mut_slice(p).iter_mut().for_each(|value| *value += 1));
    let array = world.zeros::<u64, 1>([100]).expect("there is room");
    remote!(array[right(world), ..] = 3);
    world.barrier_all();
    assert_eq!(collective!(sum local!(array[99])), 3 * world.n_pes() as u64);
    drop(world.team().split_strided(0, 1, 1));
    drop(LOCK.lock());
}

/// A buffer that meddles when it is asked for its room.
struct Buffer<'a> {
    world: &'a World,
    values: Vec<u64>,
}

// SAFETY: the values are behind the reference.
unsafe impl Target<u64, [u64; 4]> for &mut Buffer<'_> {
    fn slots(&mut self) -> &mut [u64] {
        meddle(self.world);
        &mut self.values
    }
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn a_buffer_that_uses_the_library(world: &World) {
    for round in 1..=3 {
        let mut buffer = Buffer { world, values: vec![0; 4] };
        remote!(&SMALL[right(world), 0..4]).get_into(&mut buffer);
        assert_eq!(buffer.values, [round; 4]);
        world.barrier_all();
    }
    // It says that it has room for four, and has not.
    for len in [0, 3, 5] {
        let mut buffer = Buffer { world, values: vec![0; len] };
        let told = panic_of(|| remote!(&SMALL[right(world), 0..4]).get_into(&mut buffer));
        assert!(told.contains(&format!("the buffer to read into has {len} elements")), "{told}");
    }
}

/// A list of flags that meddles, and is another one each time.
struct Flags<'a> {
    world: &'a World,
    asked: AtomicUsize,
}

impl AsRef<[bool]> for Flags<'_> {
    fn as_ref(&self) -> &[bool] {
        meddle(self.world);
        match self.asked.fetch_add(1, Ordering::Relaxed) {
            0 => &[true, false, true, true],
            _ => &[],
        }
    }
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn a_status_that_uses_the_library(world: &World) {
    let flags = Flags { world, asked: AtomicUsize::new(0) };
    let cells = local!(&CELLS[..]).except(&flags);
    for _ in 0..3 {
        assert_eq!(cells.wait_until_some(Comparison::Eq, 0), [1]);
    }
    let told = panic_of(|| local!(&CELLS[..]).except(&flags));
    assert!(told.contains("the status has 0 elements"), "{told}");
}

/// Elements whose own `Clone` must not run in the middle of a transfer or a collective.
#[derive(Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Uncloned([u64; 3]);

#[allow(clippy::non_canonical_clone_impl)]
impl Clone for Uncloned {
    fn clone(&self) -> Uncloned {
        collective!(sum 1_u64);
        panic!("an element was cloned");
    }
}

const UNCLONED: usize = 840;

#[symmetric]
static FROM: [Uncloned; UNCLONED] = [Uncloned([0; 3]); UNCLONED];
#[symmetric]
static TO: [Uncloned; 7 * UNCLONED] = [Uncloned([0; 3]); 7 * UNCLONED];

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn elements_are_not_cloned(world: &World) -> Result<(), Error> {
    let (team, n) = (world.team(), world.n_pes());
    let value = |pe: usize, i: usize| Uncloned([pe as u64, i as u64, !0]);
    let array = world.array_from_fn([UNCLONED], |[i]| value(world.my_pe(), i))?;
    // Few of them are left for the others, many are copied.
    for len in [1, 4, UNCLONED] {
        let len = len - len % n;
        local!(TO[..] = Uncloned([0; 3]));
        local!(FROM[..len] = &local!(array[..len])[..]);
        team.fcollect(local!(&TO[..n * len]), local!(&FROM[..len]));
        let all = local!(TO[..n * len]);
        assert!((0..n * len).all(|at| all[at] == value(at / len, at % len)));
        assert_eq!(team.collect(local!(&TO[..]), local!(&FROM[..len])), n * len);
        team.alltoall(local!(&TO[..len]), local!(&FROM[..len]));
        team.broadcast(local!(&TO[..len]), local!(&FROM[..len]), n - 1);
        // Behind itself by one: what overlaps goes through private memory.
        if len > 1 {
            team.broadcast(local!(&FROM[1..len]), local!(&FROM[..len - 1]), n - 1);
            let shifted = local!(FROM[1..len]);
            assert!((1..len).all(|at| shifted[at - 1] == value(n - 1, at - 1)));
        }
        assert_eq!(team.broadcast_value(value(world.my_pe(), 5), 0), value(0, 5));
        let mut values = Vec::with_capacity(len);
        (0..len).for_each(|at| values.push(value(world.my_pe(), at)));
        let collected = team.collect_values(&values);
        assert!((0..n * len).all(|at| collected[at] == value(at / len, at % len)));
    }
    Ok(())
}

/// The function of an array's elements is the program's: whatever it does there, if all PEs do it.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn a_constructor_s_function_that_uses_the_library(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    let me = world.my_pe() as u64;
    let array = world.array_from_fn([3, 2], |[i, j]| {
        meddle(world);
        let inner = world
            .array_from_fn([10], |[k]| {
                meddle(world);
                100 * me + (10 * i + j + k) as u64
            })
            .expect("there is room");
        remote!(inner[right(world), 9])
    })?;
    let right = right(world) as u64;
    assert_eq!(local!(array[.., ..]), [9, 10, 19, 20, 29, 30].map(|value| 100 * right + value));
    assert_eq!(local!(SMALL[..]), [66; 4]);
    array.free()?;
    world.reclaim()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

/// The others wait for it, and it does not come: the job ends.
#[should_panic(expected = "there is no value for 2")]
#[shmem::test(npes = 3)]
fn a_constructor_s_function_that_panics_ends_the_job(world: &World) {
    let _ = world.array_from_fn([5], |[i]| {
        assert!(i != 2 || world.my_pe() != 1, "there is no value for {i}");
        i
    });
    world.barrier_all();
}

/// Caught on every PE, it leaves nothing behind.
#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
fn a_constructor_s_function_that_panics_everywhere(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    for _ in 0..20 {
        // More than half of the heap.
        let told = panic_of(|| {
            world.array_from_fn([80 * 1024], |[i]| if i < 70_000 { i } else { panic!("at {i}") })
        });
        assert_eq!(told, "at 70000");
    }
    world.reclaim()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

/// What is dropped in a phase is given back after it, and nothing is handed out twice.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn arrays_and_teams_dropped_in_a_phase(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    for round in 0..80_u64 {
        let arrays = [world.zeros::<u64, 1>([1000])?, world.zeros::<u64, 1>([1000])?];
        let (row, column) = world.team().split_2d(2)?;
        let [dropped, kept] = arrays;
        world.local_phase(|p| {
            let mut slice = kept.as_mut_slice(p);
            slice.fill(round);
            drop(dropped);
            thread::scope(|scope| {
                scope.spawn(move || drop(row));
                scope.spawn(|| slice[7] += 1);
            });
            drop(column);
            assert_eq!(slice[6..8], [round, round + 1]);
        });
        // In the place of the one that was dropped.
        let next = world.symmetric_array::<u64, 1>([1000], !0)?;
        assert_eq!(remote!(kept[right(world), 6..9]), [round, round + 1, round]);
        assert_eq!(remote!(next[right(world), 6..9]), [!0; 3]);
        world.barrier_all();
    }
    world.reclaim()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

/// A slice of a guard that never ends is there until the phase ends, and excludes every other.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn guards_that_are_forgotten(world: &World) -> Result<(), Error> {
    let array = world.zeros::<u64, 1>([8])?;
    for round in 1..=3 {
        world.local_phase(|p| {
            let guard = Box::leak(Box::new(array.as_mut_slice(p)));
            std::mem::forget(SMALL.as_slice(p));
            guard.iter_mut().for_each(|value| *value += 1);
        });
        assert_eq!(local!(array[..]), [round; 8]);
    }
    Ok(())
}

/// A panic of the borrow would end the job with another message than that of the second borrow.
#[should_panic(expected = "is borrowed as mutable since")]
#[shmem::test(npes = 2)]
fn a_forgotten_guard_excludes_others(world: &World) {
    world.local_phase(|p| {
        std::mem::forget(SMALL.as_mut_slice(p));
        thread::scope(|scope| drop(scope.spawn(|| SMALL.as_slice(p)[0]).join()));
        SMALL.as_slice(p)[0]
    });
}

/// Drops that panic, in a phase that panics already.
struct Worse;

impl Drop for Worse {
    fn drop(&mut self) {
        panic!("worse");
    }
}

// Of an abort over a C library only the launcher knows which PE it was.
#[cfg_attr(not(feature = "openshmem"), should_panic(expected = "PE 1 of 2"))]
#[cfg_attr(feature = "openshmem", should_panic)]
#[shmem::test(npes = 2)]
fn a_panic_while_a_phase_unwinds_ends_the_job(world: &World) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        world.local_phase(|_| {
            let _worse = (world.my_pe() == 1).then(|| Worse);
            assert!(world.my_pe() == 0, "bad");
        });
    }));
    world.barrier_all();
}

/// A phase in a destructor that a panic runs is a phase like others.
struct Phases<'a>(&'a World);

impl Drop for Phases<'_> {
    fn drop(&mut self) {
        meddle(self.0);
    }
}

#[shmem::test(npes = [1, 2, 3])]
fn the_library_in_a_destructor_while_a_panic_unwinds(world: &World) {
    for round in 1..=3 {
        let told = panic_of(|| {
            let _phases = Phases(world);
            panic!("deliberate");
        });
        assert_eq!(told, "deliberate");
        assert_eq!(local!(SMALL[..]), [round; 4]);
    }
}

#[should_panic(expected = "PE 1 of 3 exited with status 0")]
#[shmem::test(npes = 3)]
fn an_exit_in_a_phase_ends_the_job(world: &World) {
    world.local_phase(|p| {
        SMALL.as_mut_slice(p)[0] = 1;
        if world.my_pe() == 1 {
            std::process::exit(0);
        }
    });
}

/// Two threads of each PE, each with teams of its own.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn threads_in_collectives_of_different_teams(world: &World) -> Result<(), Error> {
    let n = world.n_pes();
    let mut teams = Vec::new();
    for _ in 0..3 {
        teams.push(world.team().split_strided(n - 1, -1, n)?.expect("all are members"));
    }
    let unused = world.team().split_2d(2)?;
    thread::scope(|scope| {
        for (number, team) in teams.iter().enumerate() {
            scope.spawn(move || {
                for round in 0..200 {
                    let sum = team.reduce_value(Sum, round + number);
                    assert_eq!(sum, n * (round + number));
                    assert_eq!(team.exscan_value(1), team.my_pe());
                    team.barrier();
                }
            });
        }
        // Dropped beside them.
        scope.spawn(move || drop(unused));
    });
    Ok(())
}

/// Threads that make teams at the same time never get teams that meet in one place.
#[shmem::test(npes = [1, 2, 3])]
fn threads_that_make_teams(world: &World) -> Result<(), Error> {
    let n = world.n_pes();
    let mut parents = Vec::new();
    for _ in 0..3 {
        parents.push(world.team().split_strided(0, 1, n)?.expect("all are members"));
    }
    thread::scope(|scope| {
        for (number, parent) in parents.iter().enumerate() {
            scope.spawn(move || {
                for round in 0..100 {
                    let team =
                        parent.split_strided(n - 1, -1, n).expect("there is room").expect("it is a member");
                    assert_eq!(team.reduce_value(Sum, round + 1000 * number), n * (round + 1000 * number));
                }
            });
        }
    });
    // All places but those of the world and the three are free again, and no more.
    let mut all = Vec::new();
    for _ in 0..60 {
        all.push(world.team().split_strided(0, 1, n)?);
    }
    assert!(matches!(world.team().split_strided(0, 1, n), Err(Error::Team { .. })));
    drop(all);
    world.team().split_strided(0, 1, n)?.expect("all are members").barrier();
    Ok(())
}

/// Where one of the new teams cannot be made, all PEs are told, and nobody waits for them in the
/// others.
#[shmem::test(npes = [3, 4, 7])]
fn a_grid_of_which_some_teams_cannot_be_made(world: &World) -> Result<(), Error> {
    // PE 0 has no place for another team.
    let mut taken = Vec::new();
    for _ in 0..63 {
        taken.push(world.team().split_list(&[0])?);
    }
    for _ in 0..100 {
        match world.team().split_2d(2) {
            Err(Error::Team { reason: told, .. }) => {
                assert!(told.contains("a PE can be in 64 teams at a time"), "{told}")
            }
            other => panic!("{other:?}"),
        }
    }
    drop(taken);
    for _ in 0..100 {
        let (row, column) = world.team().split_2d(2)?;
        row.barrier();
        column.barrier();
    }
    Ok(())
}

/// Things with a destructor that outlive the function: in a static, and in a thread-local, which
/// goes when its thread does.
#[shmem::test(npes = [1, 2, 3])]
fn things_that_outlive_the_function(world: &World) -> Result<(), Error> {
    static KEPT: OnceLock<(Team, SymmetricArray<u64, 1>)> = OnceLock::new();
    thread_local! {
        static LATE: RefCell<Vec<Box<dyn std::any::Any>>> = const { RefCell::new(Vec::new()) };
    }
    let before = world.heap_free();
    let (row, column) = world.team().split_2d(2)?;
    KEPT.get_or_init(|| (row, world.zeros([10]).expect("there is room")));
    thread::scope(|scope| {
        let array = world.zeros::<u64, 1>([10_000]);
        let keep = scope.spawn(|| {
            LATE.with_borrow_mut(|late| {
                late.push(Box::new(LOCK.lock()));
                late.push(Box::new(column));
                late.push(Box::new(array));
            });
        });
        // The scope alone does not wait for what a thread does when it ends.
        keep.join().expect("nothing there panics");
    });
    drop(LOCK.lock());
    world.reclaim()?;
    assert!(before - world.heap_free() < 1000);
    // And one that is dropped after the end of the function, when the process ends.
    let (row, _) = world.team().split_2d(1)?;
    LATE.with_borrow_mut(|late| late.push(Box::new((row, world.zeros::<u64, 1>([10])))));
    Ok(())
}

/// References outlive the call that made them, threads and phases.
#[shmem::test(npes = [1, 2, 3])]
fn references_that_are_kept(world: &World) {
    let reference = remote!(&SMALL[right(world), ..]);
    let cell = remote!(&CELLS[right(world), 1]);
    for round in 1..=4_u64 {
        thread::scope(|scope| {
            scope.spawn(|| reference.put([round; 4]));
            scope.spawn(|| cell.add(1));
        });
        world.local_phase(|p| {
            let mut small = SMALL.as_mut_slice(p);
            assert_eq!(small[..], [round; 4]);
            small[0] = round + 10;
        });
        assert_eq!(reference.get(), [round + 10, round, round, round]);
        assert_eq!(wait!(CELLS[1] == round), round);
        world.barrier_all();
    }
}

/// A source that is asked for its elements in the middle of a put.
struct Given<'a>(&'a World, [u64; 4]);

/// An implementation of one's own cannot name what it has to return, but it can hand on that of
/// another: `Source` is asked for here.
fn put_through<S: Source<u64, [u64]>>(world: &World, source: S) {
    remote!(&SMALL[right(world), { 0 }..]).put(source);
}

impl std::ops::Deref for Given<'_> {
    type Target = [u64];
    fn deref(&self) -> &[u64] {
        meddle(self.0);
        &self.1
    }
}

#[shmem::test(npes = [1, 2, 3])]
fn a_source_that_uses_the_library(world: &World) {
    for round in 1..=3 {
        let given = Given(world, [round; 4]);
        put_through(world, &*given);
        world.barrier_all();
        assert_eq!(local!(SMALL[..]), [round; 4]);
        world.barrier_all();
    }
}

/// Phases beside a thread that does nothing, with large slices: the other mapping is of the same
/// memory.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn slices_are_whole(world: &World) {
    for round in 0..4_u64 {
        remote!(LARGE[right(world), { 0 }..] = round);
        world.local_phase(|p| {
            let mut large = LARGE.as_mut_slice(p);
            thread::scope(|scope| {
                for (number, part) in large.chunks_mut(1000).enumerate() {
                    scope.spawn(move || {
                        assert!(part.iter().all(|&value| value == round));
                        part.fill(number as u64);
                    });
                }
            });
        });
        let theirs = remote!(LARGE[right(world), { 0 }..]);
        assert!(theirs.iter().enumerate().all(|(at, &value)| value == at as u64 / 1000));
        world.barrier_all();
    }
}

/// Private values are handed over in pieces, however many there are.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn values_of_any_number(world: &World) {
    let n = world.n_pes() as u64;
    for len in [0, 1, 511, 512, 513, 1024, 5000] {
        let mut values: Vec<u64> = (0..len).collect();
        world.team().reduce_values(Sum, &mut values);
        assert!(values.iter().enumerate().all(|(at, &value)| value == n * at as u64), "{len}");
        let mut odd: Vec<u8> = (0..8 * len + 3).map(|at| at as u8 & 1).collect();
        world.team().reduce_values(Sum, &mut odd);
        assert!(odd.iter().enumerate().all(|(at, &value)| u64::from(value) == n * (at as u64 & 1)), "{len}");
    }
}

/// A team that every PE drops before the next is made leaves its place to it, also where some come
/// early.
#[shmem::test(npes = [1, 2, 3, 4])]
fn the_last_place_of_a_team_is_used_again(world: &World) -> Result<(), Error> {
    let n = world.n_pes();
    let mut held = Vec::new();
    for _ in 0..62 {
        held.push(world.team().split_strided(0, 1, n)?);
    }
    for round in 0..300 {
        let team = world.team().split_strided(n - 1, -1, n)?.expect("all are members");
        assert_eq!(team.reduce_value(Sum, round), n * round);
        if round % 3 == world.my_pe() {
            thread::yield_now();
        }
    }
    assert_eq!(held.len(), 62);
    Ok(())
}

/// Asking what is free waits for nobody, although another thread waits in an allocation for a PE
/// that comes when it is told.
#[shmem::test(npes = [2, 3, 4])]
fn asking_for_what_is_free_does_not_wait(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    let asked = local!(&CELLS[0]);
    let array = if world.my_pe() == 0 {
        let in_it = AtomicUsize::new(0);
        thread::scope(|scope| {
            let array = scope.spawn(|| {
                in_it.store(1, Ordering::Relaxed);
                world.zeros::<u64, 1>([1000])
            });
            while in_it.load(Ordering::Relaxed) == 0 {
                thread::yield_now();
            }
            // It is waiting before long, and if not, nothing is tested and nothing fails.
            for _ in 0..1000 {
                assert_eq!(world.heap_free(), before);
            }
            (1..world.n_pes()).for_each(|pe| remote!(CELLS[pe, 0] = 1));
            array.join().expect("it allocates")
        })?
    } else {
        asked.wait_until(Comparison::Eq, 1);
        world.zeros::<u64, 1>([1000])?
    };
    assert!(world.heap_free() < before);
    array.free()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

/// The place of a team that was dropped in a phase is free again for the others, also when this PE
/// makes no team any more.
#[shmem::test(npes = [2, 3, 4])]
fn teams_dropped_in_a_phase_are_left(world: &World) -> Result<(), Error> {
    let n = world.n_pes();
    let others = world.team().split_strided(1, 1, n - 1)?;
    let mut all = Vec::new();
    for _ in 0..62 {
        all.push(world.team().split_strided(0, 1, n)?);
    }
    world.local_phase(|_| drop(all));
    world.barrier_all();
    if let Some(others) = others {
        let mut made = Vec::new();
        for _ in 0..62 {
            made.push(others.split_strided(0, 1, n - 1)?.expect("all are members"));
        }
        made.iter().for_each(Team::barrier);
    }
    Ok(())
}

/// Whatever a PE is in the middle of, it can end the job.
#[shmem::test(npes = [1, 2, 3])]
fn the_job_may_be_ended_in_a_phase(world: &World) {
    let _lock = (world.my_pe() == 0).then(|| LOCK.lock());
    world.local_phase(|p| {
        let _slice = SMALL.as_mut_slice(p);
        if world.my_pe() == 0 {
            thread::scope(|scope| scope.spawn(|| world.global_exit(0)).join())
                .expect("it does not come back");
        }
    });
    unreachable!("PE 0 ends the job");
}

/// A scope of non-blocking operations around a phase, and one that is left by a panic: what was
/// issued is complete.
#[shmem::test(npes = [1, 2, 3])]
fn scopes_around_phases_and_panics(world: &World) {
    for round in 1..=3_u64 {
        let (source, mut before) = ([round; 4], [0; 4]);
        world.nbi(|s| {
            s.put(remote!(&SMALL[right(world), ..]), &source);
            world.local_phase(|p| SMALL.as_mut_slice(p)[3] += 10);
            s.get(remote!(&SMALL[right(world), ..]), &mut before);
        });
        assert_eq!(before, [round, round, round, round + 10]);
        let told = panic_of(|| {
            world.nbi(|s| {
                s.put(remote!(&SMALL[right(world), 0..2]), &[0; 2]);
                panic!("deliberate")
            })
        });
        assert_eq!(told, "deliberate");
        world.barrier_all();
        assert_eq!(local!(SMALL[..]), [0, 0, round, round + 10]);
        world.barrier_all();
    }
}

/// Elements of several widths at one place.
#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Mixed {
    wide: u64,
    narrow: [u16; 4],
}

#[symmetric]
static RACED: [Mixed; 160] = [Mixed { wide: 0, narrow: [0; 4] }; 160];

/// Threads of all PEs race, in all forms and lengths of access: whatever is read was written by
/// somebody, byte by byte.
#[shmem::test(npes = [1, 2, 4])]
fn races_of_threads_give_bytes_that_were_written(world: &World) {
    const ROUNDS: usize = 300;
    let n_pes = world.n_pes();
    let patterns: Vec<u8> = (1..=2 * n_pes as u8).collect();
    let of =
        |byte: u8| Mixed { wide: u64::from_ne_bytes([byte; 8]), narrow: [u16::from_ne_bytes([byte; 2]); 4] };
    let written = |value: Mixed| {
        let bytes =
            value.wide.to_ne_bytes().into_iter().chain(value.narrow.into_iter().flat_map(u16::to_ne_bytes));
        bytes.into_iter().all(|byte| byte == 0 || patterns.contains(&byte))
    };
    world.barrier_all();
    thread::scope(|scope| {
        for writer in 0..2 {
            let byte = patterns[2 * world.my_pe() + writer];
            scope.spawn(move || {
                let values = [of(byte); 160];
                for round in 0..ROUNDS {
                    let (pe, from) = (round % n_pes, round % 7);
                    // 64 bytes are moved in registers, 2 KiB by the library, more by a loop.
                    let to = from + [4, 5, 40, 130, 150][round % 5];
                    remote!(RACED[pe, from..to] = &values[from..to]);
                    remote!(RACED[pe, from..to;3].wide = values[0].wide);
                    remote!(RACED[pe, round % 160] = values[0]);
                    remote!(RACED[pe, from..to;2].narrow = values[0].narrow);
                }
            });
        }
        scope.spawn(|| {
            for round in 0..ROUNDS {
                let pe = round % n_pes;
                assert!(remote!(RACED[pe, ..]).into_iter().all(written));
                assert!(remote!(RACED[pe, 3..9]).into_iter().all(written));
                assert!(written(remote!(RACED[pe, round % 160])));
                let fields = remote!(RACED[pe, 1..160;2].wide);
                assert!(fields.into_iter().all(|wide| written(Mixed { wide, narrow: [0; 4] })));
            }
        });
    });
    world.barrier_all();
}
