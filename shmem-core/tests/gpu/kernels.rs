//! Kernels on the back end `host`, and their text in C++ on this processor.

use shmem::SignalOp;
use shmem::prelude::*;

#[shmem::gpu::kernel]
fn shift(mut dst: Global<i32>, pe: usize) {
    if thread_index() == 0 {
        remote!(dst[pe, 0]) = my_pe() as i32;
    }
}

#[shmem::test(npes = [1, 2, 3])]
fn a_put_to_the_neighbour(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let (stream, array) = (gpu.stream()?, gpu.full([1], -1)?);
    shift.launch(&stream, 1, 32, (&array, (me + 1) % n))?;
    collective!(stream; barrier);
    assert_eq!(array.to_vec(&stream)?, [((me + n - 1) % n) as i32]);
    stream.synchronize()
}

const WIDTH: usize = 4;

/// A kernel function in another module, with a constant of its own.
mod parts {
    pub(super) const FACTOR: i64 = -3;

    #[shmem::gpu::kernel]
    pub(super) fn scaled(x: i64, by: f64) -> i64 {
        let whole = by as i64;
        if whole == 0 { FACTOR } else { x * whole + FACTOR }
    }
}

/// Nothing is launched that has no parameters of its own.
#[shmem::gpu::kernel]
fn mark(mut marks: Global<u8>, at: usize) {
    local!(marks[at]) = 1;
}

#[shmem::gpu::kernel]
fn everything(
    from: Global<i64, 2>,
    mut to: Global<i64, 2>,
    marks: Global<u8>,
    mut cells: Global<Atomic<u64>>,
    by: f64,
) {
    let mut tile = shared::<[i64; WIDTH]>();
    let (row, column) = (block_index(), thread_index());
    let x = local!(from[row, column]);
    local!(tile[column]) = parts::scaled(x, by);
    block_barrier();
    let mut sum = 0_i64;
    let mut seen: [i64; 3] = [0; 3];
    for i in (0..block_size()).rev() {
        if i == column {
            continue;
        }
        sum += local!(tile[i]);
        seen[i % 3] = sum;
    }
    let x = sum - seen[0].min(7);
    remote!(to[(my_pe() + 1) % n_pes(), column, row]) = x;
    if column == from.extent(1) - 1 {
        mark(marks, row);
    }
    remote!(cells[0, 0]) += 1;
    let before = remote!(&cells[0, 1]).fetch_add(2);
    assert!(before < 1000, "there are not so many threads");
    quiet();
    remote!(cells[(my_pe() + 1) % n_pes(), 2]) += 1;
    wait!(cells[2] >= 1);
}

#[shmem::test(npes = [1, 2, 3])]
fn all_words_together(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let value = |pe: usize, i: usize, j: usize| (100 * pe + 10 * i + j) as i64;
    let from = gpu.from_fn([3, WIDTH], |[i, j]| value(me, i, j))?;
    let to = gpu.zeros::<i64, 2>([WIDTH, 3])?;
    let (marks, cells) = (gpu.zeros::<u8, 1>([3])?, gpu.zeros::<Atomic<u64>, 1>([3])?);
    everything.launch(&stream, 3, WIDTH, (&from, &to, &marks, &cells, 2.5))?;
    collective!(stream; barrier);
    let left = (me + n - 1) % n;
    let mut expected = vec![0; 3 * WIDTH];
    for i in 0..3 {
        for j in 0..WIDTH {
            let (mut sum, mut seen) = (0, [0; 3]);
            for k in (0..WIDTH).rev().filter(|k| *k != j) {
                sum += parts::scaled(value(left, i, k), 2.0);
                seen[k % 3] = sum;
            }
            expected[j * 3 + i] = sum - seen[0].min(7);
        }
    }
    assert_eq!(to.to_vec(&stream)?, expected);
    assert_eq!(marks.to_vec(&stream)?, [1; 3]);
    let threads = 3 * WIDTH as u64;
    assert_eq!(remote!(stream; cells[0, ..]), [threads * n as u64, 2 * threads * n as u64, threads]);
    stream.synchronize()
}

/// A write may read the array that it writes to, for the value and for the index.
#[shmem::gpu::kernel]
fn from_itself(mut array: Global<u32>, mut cells: Global<Atomic<u32>>) {
    let mut tile = shared::<[u32; 4]>();
    let i = thread_index();
    local!(tile[i]) = local!(tile[i]) + 1;
    local!(array[local!(array[i]) as usize]) = local!(array[i]) + local!(tile[i]);
    remote!(cells[my_pe(), i]) += local!(cells[i]);
    let _ = remote!(&cells[my_pe(), i]).fetch_add(local!(cells[i]));
}

#[shmem::test(npes = [1])]
fn writes_that_read_their_array(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (stream, array) = (gpu.stream()?, gpu.from_slice(&[0_u32, 1, 2, 3])?);
    let cells = gpu.from_slice(&[1_u32, 2, 3, 4].map(Atomic::new))?;
    from_itself.launch(&stream, 1, 4, (&array, &cells))?;
    assert_eq!(array.to_vec(&stream)?, [1, 2, 3, 4]);
    assert_eq!(cells.to_vec(&stream)?, [4, 8, 12, 16]);
    stream.synchronize()
}

/// Each PE sends rows to its neighbour by a block, a warp and a thread, with signals; the neighbour waits.
#[shmem::gpu::kernel]
fn sends(
    from: Global<i32, 2>,
    mut inbox: Global<i32, 2>,
    mut back: Global<i32, 2>,
    mut signals: Global<Atomic<u64>>,
    pe: usize,
) {
    let row = local!(signals[3]) as usize;
    remote!(block; &inbox[pe, row, 1..]).put_signal(
        local!(&from[0, 1..]),
        remote!(&signals[pe, 0]),
        SignalOp::Set(7),
    );
    remote!(warp; &inbox[pe, 1, 0..=1]).put_signal(
        local!(&from[1, ..2]),
        remote!(&signals[pe, 1]),
        SignalOp::Add(5),
    );
    if thread_index() == 3 {
        remote!(&inbox[pe, 2..3, ..]).put_signal(
            local!(&from[2, ..]),
            remote!(&signals[pe, 2]),
            SignalOp::Add(1),
        );
    }
    wait!(signals[0] == 7);
    wait!(signals[1] >= 5);
    wait!(signals[2] != 0);
    block_barrier();
    // What the neighbour got, and a move that stays on this PE.
    remote!(block; inbox[pe, 0..2, ..] => &mut back[0..2, ..]);
    local!(block; back[2, ..] = &from[2, ..]);
}

#[shmem::test(npes = [1, 2, 3])]
fn blocks_and_warps_move_rows(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + n - 1) % n, (me + 1) % n);
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let value = |pe: usize, i: usize, j: usize| (100 * pe + 10 * i + j) as i32;
    for threads in [4, 32, 64] {
        let from = gpu.from_fn([3, 3], |[i, j]| value(me, i, j))?;
        let (inbox, back) = (gpu.full([3, 3], -1)?, gpu.full([3, 3], -1)?);
        let signals = gpu.zeros::<Atomic<u64>, 1>([4])?;
        sends.launch(&stream, 1, threads, (&from, &inbox, &back, &signals, right))?;
        collective!(stream; barrier);
        let row = |i: usize, js: [Option<usize>; 3], pe| js.map(|j| j.map_or(-1, |j| value(pe, i, j)));
        let got = |pe| [row(0, [None, Some(1), Some(2)], pe), row(1, [Some(0), Some(1), None], pe)].concat();
        let last = |pe| (0..3).map(|j| value(pe, 2, j)).collect::<Vec<_>>();
        assert_eq!(inbox.to_vec(&stream)?, [got(left), last(left)].concat());
        assert_eq!(back.to_vec(&stream)?, [got(me), last(me)].concat());
        // Each warp has added once.
        assert_eq!(signals.to_vec(&stream)?, [7, 5 * (threads as u64).div_ceil(32), 1, 0]);
    }
    stream.synchronize()
}

#[shmem::gpu::kernel]
fn waits_for_a_failure(mut flags: Global<Atomic<u64>>, zero: u64) {
    if thread_index() == 1 {
        remote!(flags[my_pe(), 0]) = 1 / zero;
    }
    wait!(flags[0] == 1);
}

/// A thread does not wait for one that has failed.
#[shmem::test(npes = [2])]
fn a_wait_ends_where_another_thread_fails(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (stream, flags) = (gpu.stream()?, gpu.zeros::<Atomic<u64>, 1>([1])?);
    waits_for_a_failure.launch(&stream, 1, 4, (&flags, 0))?;
    let error = stream.synchronize().unwrap_err().to_string();
    assert!(error.contains("block 0, thread 1: attempt to divide by zero"), "{error}");
    Ok(())
}

#[shmem::gpu::kernel]
fn disagrees(from: Global<i32>, mut to: Global<i32>, how: usize) {
    let i = thread_index();
    if how == 0 {
        remote!(block; to[0, 0..1] = &from[i..i + 1]);
    } else if how == 1 {
        if i == 2 {
            return;
        }
        remote!(block; to[0, ..] = &from[..]);
    } else if how == 2 {
        remote!(warp; to[0, ..] = &from[..]);
    } else if how == 3 {
        remote!(block; to[0, 1..] = &from[..]);
    } else {
        remote!(to[0, 2..how] = &from[..]);
    }
}

#[shmem::test(npes = [1, 2])]
fn moves_that_are_refused(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (from, to) = (gpu.full([4], 1)?, gpu.zeros::<i32, 1>([4])?);
    for (how, threads, expected) in [
        (0, 4, "the threads of the block do not agree: all of them give the same PE"),
        (1, 4, "a thread has returned before its block moves elements together"),
        (2, 40, "a block of 40 threads has a warp of less than 32: launch a multiple of 32 threads"),
        (3, 2, "the source has 4 elements of "),
        (5, 1, "is out of bounds: 2..5 on axis 0, which has extent 4"),
        (1 << 60, 1, "on axis 0, which has extent 4"),
    ] {
        let stream = gpu.stream()?;
        disagrees.launch(&stream, 1, threads, (&from, &to, how))?;
        let error = stream.synchronize().unwrap_err().to_string();
        assert!(error.contains(expected), "no `{expected}` in: {error}");
    }
    world.barrier_all();
    assert_eq!(to.to_vec(&gpu.stream()?)?, [0; 4]);
    Ok(())
}

#[shmem::gpu::kernel]
fn beyond(mut array: Global<u32, 2>, pe: usize, row: usize) {
    if global_index() == 5 {
        remote!(array[pe, row, 1]) = 7;
    }
}

#[shmem::gpu::kernel]
fn divides(mut array: Global<u32, 2>, by: u32) {
    block_barrier();
    if thread_index() == 1 {
        local!(array[0, 0]) = 6 / by;
    }
    block_barrier();
}

#[shmem::gpu::kernel]
fn asserts(limit: usize) {
    assert!(thread_index() < limit);
}

/// The failure has PE, block, thread and both lines; the stream does nothing more.
#[shmem::test(npes = [1, 2])]
fn failures(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let array = gpu.zeros::<u32, 2>([2, 3])?;
    let fails = |launch: &dyn Fn(&shmem::gpu::Stream) -> u32, expected: &[&str]| {
        let stream = gpu.stream().unwrap();
        let line = launch(&stream);
        shift_nothing(&stream, &array);
        let error = stream.synchronize().unwrap_err().to_string();
        let launched = format!("that was issued at {}:{line}:", file!());
        for text in expected.iter().copied().chain([launched.as_str()]) {
            assert!(error.contains(text), "no `{text}` in: {error}");
        }
    };
    let kernels = include_str!("kernels.rs");
    let line_of = |text: &str| 1 + kernels.lines().position(|line| line.contains(text)).unwrap();
    fails(
        &|stream| {
            beyond.launch(stream, 2, 4, (&array, n - 1, 2)).unwrap();
            line!() - 1
        },
        &[
            "the kernel `beyond` that was issued at",
            &format!("PE {me}, block 1, thread 1: `device array #"),
            &format!("[2, 1]` on PE {} is out of bounds", n - 1),
            "DeviceArray<u32, 2> of 2 × 3",
            &format!("kernels.rs:{}:9", line_of("remote!(array[pe, row, 1]) = 7;")),
        ],
    );
    fails(
        &|stream| {
            beyond.launch(stream, 1, 8, (&array, n, 0)).unwrap();
            line!() - 1
        },
        &[&format!("PE {me}, block 0, thread 5: there is no PE {n}")],
    );
    fails(
        &|stream| {
            divides.launch(stream, 3, 4, (&array, 0)).unwrap();
            line!() - 1
        },
        &[
            &format!("PE {me}, block 0, thread 1: attempt to divide by zero, at"),
            &format!("kernels.rs:{}:", line_of("= 6 / by;")),
        ],
    );
    fails(
        &|stream| {
            asserts.launch(stream, 2, 4, (3,)).unwrap();
            line!() - 1
        },
        &["block 0, thread 3: assertion failed: "],
    );
    world.barrier_all();
    assert_eq!(array.to_vec(&gpu.stream()?)?, [0; 6]);
    let stream = gpu.stream()?;
    for (grid, block, text) in [(0, 1, "has no threads"), (1, 2000, "a block of 2000 threads is too large")] {
        let error = asserts.launch(&stream, grid, block, (1,)).unwrap_err().to_string();
        assert!(
            error.starts_with("kernel `asserts` cannot be launched: ") && error.contains(text),
            "{error}"
        );
    }
    Ok(())
}

/// What a failed stream leaves out.
#[shmem::kernel]
fn shift_nothing(stream: &shmem::gpu::Stream, array: &shmem::gpu::DeviceArray<u32, 2>) {
    remote!(stream; array[0, .., ..]) = 9;
}

/// An array that is dropped while a kernel uses it has its memory until then.
#[shmem::test(npes = [2])]
fn a_launch_keeps_its_arrays(world: &World) -> Result<(), shmem::Error> {
    let (me, gpu) = (world.my_pe(), world.gpu()?);
    let (stream, gate) = (gpu.stream()?, gpu.zeros::<Atomic<u64>, 1>([1])?);
    let (from, to) = (gpu.full([1, 1], 5_i64)?, gpu.zeros::<i64, 1>([1])?);
    wait!(stream; gate[0] == 1);
    copies.launch(&stream, 1, 1, (&from, &to, 1 - me))?;
    drop(from);
    world.reclaim()?;
    let other = gpu.full([1, 1], 6_i64)?;
    let opener = gpu.stream()?;
    remote!(opener; gate[me, 0]) = 1;
    stream.synchronize()?;
    world.barrier_all();
    assert_eq!((to.to_vec(&stream)?, other.to_vec(&stream)?), (vec![5], vec![6]));
    Ok(())
}

#[shmem::gpu::kernel]
fn copies(from: Global<i64, 2>, mut to: Global<i64>, pe: usize) {
    remote!(to[pe, 0]) = local!(from[0, 0]);
}

/// A word asks for the thread that it is in.
#[shmem::test(npes = [1])]
fn words_outside_of_a_launch() {
    let text = crate::failures::panics(|| _ = counts(3));
    assert!(text.contains("`thread_index()` was called outside of a launch"), "{text}");
}

#[shmem::gpu::kernel]
fn counts(x: usize) -> usize {
    thread_index() + x
}
