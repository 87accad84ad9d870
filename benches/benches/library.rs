//! What this crate adds to the C routine that it calls, and what it saves where it does not call it.
//!
//! ```text
//! SHMEM_TRANSPORT=openshmem cargo bench -p benches --features openshmem --bench library
//! SHMEM_DIRECT=0 SHMEM_TRANSPORT=openshmem cargo bench -p benches --features openshmem --bench library
//! ```
//!
//! With `-- --quick` and the like as in `operations.rs`. The first is a job as users have it: the PEs of one host reach each other by
//! loads and stores, and the goal is to be ahead of the C routine. In the second all goes through the library, as between
//! hosts, and the goal is 1.05 times the C routine. Atomic operations go through the library in both.
//!
//! Both sides are measured in turns, in one job and on the same symmetric memory. The C side is what a C program would write: the routine of
//! the size, on the default context, with two arrays of `pSync` in turns.

use std::ffi::{c_int, c_long, c_uint, c_ulonglong};
use std::hint::black_box;
use std::process::ExitCode;

use benches::loops::{self, COUNT, PICKED, ROW, SPARSE, WORDS};
use benches::run::{Bench, Case};
use shmem::__private::{own_address, transport_name};
use shmem::prelude::*;
use shmem::reduction::Sum;
use shmem_sys as sys;

/// The PE that PE 0 works on.
const TARGET: usize = 1;
/// The same, for C.
const PE: c_int = TARGET as c_int;
/// The goal of what loads and stores do, as a ratio of times: ahead of the routine.
const AHEAD: f64 = 1.0;
/// The goal of what goes through the library.
const THROUGH: f64 = 1.05;
/// How many barriers and small collectives are measured at once.
const MEETINGS: usize = 100;

/// A cell of 4 bytes.
#[symmetric]
static SMALL_COUNT: Atomic<u32> = Atomic::new(0);
/// `pSync` arrays, two in turns: large enough for any library and routine.
#[symmetric]
static SYNC: [[i64; 256]; 2] = [[0; 256]; 2];

#[shmem::main(npes = 2, heap = "256M")]
fn main(world: &World) -> Result<ExitCode, shmem::Error> {
    let Some(mut bench) = Bench::new(world) else { return Ok(ExitCode::FAILURE) };
    if transport_name() != "openshmem" {
        if world.my_pe() == 0 {
            println!("not over a C library, so there is nothing to compare: set SHMEM_TRANSPORT=openshmem");
        }
        return Ok(ExitCode::SUCCESS);
    }
    if world.n_pes() != 2 {
        eprintln!("this benchmark measures what one PE does to another: run it with 2 PEs");
        return Ok(ExitCode::FAILURE);
    }
    words(&mut bench);
    copies(&mut bench)?;
    strided(&mut bench);
    atomics(&mut bench);
    meetings(&mut bench);
    reductions(&mut bench)?;
    moves(&mut bench)?;

    let way = if is_direct() { "loads and stores" } else { "the library" };
    Ok(bench.report(&format!("2 PEs, which reach each other by {way}")))
}

/// Whether loads and stores reach the other PE.
fn is_direct() -> bool {
    remote!(&ROW[TARGET, ..]).as_ptr().is_some()
}

/// An operation that loads and stores do where they can, and the routine that it is compared with.
fn case(operation: &str, routine: &'static str, operations: usize) -> Case {
    let goal = if is_direct() { AHEAD } else { THROUGH };
    Case::new(operation, routine, Some(goal), operations)
}

// What is C below: its arguments are this PE's own addresses of symmetric objects, in their bounds, and PEs that exist; the library is
// initialised, by the job. So each `SAFETY` says no more than which memory it is.

/// One word at a time.
fn words(bench: &mut Bench<'_>) {
    let row: *mut u64 = own_address(remote!(&ROW[TARGET, ..])).cast();
    let (pe, n) = (TARGET, WORDS);
    let one = case("put 8 B", "shmem_uint64_p", n);
    // SAFETY: `ROW` has `WORDS` words.
    let c = || (0..n).for_each(|i| unsafe { sys::shmem_uint64_p(row.add(i), i as u64, black_box(PE)) });
    bench.one_sided(one, c, || loops::put_words(pe, n));
    let of_memory = case("put 8 B", "shmem_putmem", n);
    let c = || {
        for i in 0..n {
            let value = i as u64;
            // SAFETY: as above.
            unsafe {
                sys::shmem_putmem(row.add(i).cast(), (&raw const value).cast(), 8, black_box(PE));
            }
        }
    };
    bench.one_sided(of_memory, c, || loops::put_words(pe, n));

    let one = case("get 8 B", "shmem_uint64_g", n);
    let c = || {
        // SAFETY: as above.
        let sum = |sum: u64, i| sum.wrapping_add(unsafe { sys::shmem_uint64_g(row.add(i), black_box(PE)) });
        black_box((0..n).fold(0, sum));
    };
    bench.one_sided(one, c, || _ = black_box(loops::get_words(pe, n)));

    let values: Vec<u64> = (0..n as u64).collect();
    let c = || {
        for (i, value) in values.iter().enumerate() {
            // SAFETY: as above; the values stay until `shmem_quiet`.
            unsafe {
                sys::shmem_putmem_nbi(row.add(i).cast(), std::ptr::from_ref(value).cast(), 8, black_box(PE));
            }
        }
        // SAFETY: as above.
        unsafe { sys::shmem_quiet() };
    };
    let world = bench.world;
    let ours = || {
        world.nbi(|s| {
            for (i, value) in values.iter().enumerate() {
                s.put(remote!(&ROW[black_box(pe), i]), value);
            }
        });
    };
    bench.one_sided(case("put_nbi 8 B, quiet after 1024", "shmem_putmem_nbi", n), c, ours);
}

/// Contiguous transfers between private memory and the target.
fn copies(bench: &mut Bench<'_>) -> Result<(), shmem::Error> {
    let sizes = [
        ("8 B", 8),
        ("64 B", 64),
        ("512 B", 512),
        ("4 KiB", 4 << 10),
        ("64 KiB", 64 << 10),
        ("1 MiB", 1 << 20),
    ];
    for (size, bytes) in sizes {
        let words = bytes / 8;
        let array = bench.world.symmetric_array::<u64, 1>([words], 1)?;
        let there = own_address(remote!(&array[TARGET, ..]));
        let from = vec![2_u64; words];
        let mut into = vec![3_u64; words];
        let into_address: *mut u64 = into.as_mut_ptr();

        // SAFETY: both sides have `bytes` bytes.
        let c = || unsafe { sys::shmem_putmem(there.cast(), from.as_ptr().cast(), bytes, black_box(PE)) };
        let put = case(&format!("put slice of {size}"), "shmem_putmem", 1);
        bench.one_sided(put, c, || remote!(array[black_box(TARGET), ..] = &from));
        // SAFETY: as above; nothing else uses the buffer while this runs.
        let c = || unsafe { sys::shmem_getmem(into_address.cast(), there.cast(), bytes, black_box(PE)) };
        let get = case(&format!("get slice of {size}"), "shmem_getmem", 1);
        bench.one_sided(get, c, || remote!(array[black_box(TARGET), ..] => &mut into));
        black_box(&into);
    }
    Ok(())
}

/// Strided transfers of [`PICKED`] elements.
fn strided(bench: &mut Bench<'_>) {
    let from = [1.5; PICKED];
    let mut into = [0.0; PICKED];
    let mut of_c = [0.0; PICKED];
    let there: *mut f64 = own_address(remote!(&SPARSE[TARGET, ..])).cast();
    // SAFETY: `SPARSE` has room for `PICKED` elements at a stride of up to 64.
    let c = || unsafe { sys::shmem_double_iput(there, from.as_ptr(), 2, 1, PICKED, black_box(PE)) };
    let iput = case("iput 1024 f64, stride 2", "shmem_double_iput", 1);
    bench.one_sided(iput, c, || loops::iput_2(&from, black_box(TARGET)));
    // SAFETY: as above.
    let c = || unsafe { sys::shmem_double_iget(of_c.as_mut_ptr(), there, 1, 2, PICKED, black_box(PE)) };
    let iget = case("iget 1024 f64, stride 2", "shmem_double_iget", 1);
    bench.one_sided(iget, c, || loops::iget_2(&mut into, black_box(TARGET)));
    black_box((into, of_c));
}

/// Updates of one cell that nobody else updates.
fn atomics(bench: &mut Bench<'_>) {
    let (pe, n) = (TARGET, WORDS);
    let cell: *mut c_ulonglong = own_address(remote!(&COUNT[TARGET])).cast();
    let small: *mut c_uint = own_address(remote!(&SMALL_COUNT[TARGET])).cast();
    // By the library in any case.
    let case = |name, routine| Case::new(name, routine, Some(THROUGH), n);

    let c = || {
        for _ in 0..n {
            // SAFETY: a cell of 8 bytes.
            black_box(unsafe { sys::shmem_ulonglong_atomic_fetch_add(cell, 1, black_box(PE)) });
        }
    };
    let fetch_add = case("fetch_add u64", "shmem_ulonglong_atomic_fetch_add");
    bench.one_sided(fetch_add, c, || _ = black_box(loops::fetch_add(pe, n)));

    let c = || {
        for _ in 0..n {
            // SAFETY: a cell of 4 bytes.
            black_box(unsafe { sys::shmem_uint_atomic_fetch_add(small, 1, black_box(PE)) });
        }
    };
    let ours = || {
        for _ in 0..n {
            black_box(remote!(&SMALL_COUNT[black_box(pe)]).fetch_add(1));
        }
    };
    bench.one_sided(case("fetch_add u32", "shmem_uint_atomic_fetch_add"), c, ours);

    let c = || {
        for _ in 0..n {
            // SAFETY: a cell of 8 bytes.
            unsafe { sys::shmem_ulonglong_atomic_add(cell, 1, black_box(PE)) };
        }
    };
    bench.one_sided(case("add u64 (+=)", "shmem_ulonglong_atomic_add"), c, || loops::add(pe, n));

    let c = || {
        for i in 0..n as u64 {
            // SAFETY: a cell of 8 bytes.
            black_box(unsafe { sys::shmem_ulonglong_atomic_compare_swap(cell, i, i + 1, black_box(PE)) });
        }
    };
    let ours = || {
        for i in 0..n as u64 {
            black_box(remote!(&COUNT[black_box(pe)]).compare_exchange(i, i + 1)).ok();
        }
    };
    bench.one_sided(case("compare_exchange u64", "shmem_ulonglong_atomic_compare_swap"), c, ours);
}

/// What the PEs do together.
fn meetings(bench: &mut Bench<'_>) {
    let world = bench.world;
    // SAFETY: no arguments.
    let c = || (0..MEETINGS).for_each(|_| unsafe { sys::shmem_barrier_all() });
    let ours = || (0..MEETINGS).for_each(|_| world.barrier_all());
    bench.together(case("barrier_all", "shmem_barrier_all", MEETINGS), c, ours);
    // SAFETY: no arguments.
    let c = || (0..MEETINGS).for_each(|_| unsafe { sys::shmem_sync_all() });
    let ours = || (0..MEETINGS).for_each(|_| world.sync_all());
    bench.together(case("sync_all", "shmem_sync_all", MEETINGS), c, ours);
}

/// The next `pSync`. The arrays take turns, so that a PE that is late in one call is not met by the next.
struct Syncs {
    arrays: [*mut c_long; 2],
    next: usize,
}

impl Syncs {
    /// Collective.
    fn new(world: &World) -> Syncs {
        local!(SYNC[.., ..] = sys::SHMEM_SYNC_VALUE);
        world.barrier_all();
        let me = world.my_pe();
        Syncs { arrays: [0, 1].map(|i| own_address(remote!(&SYNC[me, i, ..])).cast()), next: 0 }
    }

    fn next(&mut self) -> *mut c_long {
        self.next += 1;
        self.arrays[self.next % 2]
    }
}

/// All-reduces, of values of a program as its owner has them: C needs them in symmetric memory.
fn reductions(bench: &mut Bench<'_>) -> Result<(), shmem::Error> {
    let Some(sum_to_all) = sys::optional::shmem_double_sum_to_all else { return Ok(()) };
    let world = bench.world;
    let (team, me) = (world.team(), world.my_pe());
    let mut syncs = Syncs::new(world);
    for (name, n, repeats) in [("1", 1, MEETINGS), ("1 Ki", 1 << 10, 50), ("128 Ki", 1 << 17, 1)] {
        let to = world.symmetric_array::<f64, 1>([n], 1.0)?;
        let from = world.symmetric_array::<f64, 1>([n], 2.0)?;
        let work = world.zeros::<f64, 1>([n / 2 + 1 + sys::SHMEM_REDUCE_MIN_WRKDATA_SIZE])?;
        let [target, source, work] =
            [&to, &from, &work].map(|array| own_address(remote!(&array[me, ..])).cast::<f64>());
        let c = || {
            for _ in 0..repeats {
                // SAFETY: both have `n` elements, and the work array as many as the specification wants.
                unsafe { sum_to_all(target, source, n as c_int, 0, 0, 2, work, syncs.next()) };
            }
        };
        let ours = || (0..repeats).for_each(|_| team.reduce(Sum, local!(&to[..]), local!(&from[..])));
        let all_reduce = case(&format!("all-reduce of {name} f64"), "shmem_double_sum_to_all", repeats);
        bench.together(all_reduce, c, ours);
        if n == 1 {
            let mut syncs = Syncs::new(world);
            let c = || {
                for _ in 0..repeats {
                    // SAFETY: as above; the value is this PE's own.
                    unsafe {
                        source.write_volatile(black_box(1.5));
                        sum_to_all(target, source, 1, 0, 0, 2, work, syncs.next());
                        black_box(target.read_volatile());
                    }
                }
            };
            let ours = || (0..repeats).for_each(|_| _ = black_box(collective!(sum black_box(1.5))));
            bench.together(case("all-reduce of a value", "shmem_double_sum_to_all", repeats), c, ours);
        }
    }
    Ok(())
}

/// Collectives that move data.
fn moves(bench: &mut Bench<'_>) -> Result<(), shmem::Error> {
    let world = bench.world;
    let (team, me) = (world.team(), world.my_pe());
    if let Some(broadcast) = sys::optional::shmem_broadcast64 {
        let mut syncs = Syncs::new(world);
        let (n, repeats) = (1 << 17, 4);
        let to = world.symmetric_array::<u64, 1>([n], 1)?;
        let from = world.symmetric_array::<u64, 1>([n], 2)?;
        let [target, source] = [&to, &from].map(|array| own_address(remote!(&array[me, ..])).cast());
        let c = || {
            for _ in 0..repeats {
                // SAFETY: both have `n` elements.
                unsafe { broadcast(target, source, n, 0, 0, 0, 2, syncs.next()) };
            }
        };
        let ours = || (0..repeats).for_each(|_| team.broadcast(local!(&to[..]), local!(&from[..]), 0));
        bench.together(case("broadcast 1 MiB", "shmem_broadcast64", repeats), c, ours);
    }
    if let Some(fcollect) = sys::optional::shmem_fcollect64 {
        let mut syncs = Syncs::new(world);
        let (n, repeats) = (1 << 13, 20);
        let from = world.symmetric_array::<u64, 1>([n], 2)?;
        let to = world.symmetric_array::<u64, 1>([2 * n], 1)?;
        let [target, source] = [&to, &from].map(|array| own_address(remote!(&array[me, ..])).cast());
        let c = || {
            for _ in 0..repeats {
                // SAFETY: the source has `n` elements, the target twice as many.
                unsafe { fcollect(target, source, n, 0, 0, 2, syncs.next()) };
            }
        };
        let ours = || (0..repeats).for_each(|_| team.fcollect(local!(&to[..]), local!(&from[..])));
        bench.together(case("fcollect 64 KiB", "shmem_fcollect64", repeats), c, ours);
    }
    Ok(())
}
