//! Order, events, memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use shmem::gpu::BackEnd;
use shmem::prelude::*;

/// Without a wish it is the host.
#[shmem::test(npes = [1, 2])]
fn the_usual_back_end(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    assert_eq!((gpu.back_end(), gpu.device()), (BackEnd::Host, 0));
    Ok(())
}

/// Nobody drops it, and the job ends.
#[shmem::test(npes = [1, 3])]
fn a_stream_that_outlives_its_job(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let (stream, array) = (gpu.stream()?, gpu.zeros::<u32, 1>([4])?);
    let right = (me + 1) % n;
    remote!(stream; array[right, 0..4;2]) = me as u32;
    collective!(stream; barrier);
    let left = ((me + n - 1) % n) as u32;
    assert_eq!(array.to_vec(&stream)?, [left, 0, left, 0]);
    std::mem::forget((stream, array));
    Ok(())
}

/// The caller waits neither for a stream that waits, nor in a drop; streams wait for each other.
#[shmem::test(npes = [1, 2, 3])]
fn nothing_waits_but_streams(world: &World) -> Result<(), shmem::Error> {
    let me = world.my_pe();
    let gpu = world.gpu()?;
    let (one, two) = (gpu.stream()?, gpu.stream()?);
    let (gate, array) = (gpu.zeros::<Atomic<u64>, 1>([1])?, gpu.zeros::<u32, 1>([4])?);
    wait!(one; gate[0] == 1);
    remote!(one; array[me, ..]) = 5;
    let filled = one.record();
    two.wait_for(&filled);
    remote!(two; array[me, 0]) = &array[3];
    remote!(two; array[me, 1]) = 6;
    assert!(!one.is_idle() && !two.is_idle() && !filled.is_over());
    assert!(filled.elapsed_since(&filled).is_none());
    // A third one, which waits for nothing.
    let three = gpu.stream()?;
    assert_eq!(remote!(three; array[me, ..]), [0; 4]);
    remote!(three; gate[me, 0]) = 1;
    two.synchronize()?;
    assert!(filled.is_over() && one.is_idle());
    filled.synchronize()?;
    assert_eq!(filled.elapsed_since(&filled).unwrap().as_nanos(), 0);
    assert_eq!(array.to_vec(&three)?, [5, 6, 5, 5]);
    Ok(())
}

/// An array that is dropped while a stream waits to use it has its memory until then, on every PE.
#[shmem::test(npes = [1, 2, 4])]
fn memory_outlives_the_array(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n;
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let (gate, result) = (gpu.zeros::<Atomic<u32>, 1>([1])?, gpu.zeros::<u64, 1>([1000])?);
    world.reclaim()?;
    let before = world.heap_free();
    let short_lived = gpu.full([1000], me as u64)?;
    // Only PE 0 still uses it.
    if me == 0 {
        wait!(stream; gate[0] == 1);
        remote!(stream; result[right, ..]) = &short_lived[..];
        stream.quiet();
    }
    drop(short_lived);
    world.reclaim()?;
    assert!(before - world.heap_free() >= 8000, "PE 0 uses it");
    // Where the memory was taken by another array, that would be overwritten, and read.
    let other = gpu.full([1000], 77_u64)?;
    remote!(stream; gate[me, 0]) = 1;
    if me == 0 {
        let opener = gpu.stream()?;
        remote!(opener; gate[0, 0]) = 1;
        opener.synchronize()?;
    }
    stream.synchronize()?;
    world.barrier_all();
    assert_eq!(result.to_vec(&stream)?, [0; 1000]);
    assert_eq!(other.to_vec(&stream)?, [77; 1000]);
    drop(other);
    world.reclaim()?;
    assert_eq!(world.heap_free(), before, "all is free again");
    Ok(())
}

/// Dropping a stream waits for its work; threads share a stream.
#[shmem::test(npes = [1, 2])]
fn threads(world: &World) -> Result<(), shmem::Error> {
    let me = world.my_pe();
    let gpu = world.gpu()?;
    let count = gpu.zeros::<Atomic<u64>, 1>([1])?;
    {
        let stream = gpu.stream()?;
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        remote!(stream; count[0, 0] += 1);
                    }
                });
            }
        });
    }
    world.barrier_all();
    let stream = gpu.stream()?;
    assert_eq!(remote!(stream; count[0, 0]), 300 * world.n_pes() as u64);
    let shared = Arc::new(gpu.full([4], me)?);
    let by = Arc::clone(&shared);
    remote!(stream; by[me, 0..2]) = &shared[2..4];
    remote!(stream; (*by)[me, 0]) = 9;
    stream.synchronize()?;
    let seen = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            seen.store(by.to_vec(&stream).is_ok_and(|all| all == [9, me, me, me]), Ordering::Relaxed)
        });
    });
    assert!(seen.into_inner());
    Ok(())
}

/// Threads that issue collective calls on one stream do not block it: the calls have their turns in the
/// order of the stream.
#[shmem::test(npes = [1, 2])]
fn threads_issue_collective_calls(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (stream, count) = (gpu.stream()?, gpu.ones::<u32, 1>([1])?);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..2000 {
                    collective!(stream; count[..] = max count[..]);
                }
            });
        }
    });
    stream.synchronize()
}

/// The memory of a dropped array is released when the writes to it are complete: not before, and with
/// as many arrays as the heap has room for.
#[shmem::test(npes = [2], heap = "16M")]
fn memory_is_kept_until_writes_are_complete(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let before = world.heap_free();
    let other = 1 - world.my_pe();
    // As many bytes as four heaps.
    for _ in 0..500 {
        let array = gpu.zeros::<u8, 1>([128 << 10])?;
        remote!(stream; array[other, 7..]) = 1;
        stream.record().synchronize()?;
    }
    let array = gpu.zeros::<u8, 1>([1 << 20])?;
    remote!(stream; array[other, 7..]) = 1;
    stream.record().synchronize()?;
    drop(array);
    world.reclaim()?;
    assert!(before - world.heap_free() >= 1 << 20, "the write is not complete");
    stream.synchronize()?;
    world.reclaim()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

/// The address of a peer's copy is that of its elements.
#[shmem::test(npes = [1, 2, 3])]
fn peer_pointers(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let grid = gpu.from_fn([3, 4], |[i, j]| (100 * me + 10 * i + j) as u16)?;
    let right = (me + 1) % n;
    if let Some(theirs) = grid.peer_ptr(right) {
        // SAFETY: it is element `[2, 1]` of a live array, which nobody else accesses before the barrier.
        unsafe {
            assert_eq!(theirs.add(9).read_volatile(), (100 * right + 21) as u16);
            theirs.add(9).write_volatile(7);
        }
    } else {
        remote!(stream; grid[right, 2, 1]) = 7;
    }
    collective!(stream; barrier);
    let mut values = [0; 12];
    grid.copy_to(&stream, &mut values)?;
    assert_eq!((values[8], values[9]), ((100 * me + 20) as u16, 7));
    stream.synchronize()
}

/// A store to a multicast address reaches all PEs of its team. The stand-in has them for teams of one PE.
#[shmem::test(npes = [1, 2, 3])]
fn multicast_pointers(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let grid = gpu.from_fn([3, 4], |[i, j]| (100 * me + 10 * i + j) as u16)?;
    let own = world.team().split_by_color(Some(me as u64), 0)?.expect("it has a color");
    let [all, own] = [gpu.team(world.team())?, gpu.team(&own)?];
    let has_some = gpu.back_end() == BackEnd::Nvshmem;
    assert_eq!(grid.multicast_ptr(&all).is_some(), has_some && n == 1);
    assert_eq!(grid.multicast_ptr(&own).is_some(), has_some);
    if let Some(mine) = grid.multicast_ptr(&own) {
        // SAFETY: it is element `[2, 1]` of this PE's copy, which nobody else accesses.
        unsafe {
            assert_eq!(mine.add(9).read_volatile(), (100 * me + 21) as u16);
            mine.add(9).write_volatile(7);
        }
        assert_eq!(grid.to_vec(&stream)?[8..10], [(100 * me + 20) as u16, 7]);
    }
    Ok(())
}

/// Nothing of a job is left when the function returns, whatever a stream still does.
#[shmem::test(npes = [1, 3])]
fn work_at_the_end(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let large = gpu.zeros::<u64, 1>([100_000])?;
    for _ in 0..50 {
        remote!(stream; large[0, ..]) = 3;
        collective!(stream; large[..] = max large[..]);
    }
    Ok(())
}
