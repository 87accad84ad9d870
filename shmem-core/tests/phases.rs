//! Local phases: what slices see, what others see of them, and what borrows exclude.
//!
//! The test harness has a thread beside the one that runs the test, so what a PE with one thread
//! does is tested in `process`.

#[path = "harness/random.rs"]
mod random;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use random::Random;
use shmem::phase::{LocalMut, LocalRef};
use shmem::prelude::*;

const CELLS: usize = 48;

/// A rod in pieces, each with a cell of its neighbours' on either side.
#[symmetric]
static OLD: [f64; CELLS + 2] = [0.0; CELLS + 2];
#[symmetric]
static NEW: [f64; CELLS + 2] = [0.0; CELLS + 2];
#[symmetric]
static GRID: [[u32; 5]; 3] = [[7; 5]; 3];
#[symmetric]
static CUBE: [[[u16; 2]; 3]; 4] = [[[1; 2]; 3]; 4];
#[symmetric]
static COUNT: u64 = 40;
#[symmetric]
static BYTES: [u8; 13] = [3; 13];
#[symmetric]
static FROM: PerPe<[u64; 9]> = PerPe::new([0; 9]);
#[symmetric]
static NOTHING: [u64; 0] = [];
#[symmetric]
static TICKETS: Atomic<u64> = Atomic::new(0);
#[symmetric]
static BIG: [u64; 1 << 16] = [0; 1 << 16];

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Body {
    position: [f64; 3],
    mass: f64,
}

#[symmetric]
static BODIES: [Body; 6] = [Body { position: [0.0; 3], mass: 1.0 }; 6];

/// What a panic said.
fn words(payload: &(dyn std::any::Any + Send)) -> String {
    match (payload.downcast_ref::<String>(), payload.downcast_ref::<&str>()) {
        (Some(text), _) => text.clone(),
        (_, Some(text)) => (*text).to_owned(),
        _ => panic!("a panic without a message"),
    }
}

fn start(cell: usize) -> f64 {
    ((cell * 7919) % 101) as f64 / 3.0
}

fn relaxed(left: f64, own: f64, right: f64) -> f64 {
    0.25 * left + 0.5 * own + 0.25 * right
}

/// The steps of a stencil, in phases, come to the same bits as a plain loop over the whole rod.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn a_stencil_is_that_of_a_plain_model(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + n - 1) % n, (me + 1) % n);
    let mut model: Vec<f64> = (0..n * CELLS).map(start).collect();
    world.local_phase(|p| {
        for (cell, value) in OLD.as_mut_slice(p)[1..=CELLS].iter_mut().enumerate() {
            *value = start(me * CELLS + cell);
        }
    });
    for step in 0..200 {
        let first = local!(OLD[1]);
        let last = local!(OLD[CELLS]);
        remote!(OLD[left, CELLS + 1]) = first;
        remote!(OLD[right, 0]) = last;
        world.local_phase(|p| {
            let mut old = OLD.as_mut_slice(p);
            let mut new = NEW.as_mut_slice(p);
            for (cell, around) in old.windows(3).enumerate() {
                new[cell + 1] = relaxed(around[0], around[1], around[2]);
            }
            old[1..=CELLS].copy_from_slice(&new[1..=CELLS]);
        });
        let all = model.len();
        model = (0..all)
            .map(|cell| relaxed(model[(cell + all - 1) % all], model[cell], model[(cell + 1) % all]))
            .collect();
        let other = (me + step) % n;
        let theirs: Vec<f64> = remote!(OLD[other, { 1 }..CELLS + 1]);
        assert_eq!(theirs, model[other * CELLS..][..CELLS], "step {step}, PE {other}");
        // Nobody overwrites its cells before everybody has looked.
        world.barrier_all();
    }
}

/// No barrier anywhere: the phase is one, on either side.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn what_was_put_is_in_the_slices_and_what_they_wrote_is_got(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    for round in 0..300_u64 {
        let stamp = |from: usize, to: usize| round << 32 | (from as u64) << 16 | to as u64;
        for pe in 0..n {
            remote!(FROM[pe, me, ..]) = stamp(me, pe);
        }
        world.local_phase(|p| {
            let mut mine = FROM.as_mut_slice(p);
            assert_eq!(mine.len(), 9 * n);
            for (pe, slot) in mine.chunks_mut(9).enumerate() {
                assert_eq!(slot, [stamp(pe, me); 9], "round {round}, PE {pe}");
                slot.fill(!stamp(pe, me));
            }
        });
        for pe in 0..n {
            assert_eq!(remote!(FROM[pe, me, ..]), [!stamp(me, pe); 9], "round {round}, PE {pe}");
        }
    }
}

#[shmem::test(npes = [1, 2, 4])]
fn every_kind_of_object(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n;
    let rows = world.symmetric_array::<i32, 2>([4, 6], -1)?;
    let deep = world.symmetric_array::<Body, 4>([1, 2, 1, 3], Body { position: [1.0; 3], mass: 2.0 })?;
    let pairs = world.symmetric_array::<[f32; 2], 1>([5], [0.5, 1.5])?;
    remote!(rows[right, 2, 1..4]) = [20, 21, 22];
    remote!(GRID[right, 1..3, 4]) = [14, 24];
    remote!(BODIES[right, 5].mass) = 6.0;
    let answer = world.local_phase(|p| {
        {
            // As many at once as one likes.
            let (rows, grid, count) = (rows.as_slice(p), GRID.as_array(p), COUNT.as_array(p));
            let grid_again = GRID.as_slice(p);
            assert_eq!(rows[12..18], [-1, 20, 21, 22, -1, -1]);
            assert_eq!(*grid, [[7; 5], [7, 7, 7, 7, 14], [7, 7, 7, 7, 24]]);
            assert_eq!(grid_again[14], grid[2][4]);
            assert_eq!(*count, 40);
            assert_eq!(COUNT.as_slice(p)[..], [40]);
            assert_eq!(format!("{:?} {count:?}", BYTES.as_mut_slice(p)), format!("{:?} 40", [3; 13]));
        }
        CUBE.as_mut_array(p)[3][2][1] = 321;
        BYTES.as_mut_slice(p)[12] = 12;
        *COUNT.as_mut_array(p) += 2;
        deep.as_mut_slice(p)[5].position[1] = 9.0;
        pairs.as_mut_slice(p)[4] = [4.5, 5.5];
        let mut bodies = BODIES.as_mut_slice(p);
        bodies[0].position = [1.0, 2.0, 3.0];
        bodies.swap(0, 5);
        assert_eq!((bodies[0].mass, bodies.len()), (6.0, 6));
        *COUNT.as_slice(p).first().expect("one")
    });
    assert_eq!(answer, 42);
    let other = (me + n - 1) % n;
    assert_eq!(remote!(CUBE[other, 3, 2, ..]), [1, 321]);
    assert_eq!(remote!(BYTES[other, 11..13]), [3, 12]);
    assert_eq!(remote!(COUNT[other]), 42);
    assert_eq!(remote!(deep[other, 0, 1, 0, 2].position), [1.0, 9.0, 1.0]);
    assert_eq!(remote!(pairs[other, 3..5]), [[0.5, 1.5], [4.5, 5.5]]);
    assert_eq!(remote!(BODIES[other, 5]), Body { position: [1.0, 2.0, 3.0], mass: 1.0 });
    world.barrier_all();
    Ok(())
}

#[shmem::test(npes = [1, 3])]
fn objects_without_a_byte(world: &World) -> Result<(), shmem::Error> {
    let none = world.symmetric_array::<f64, 1>([0], 1.0)?;
    let no_rows = world.symmetric_array::<f64, 2>([0, 8], 1.0)?;
    let no_columns = world.symmetric_array::<f64, 3>([3, 0, 1 << 40], 1.0)?;
    let empty = world.symmetric_array::<[u64; 0], 1>([5], [])?;
    world.local_phase(|p| {
        assert!(NOTHING.as_slice(p).is_empty() && none.as_slice(p).is_empty());
        assert!(no_rows.as_mut_slice(p).is_empty() && no_columns.as_slice(p).is_empty());
        assert_eq!(*NOTHING.as_array(p), [0_u64; 0]);
        assert_eq!(empty.as_slice(p)[..], [[]; 5]);
        // There is nothing that two borrows of nothing could both write.
        let (mut one, mut other) = (empty.as_mut_slice(p), empty.as_mut_slice(p));
        one[4] = other[0];
        other[4] = one[0];
        let _both = (NOTHING.as_mut_slice(p), NOTHING.as_mut_array(p), NOTHING.as_slice(p));
    });
    world.barrier_all();
    Ok(())
}

/// Phases meet phases only, whatever stands between them.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn many_phases_with_other_meetings_between(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n;
    let mut choices = Random(17);
    for round in 0..300 {
        for _ in 0..choices.below(3) {
            match choices.below(4) {
                0 => world.barrier_all(),
                1 => world.sync_all(),
                2 => remote!(TICKETS[right]) += 1,
                _ => {
                    let mine = me as u64 + round;
                    let sum = collective!(sum mine);
                    assert_eq!(sum, (0..n as u64).map(|pe| pe + round).sum::<u64>());
                }
            }
        }
        let inside = choices.below(3);
        world.local_phase(|p| {
            for meeting in 0..inside {
                match (round as usize + meeting) % 3 {
                    0 => world.sync_all(),
                    1 => world.team().sync(),
                    _ => world.team().barrier(),
                }
            }
            if round == 299 && me == n - 1 {
                // The others wait so long that they look whether it can still come.
                thread::sleep(Duration::from_millis(200));
            }
            world.team().sync();
            let mut count = COUNT.as_mut_array(p);
            assert_eq!(*count, 40 + round);
            *count += 1;
        });
        if choices.below(2) == 0 {
            assert_eq!(remote!(COUNT[right]), 41 + round);
            world.barrier_all();
        } else {
            // Nobody is in the next phase before all have left this one, and read.
            assert_eq!(remote!(COUNT[right]), 41 + round);
        }
    }
    world.barrier_all();
}

#[shmem::test(npes = [1, 2])]
fn one_mutable_borrow_excludes_all_others(world: &World) -> Result<(), shmem::Error> {
    let array = world.symmetric_array::<u8, 1>([10], 0)?;
    world.local_phase(|p| {
        let refused = |borrow: &dyn Fn()| match catch_unwind(AssertUnwindSafe(borrow)) {
            Ok(()) => panic!("it was not refused"),
            Err(payload) => words(&*payload),
        };
        let first_line = line!() + 1;
        let grid = GRID.as_mut_slice(p);
        let told = refused(&|| drop(GRID.as_mut_slice(p)));
        assert!(
            told.starts_with("`GRID: [[u32; 5]; 3]` (")
                && told.contains(&format!(
                    "is borrowed as mutable since {}:{first_line}:25, and cannot be borrowed as mutable",
                    file!()
                )),
            "{told}"
        );
        let told = refused(&|| drop(GRID.as_array(p)));
        assert!(told.contains("as mutable since") && told.contains("cannot be borrowed as shared"), "{told}");
        // Other objects are free, and refused borrows leave nothing behind.
        drop((CUBE.as_mut_slice(p), BYTES.as_mut_slice(p), array.as_mut_slice(p)));
        drop(grid);

        let (one, two) = (GRID.as_slice(p), GRID.as_slice(p));
        let told = refused(&|| drop(GRID.as_mut_array(p)));
        assert!(
            told.contains("is borrowed as shared since") && told.contains("cannot be borrowed as mutable")
        );
        drop(one);
        refused(&|| drop(GRID.as_mut_array(p)));
        drop(two);
        GRID.as_mut_array(p)[0][0] = 1;

        let elsewhere = array.as_mut_slice(p);
        let told = refused(&|| drop(array.as_slice(p)));
        assert!(told.contains("symmetric array #"), "{told}");
        drop(elsewhere);

        // A borrow ends where the unwinding passes it.
        let thrown = catch_unwind(AssertUnwindSafe(|| {
            let _grid = GRID.as_mut_slice(p);
            panic!("on purpose");
        }));
        assert_eq!(words(&*thrown.expect_err("it panicked")), "on purpose");
        drop(GRID.as_mut_slice(p));

        // One that is never given up lasts as long as the phase.
        std::mem::forget(GRID.as_mut_slice(p));
        let leaked: &mut LocalMut<'_, [u8]> = Box::leak(Box::new(BYTES.as_mut_slice(p)));
        leaked[0] = 5;
        refused(&|| drop(GRID.as_slice(p)));
        refused(&|| drop(BYTES.as_slice(p)));
    });
    world.local_phase(|p| {
        assert_eq!((GRID.as_mut_slice(p)[0], BYTES.as_mut_slice(p)[0]), (1, 5));
    });
    Ok(())
}

/// The handle may go: the memory stays until a collective call, which cannot come before the phase
/// ends.
#[shmem::test(npes = [1, 3])]
fn an_array_may_be_dropped_inside(world: &World) -> Result<(), shmem::Error> {
    let free = world.heap_free();
    let array = world.symmetric_array::<u64, 1>([1000], 3)?;
    let sum = world.local_phase(|p| {
        let sum = array.as_slice(p).iter().sum::<u64>();
        drop(array);
        sum
    });
    assert_eq!(sum, 3000);
    world.reclaim()?;
    assert_eq!(world.heap_free(), free);
    Ok(())
}

/// Disjoint parts of one slice, by threads that start in the phase.
#[shmem::test(npes = [1, 2, 3, 4])]
fn scoped_threads_share_the_work(world: &World) {
    let me = world.my_pe() as u64;
    for round in 1..=20 {
        world.local_phase(|p| {
            let mut big = BIG.as_mut_slice(p);
            let part = big.len() / 4;
            thread::scope(|scope| {
                for (which, chunk) in big.chunks_mut(part).enumerate() {
                    scope.spawn(move || {
                        for (i, value) in chunk.iter_mut().enumerate() {
                            *value += round * (which * part + i) as u64 + me;
                        }
                    });
                }
                // Threads may borrow by themselves, and take guards along.
                let grid: LocalRef<'_, [u32]> = GRID.as_slice(p);
                scope.spawn(move || assert_eq!(grid[3], 7));
                scope.spawn(|| assert_eq!(CUBE.as_mut_array(p)[0][0][0], 1));
            });
        });
    }
    let other = (world.my_pe() + 1) % world.n_pes();
    let rounds: u64 = (1..=20).sum();
    for i in [0, 1, 16_384, 40_000, 65_535] {
        assert_eq!(remote!(BIG[other, i]), rounds * i as u64 + 20 * other as u64);
    }
    world.barrier_all();
}

/// Threads that keep away from symmetric memory while the PE is in a phase may use it before and
/// after.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn other_threads_wait(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n;
    thread::scope(|scope| {
        let (work, orders) = mpsc::channel::<u64>();
        let (done, answers) = mpsc::channel();
        scope.spawn(move || {
            for value in orders {
                remote!(FROM[right, me, ..] = value);
                done.send(()).expect("the PE listens");
            }
        });
        for round in 0..50 {
            work.send(round).expect("the thread listens");
            answers.recv().expect("the thread answers");
            world.local_phase(|p| {
                let mut slots = FROM.as_mut_slice(p);
                let left = (me + n - 1) % n;
                assert_eq!(slots[left * 9..][..9], [round; 9]);
                slots.fill(100 + round);
            });
            assert_eq!(remote!(FROM[right, me, 8]), 100 + round);
            world.barrier_all();
        }
        drop(work);
    });
}

/// What the closure takes and gives, as any other.
#[shmem::test(npes = [2])]
fn the_closure_is_an_ordinary_one(world: &World) {
    let text = String::from("moved in");
    let mut seen = Vec::new();
    let out = world.local_phase(|p: &Phase| {
        seen.extend_from_slice(&BYTES.as_slice(p));
        text
    });
    assert_eq!((out.as_str(), seen.len()), ("moved in", 13));
    let failed: Result<(), shmem::Error> = world.local_phase(|_| Ok(()));
    assert!(failed.is_ok());
    fn named(p: &Phase) -> usize {
        BYTES.as_slice(p).len() + world_free(p)
    }
    fn world_free(p: &Phase) -> usize {
        GRID.as_slice(p).len()
    }
    assert_eq!(world.local_phase(named), 28);
    world.barrier_all();
}

#[cfg(feature = "ndarray")]
#[shmem::test(npes = [1, 2, 3])]
fn views_of_every_rank(world: &World) -> Result<(), shmem::Error> {
    let right = (world.my_pe() + 1) % world.n_pes();
    let array = world.symmetric_array::<f64, 4>([2, 3, 1, 4], 0.5)?;
    let none = world.symmetric_array::<f64, 2>([3, 0], 0.5)?;
    remote!(GRID[right, 1, 2..4]) = [12, 13];
    world.local_phase(|p| {
        let grid = GRID.as_ndarray(p);
        let view: ndarray::ArrayView2<'_, u32> = grid.view();
        assert_eq!((view.shape(), view[[1, 2]], view[[1, 3]]), (&[3, 5][..], 12, 13));
        let mut four = array.as_ndarray_mut(p);
        four.view_mut().index_axis_mut(ndarray::Axis(1), 2).fill(3.0);
        assert_eq!(four.view().sum(), 8.0 * 3.0 + 16.0 * 0.5);
        assert_eq!(COUNT.as_ndarray(p).view().into_scalar(), &40);
        assert_eq!(none.as_ndarray(p).view().shape(), [3, 0]);
        assert_eq!(FROM.as_ndarray(p).view().shape(), [world.n_pes(), 9]);
        assert_eq!(CUBE.as_ndarray(p).view().dim(), (4, 3, 2));
    });
    assert_eq!(remote!(array[right, 1, 2, 0, ..]), [3.0; 4]);
    world.barrier_all();
    Ok(())
}
