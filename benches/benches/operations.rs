//! What the operations of the language cost, beside what the machine allows.
//!
//! ```text
//! cargo bench -p benches                              everything, 2 PEs
//! cargo bench -p benches -- --quick --csv now.csv     few rounds; also as a table for programs
//! cargo bench -p benches -- barrier                   what has `barrier` in its name
//! SHMEM_NPES=8 cargo bench -p benches -- barrier      the same with more PEs
//! ```
//!
//! PE 0 measures, against PE 1; for one-sided operations all others wait in a barrier. The limit of each operation is a
//! plain loop over the same bytes of the same mapping, measured in turns with it. Nothing is pinned: on a machine with
//! more than one cache the result of everything that two PEs do together depends on the cores that they sit on, so
//! compare what `taskset -c 0,1 cargo bench …` says.

use std::hint::{black_box, spin_loop};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::yield_now;

use benches::loops::{self, PICKED, WORDS};
use benches::run::{Bench, Case};
use shmem::__private::peer_address;
use shmem::Item;
use shmem::prelude::*;
use shmem::reduction::Sum;

/// The PE that PE 0 works on.
const TARGET: usize = 1;
/// How many hand-overs, barriers and reductions are measured at once.
const MEETINGS: usize = 200;

/// A word on a cache line of its own, as every static is, for two PEs to hand over.
#[symmetric]
static TURN: Atomic<u64> = Atomic::new(0);

/// The goals of the project, as ratios of times.
mod goal {
    /// One word through the language, against a bare store.
    pub(crate) const WORD: f64 = 3.0;
    /// 95 % of the speed of `memcpy`.
    pub(crate) const COPY: f64 = 1.0 / 0.95;
    /// A strided transfer, against the plain loop.
    pub(crate) const STRIDED: f64 = 1.2;
    /// An atomic update, against the processor's.
    pub(crate) const ATOMIC: f64 = 1.2;
    /// A barrier of two, in one-way hand-overs.
    pub(crate) const BARRIER: f64 = 1.5;
    /// An all-reduce of one value, in barriers.
    pub(crate) const REDUCE_ONE: f64 = 3.0;
    /// A large all-reduce: 70 % of the speed at which every PE copies its source to its destination, which is the traffic that it
    /// cannot do without.
    pub(crate) const REDUCE: f64 = 1.0 / 0.7;
    /// What moves and is not changed: 80 % of the speed of `memcpy` for the same bytes.
    pub(crate) const MOVE: f64 = 1.0 / 0.8;
}

#[shmem::main(npes = 2)]
fn main(world: &World) -> Result<ExitCode, shmem::Error> {
    let Some(mut bench) = Bench::new(world) else { return Ok(ExitCode::FAILURE) };
    if world.n_pes() < 2 {
        eprintln!("this benchmark measures what one PE does to another: run it with at least 2 PEs");
        return Ok(ExitCode::FAILURE);
    }
    words(&mut bench)?;
    copies(&mut bench)?;
    strided(&mut bench);
    atomics(&mut bench);
    meetings(&mut bench);
    collectives(&mut bench)?;

    Ok(bench.report(&format!("{} PEs", world.n_pes())))
}

/// One word at a time.
fn words(bench: &mut Bench<'_>) -> Result<(), shmem::Error> {
    let world = bench.world;
    let array = world.symmetric_array::<u64, 1>([WORDS], 0)?;
    let (pe, n, row) = (TARGET, WORDS, loops::row(TARGET));
    // SAFETY: the row has `WORDS` words, and races are between volatile and atomic accesses of PE 0 alone.
    let store = || unsafe { loops::store_words(row, n) };
    // SAFETY: as above.
    let load = || _ = black_box(unsafe { loops::load_words(row, n) });
    // SAFETY: as above.
    let store_and_fence = || unsafe { loops::store_words_and_fence(row, n) };

    let put = |name| Case::new(name, "volatile store", Some(goal::WORD), WORDS);
    bench.one_sided(put("put 8 B, run-time index"), store, || loops::put_words(pe, n));
    bench.one_sided(put("put 8 B, eight in a turn"), store, || loops::put_words_by_eight(pe, n));
    bench.one_sided(put("put 8 B, constant index"), store, || loops::put_one_word(pe, n));
    bench.one_sided(put("put 8 B, run-time extent"), store, || loops::put_array_words(&array, pe, n));
    let quiet = Case::new("put 8 B + quiet", "store + fence", None, WORDS);
    bench.one_sided(quiet, store_and_fence, || loops::put_words_and_quiet(world, pe, n));

    let get = |name| Case::new(name, "volatile load", Some(goal::WORD), WORDS);
    bench.one_sided(get("get 8 B, run-time index"), load, || _ = black_box(loops::get_words(pe, n)));
    bench.one_sided(get("get 8 B, constant index"), load, || _ = black_box(loops::get_one_word(pe, n)));
    Ok(())
}

/// Contiguous transfers between private memory and the target.
fn copies(bench: &mut Bench<'_>) -> Result<(), shmem::Error> {
    for (size, bytes) in [("4 KiB", 4 << 10), ("64 KiB", 64 << 10), ("1 MiB", 1 << 20), ("16 MiB", 16 << 20)]
    {
        let words = bytes / 8;
        let array = bench.world.symmetric_array::<u64, 1>([words], 1)?;
        let there: *mut u64 = peer_address(remote!(&array[TARGET, ..])).cast();
        let from = vec![2_u64; words];
        let mut into = vec![3_u64; words];
        let into_address = into.as_mut_ptr();
        let case = |name| Case::new(&format!("{name} {size}"), "memcpy", Some(goal::COPY), 1).bytes(bytes);

        // SAFETY: both sides have `words` words, and only PE 0 accesses them.
        let put = || unsafe { there.copy_from_nonoverlapping(from.as_ptr(), black_box(words)) };
        bench.one_sided(case("put"), put, || remote!(array[black_box(TARGET), ..] = &from));
        // SAFETY: as above; nothing else uses the buffer while this runs.
        let get = || unsafe { there.copy_to_nonoverlapping(into_address, black_box(words)) };
        bench.one_sided(case("get"), get, || remote!(array[black_box(TARGET), ..] => &mut into));
        black_box(&into);
    }
    Ok(())
}

/// Strided transfers of [`PICKED`] elements.
fn strided(bench: &mut Bench<'_>) {
    let from = [1.5; PICKED];
    let mut into = [0.0; PICKED];
    let mut plain = [0.0; PICKED];
    let (pe, there) = (TARGET, loops::sparse(TARGET));
    let case = |name: &str| Case::new(name, "plain strided loop", Some(goal::STRIDED), 1);

    // SAFETY, for all plain loops: `SPARSE` has room for `PICKED` elements at a stride of up to 64, and only PE 0 accesses it.
    // SAFETY: as above.
    let limit = || unsafe { loops::scatter_constant::<2>(&from, there) };
    bench.one_sided(case("iput 1024 f64, stride 2"), limit, || loops::iput_2(&from, pe));
    // SAFETY: as above.
    let limit = || unsafe { loops::scatter_constant::<64>(&from, there) };
    bench.one_sided(case("iput 1024 f64, stride 64"), limit, || loops::iput_64(&from, pe));
    // SAFETY: as above.
    let limit = || unsafe { loops::gather_constant::<2>(&mut plain, there) };
    bench.one_sided(case("iget 1024 f64, stride 2"), limit, || loops::iget_2(&mut into, pe));
    // SAFETY: as above.
    let limit = || unsafe { loops::gather_constant::<64>(&mut plain, there) };
    bench.one_sided(case("iget 1024 f64, stride 64"), limit, || loops::iget_64(&mut into, pe));

    for stride in [2, 64] {
        let name = |what| format!("{what} 1024 f64, run-time stride {stride}");
        let end = stride * PICKED;
        // SAFETY: as above.
        let limit = || unsafe { loops::scatter(&from, there, black_box(stride)) };
        bench.one_sided(case(&name("iput")), limit, || loops::iput(&from, pe, end, black_box(stride)));
        // SAFETY: as above.
        let limit = || unsafe { loops::gather(&mut plain, there, black_box(stride)) };
        bench.one_sided(case(&name("iget")), limit, || loops::iget(&mut into, pe, end, black_box(stride)));
    }
    black_box((into, plain));
}

/// Updates of one cell that nobody else updates.
fn atomics(bench: &mut Bench<'_>) {
    let (pe, cell) = (TARGET, loops::count(TARGET));
    let case = |name| Case::new(name, "processor's fetch_add", Some(goal::ATOMIC), WORDS);
    let limit = || _ = black_box(loops::processor_fetch_add(cell, WORDS));
    bench.one_sided(case("fetch_add"), limit, || _ = black_box(loops::fetch_add(pe, WORDS)));
    bench.one_sided(case("add (+=)"), limit, || loops::add(pe, WORDS));
}

/// What the PEs do together. With two, the limit is the time in which one cache line goes from one to the other; with more,
/// of which some may have to share a core, it is a barrier of one counter in plain memory whose waiters yield.
fn meetings(bench: &mut Bench<'_>) {
    let world = bench.world;
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    // SAFETY: a static is mapped until the process ends, aligned to its element, and everybody updates it atomically.
    let turn = unsafe { AtomicU64::from_ptr(peer_address(remote!(&TURN[0])).cast()) };
    let (name, goal) = match n_pes {
        2 => ("one-way hand-over", Some(goal::BARRIER)),
        _ => ("counter, yielding", None),
    };
    let limit = || match n_pes {
        2 => hand_over(turn, me, MEETINGS),
        _ => (0..MEETINGS).for_each(|_| count_in(turn, n_pes)),
    };
    let barrier = || (0..MEETINGS).for_each(|_| world.barrier_all());
    let reduce = || {
        for _ in 0..MEETINGS {
            black_box(collective!(sum black_box(1.5)));
        }
    };
    bench.together(Case::new("barrier_all", name, goal, MEETINGS), limit, barrier);
    let one = Case::new("all-reduce of one f64", "barrier_all", Some(goal::REDUCE_ONE), MEETINGS);
    bench.together(one, barrier, reduce);
}

/// Collectives that move data. The limit of each is what every PE has to copy, copied by all PEs at the same time, between the same
/// places, without any meeting.
fn collectives(bench: &mut Bench<'_>) -> Result<(), shmem::Error> {
    let world = bench.world;
    let (team, me, n_pes) = (world.team(), world.my_pe(), world.n_pes());
    let case = |operation: &str, limit, goal, operations| Case::new(operation, limit, Some(goal), operations);

    for (name, n, repeats) in [("1 Ki", 1 << 10, 50), ("1 Mi", 1 << 20, 1)] {
        let (to, from) =
            (world.symmetric_array::<f64, 1>([n], 1.0)?, world.symmetric_array::<f64, 1>([n], 2.0)?);
        let (target, source) = (address(remote!(&to[me, ..])), address(remote!(&from[me, ..])));
        let case = case(&format!("all-reduce of {name} f64"), "memcpy of its traffic", goal::REDUCE, repeats);
        let case = if n == 1 << 20 { case } else { case.without_goal() };
        // SAFETY: each PE copies between two objects of its own.
        let limit = || (0..repeats).for_each(|_| unsafe { plain_copy(target, source, 8 * n) });
        let ours = || {
            (0..repeats).for_each(|_| team.reduce(Sum, local!(&to[..]), local!(&from[..])));
        };
        bench.together(case.bytes(16 * n), limit, ours);
    }

    let (n, repeats) = (1 << 17, 8);
    let (to, from) = (world.symmetric_array::<u64, 1>([n], 1)?, world.symmetric_array::<u64, 1>([n], 2)?);
    let (target, source) = (address(remote!(&to[me, ..])), address(remote!(&from[0, ..])));
    // SAFETY: each PE copies from PE 0, which nobody writes to, to an object of its own.
    let limit = || (0..repeats).for_each(|_| unsafe { plain_copy(target, source, 8 * n) });
    let ours = || (0..repeats).for_each(|_| team.broadcast(local!(&to[..]), local!(&from[..]), 0));
    bench.together(case("broadcast 1 MiB", "memcpy", goal::MOVE, repeats).bytes(8 * n), limit, ours);

    let (n, repeats) = (1 << 13, 50);
    let from = world.symmetric_array::<u64, 1>([n], 2)?;
    let to = world.symmetric_array::<u64, 1>([n * n_pes], 1)?;
    let source = address(remote!(&from[me, ..]));
    let places: Vec<*mut u8> =
        (0..n_pes).map(|pe| address(remote!(&to[(me + pe) % n_pes, me * n..(me + 1) * n]))).collect();
    let limit = || {
        for _ in 0..repeats {
            // SAFETY: each PE copies from an object of its own to places that it alone writes to.
            places.iter().for_each(|&place| unsafe { plain_copy(place, source, 8 * n) });
        }
    };
    let ours = || (0..repeats).for_each(|_| team.fcollect(local!(&to[..]), local!(&from[..])));
    let fcollect = case("fcollect 64 KiB", "memcpy to each PE", goal::MOVE, repeats);
    bench.together(fcollect.bytes(8 * n * n_pes), limit, ours);

    // The size is what each PE hands to each, as in the routine's own count; and what it hands to all together, which is harder.
    for (name, block) in [("alltoall 64 KiB to each", n), ("alltoall 64 KiB in all", n / n_pes)] {
        let len = block * n_pes;
        let (to, from) =
            (world.symmetric_array::<u64, 1>([len], 1)?, world.symmetric_array::<u64, 1>([len], 2)?);
        let places: Vec<(*mut u8, *mut u8)> = (0..n_pes)
            .map(|pe| (me + pe) % n_pes)
            .map(|pe| {
                let place = address(remote!(&to[pe, me * block..(me + 1) * block]));
                (place, address(remote!(&from[me, pe * block..(pe + 1) * block])))
            })
            .collect();
        let limit = || {
            for _ in 0..repeats {
                // SAFETY: as above.
                places.iter().for_each(|&(place, source)| unsafe { plain_copy(place, source, 8 * block) });
            }
        };
        let ours = || (0..repeats).for_each(|_| team.alltoall(local!(&to[..]), local!(&from[..])));
        bench.together(case(name, "memcpy of its blocks", goal::MOVE, repeats).bytes(8 * len), limit, ours);
    }
    Ok(())
}

/// Where a selection begins.
fn address<F>(selection: Remote<'_, impl Item, F>) -> *mut u8 {
    peer_address(selection)
}

/// What the C library copies with.
///
/// # Safety
///
/// As [`std::ptr::copy_nonoverlapping`].
unsafe fn plain_copy(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: the caller's word.
    unsafe { black_box(to).copy_from_nonoverlapping(black_box(from), black_box(len)) };
}

/// The simplest barrier: waits until as many PEs have counted themselves in as there are, this time.
fn count_in(counter: &AtomicU64, n_pes: usize) {
    let n_pes = n_pes as u64;
    let before = counter.fetch_add(1, Ordering::AcqRel);
    let all = (before / n_pes + 1) * n_pes;
    while counter.load(Ordering::Acquire) < all {
        yield_now();
    }
}

/// Hands a cache line over `n` times, there and back in turns: PE 0 makes the word odd, PE 1 makes it even.
fn hand_over(turn: &AtomicU64, me: usize, n: usize) {
    let mine = me as u64;
    for _ in 0..n / 2 {
        let seen = loop {
            let seen = turn.load(Ordering::Acquire);
            if seen % 2 == mine {
                break seen;
            }
            spin_loop();
        };
        turn.store(seen + 1, Ordering::Release);
    }
    // PE 0 stops the clock when the last hand-over has arrived, not when it has sent its own last one.
    while me == 0 && !turn.load(Ordering::Acquire).is_multiple_of(2) {
        spin_loop();
    }
}
