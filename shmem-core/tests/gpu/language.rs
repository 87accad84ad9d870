//! The language on a stream, compared with a plain model.

use shmem::gpu::{DeviceArray, Stream};
use shmem::prelude::*;

use crate::random::Random;

/// The copies of all PEs of an array of 5 × 7.
type Model = Vec<[[u32; 7]; 5]>;

/// A number that differs from one PE, index and array to the next.
fn first(array: usize, pe: usize, i: usize, j: usize) -> u32 {
    (1000 * (10 * pe + array) + 10 * i + j) as u32
}

/// An inner range of an axis, `start..end;step`, which may be empty.
fn range(random: &mut Random, extent: usize) -> (usize, usize, usize) {
    let start = random.below(extent + 1);
    (start, start + random.below(extent + 1 - start), 1 + random.below(3))
}

fn indices((start, end, step): (usize, usize, usize)) -> Vec<usize> {
    (start..end).step_by(step).collect()
}

#[shmem::kernel]
fn compare(stream: &Stream, arrays: &[DeviceArray<u32, 2>; 2], models: &[Model; 2], me: usize) {
    for (array, model) in arrays.iter().zip(models) {
        assert_eq!(array.to_vec(stream).unwrap(), model[me].as_flattened());
    }
}

/// All PEs draw the same numbers. In each round one PE operates on the copies of any two, and all
/// compare.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn random_operations(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let make = |array| gpu.from_fn([5, 7], |[i, j]| first(array, me, i, j));
    let arrays = [make(0)?, make(1)?];
    let mut models: [Model; 2] = std::array::from_fn(|array| {
        let copy = |pe| std::array::from_fn(|i| std::array::from_fn(|j| first(array, pe, i, j)));
        (0..n).map(copy).collect()
    });
    let mut random = Random(42);
    for round in 0..60 {
        let (actor, to_pe, from_pe) = (random.below(n), random.below(n), random.below(n));
        let (to, from) = (random.below(2), random.below(2));
        let (rows, columns) = (range(&mut random, 5), range(&mut random, 7));
        let ((a, b, s), (c, d, t)) = (rows, columns);
        let (height, width) = (indices(rows).len(), indices(columns).len());
        // As many elements from another corner, side by side.
        let (top, left) = (random.below(6 - height), random.below(8 - width));
        let form = random.below(5);
        let value = random.below(1 << 20) as u32;
        if actor == me {
            let (to, from) = (&arrays[to], &arrays[from]);
            match form {
                0 => remote!(stream; to[to_pe, a..b;s, c..d;t]) = value,
                1 => {
                    let values: Vec<u32> = (0..height * width).map(|i| value + i as u32).collect();
                    remote!(stream; to[to_pe, a..b;s, c..d;t]) = &values[..];
                }
                2 => {
                    remote!(stream; to[to_pe, a..b;s, c..d;t] = &from[top..top + height, left..left + width])
                }
                3 => {
                    let source = remote!(stream; &from[from_pe, top..top + height, left..left + width]);
                    remote!(stream; to[to_pe, a..b;s, c..d;t]) = source;
                }
                // One element to all places.
                _ => remote!(stream; to[to_pe, a..b;s, c..d;t] = &from[top.min(4), left.min(6)]),
            }
            stream.synchronize()?;
        }
        let from_pe = if form == 3 { from_pe } else { actor };
        let source = models[from].clone();
        for (y, &i) in indices(rows).iter().enumerate() {
            for (x, &j) in indices(columns).iter().enumerate() {
                models[to][to_pe][i][j] = match form {
                    0 => value,
                    1 => value + (y * width + x) as u32,
                    2 | 3 => source[from_pe][top + y][left + x],
                    _ => source[from_pe][top.min(4)][left.min(6)],
                };
            }
        }
        world.barrier_all();
        compare(&stream, &arrays, &models, me);
        // Reads of any PE's copy: a `Vec`, a buffer, an array of constant shape, and an element.
        let model = &models[to][to_pe];
        let expected: Vec<u32> = indices(rows)
            .iter()
            .flat_map(|&i| indices(columns).into_iter().map(move |j| model[i][j]))
            .collect();
        let read: Vec<u32> = remote!(stream; (arrays[to])[to_pe, a..b;s, c..d;t]);
        let mut buffer = vec![0; expected.len()];
        remote!(stream; (arrays[to])[to_pe, a..b;s, c..d;t] => &mut buffer[..]);
        let block: [[u32; 3]; 2] = remote!(stream; (arrays[to])[to_pe, 1..5;2, 4..7]);
        let one: u32 = remote!(stream; (arrays[to])[to_pe, 4, 6]);
        assert_eq!((&read, &buffer), (&expected, &expected), "round {round}");
        assert_eq!(
            (block, one),
            ([[4, 5, 6].map(|j| model[1][j]), [4, 5, 6].map(|j| model[3][j])], model[4][6])
        );
        world.barrier_all();
    }
    Ok(())
}

/// Lists of indices and ranges that descend, which are the operation's own when it is done.
#[shmem::test(npes = [1, 3])]
fn lists(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let array = gpu.zeros::<u64, 1>([10])?;
    let values = gpu.from_fn([10], |[i]| (100 * me + i) as u64)?;
    let right = (me + 1) % n;
    {
        let list = vec![7, 1, 4];
        remote!(stream; array[right, @list]) = &values[2..5];
        remote!(stream; array[right, [0, 9]]) = [5, 6];
        remote!(stream; array[right, 5..7;-1]) = &values[0..2];
    }
    collective!(stream; barrier);
    let left = 100 * ((me + n - 1) % n) as u64;
    assert_eq!(array.to_vec(&stream)?, [5, left + 3, 0, 0, left + 4, left + 1, left, left + 2, 0, 6]);
    assert_eq!(remote!(stream; array[me, [9, 0, 0]]), [6, 5, 5]);
    stream.synchronize()
}

/// Updates of cells of every width, from all PEs, and a signal after each put.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn cells_and_signals(world: &World) -> Result<(), shmem::Error> {
    const ROUNDS: u64 = 20;
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let (sums, bits) = (gpu.zeros::<Atomic<i32>, 1>([n])?, gpu.zeros::<Atomic<u8>, 2>([2, 4])?);
    let floats = gpu.zeros::<Atomic<f64>, 1>([1])?;
    for pe in 0..n {
        remote!(stream; sums[pe, me]) += 3;
        remote!(stream; sums[pe, n - 1]) -= 1;
        remote!(stream; bits[pe, 1, 2]) |= 1 << me;
        remote!(stream; floats[pe, 0]) += 0.5;
    }
    collective!(stream; barrier);
    let expected: Vec<i32> = (0..n).map(|i| if i + 1 == n { 3 - n as i32 } else { 3 }).collect();
    assert_eq!(sums.to_vec(&stream)?, expected);
    assert_eq!(remote!(stream; bits[(me + 1) % n, 1, 2]), ((1_u16 << n) - 1) as u8);
    assert_eq!(remote!(stream; floats[me, 0]), 0.5 * n as f64);

    // A ring: each PE sends what it got, after the signal, and the host never waits in between.
    let (ring, signal) = (gpu.full([3, 4], me as u64)?, gpu.zeros::<Atomic<u64>, 1>([1])?);
    let (right, taken) = ((me + 1) % n, gpu.zeros::<Atomic<u64>, 1>([1])?);
    let next = gpu.zeros::<u64, 2>([3, 4])?;
    let left = (me + n - 1) % n;
    for round in 1..=ROUNDS {
        wait!(stream; taken[0] >= round - 1);
        let arrived = remote!(stream; &signal[right, 0]);
        let op = if round % 2 == 0 { SignalOp::Add(1) } else { SignalOp::Set(round) };
        // Every other time in two halves, of which the second has the signal.
        if round % 3 == 0 {
            remote!(stream; next[right, 0..2, ..] = &ring[0..2, ..]);
            let source = remote!(stream; &ring[me, 2, ..]);
            remote!(stream; &next[right, 2, ..]).put_signal(source, arrived, op);
        } else {
            let source = remote!(stream; &ring[me, .., ..]);
            remote!(stream; &next[right, .., ..]).put_signal(source, arrived, op);
        }
        wait!(stream; signal[0] == round);
        remote!(stream; ring[me, .., ..] = &next[.., ..]);
        remote!(stream; taken[left, 0]) += 1;
    }
    assert_eq!(ring.to_vec(&stream)?, [((me + n * 20 - ROUNDS as usize) % n) as u64; 12]);
    wait!(stream; all signal[..] >= [ROUNDS]);
    stream.synchronize()
}

/// Elements of each kind: structs, arrays, one byte, and sixteen.
#[shmem::test(npes = [1, 2])]
fn elements(world: &World) -> Result<(), shmem::Error> {
    #[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
    #[repr(C)]
    struct Body {
        place: [f32; 3],
        mass: f32,
    }
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let body = |i: usize| Body { place: [i as f32; 3], mass: 0.5 * i as f32 };
    let bodies = gpu.from_fn([6], |[i]| body(10 * me + i))?;
    let other = (me + 1) % n;
    assert_eq!(remote!(stream; bodies[other, 1..4].mass), [1, 2, 3].map(|i| body(10 * other + i).mass));
    world.barrier_all();
    remote!(stream; bodies[other, 0..2].mass) = [7.0, 8.0];
    let wide = gpu.zeros::<u128, 1>([3])?;
    remote!(stream; wide[other, 1..]) = [u128::MAX, 3];
    let bytes = gpu.ones::<u8, 3>([2, 3, 5])?;
    remote!(stream; bytes[other, 1, .., 1..5;3]) = [[2, 3], [4, 5], [6, 7]];
    collective!(stream; barrier);
    assert_eq!(
        bodies.to_vec(&stream)?[..3],
        [Body { mass: 7.0, ..body(10 * me) }, Body { mass: 8.0, ..body(10 * me + 1) }, body(10 * me + 2),]
    );
    assert_eq!(wide.to_vec(&stream)?, [0, u128::MAX, 3]);
    let row = |a, b| [1, a, 1, 1, b];
    assert_eq!(bytes.to_vec(&stream)?[15..], [row(2, 3), row(4, 5), row(6, 7)].concat());
    bytes.copy_from(&stream, &[9; 30]);
    assert_eq!(bytes.to_vec(&stream)?, [9; 30]);
    stream.synchronize()
}

#[symmetric]
static TABLE: [f32; 8] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

/// Between objects of the host and of the device, both ways.
#[shmem::test(npes = [1, 2, 3])]
fn host_and_device(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let array = gpu.zeros::<f32, 1>([8])?;
    let right = (me + 1) % n;
    remote!(stream; array[right, 0..4]) = local!(&TABLE[0..8;2]);
    remote!(stream; array[right, 4..8]) = remote!(&TABLE[right, 7]);
    collective!(stream; barrier);
    assert_eq!(array.to_vec(&stream)?, [0.0, 2.0, 4.0, 6.0, 7.0, 7.0, 7.0, 7.0]);
    world.barrier_all();
    remote!(TABLE[right, 1..4]) = remote!(stream; &array[me, 1..4]);
    remote!(TABLE[right, 5..8]) = remote!(stream; &array[me, 4]);
    world.barrier_all();
    assert_eq!(local!(TABLE[..]), [0.0, 2.0, 4.0, 6.0, 4.0, 7.0, 7.0, 7.0]);
    stream.synchronize()
}

/// A source `&E[..]` on a context of the host is what it is in Rust.
#[shmem::test(npes = [1, 2])]
fn slices_on_contexts(world: &World) -> Result<(), shmem::Error> {
    let ctx = world.team().context(shmem::context::Private)?;
    let me = world.my_pe();
    let (list, array, rows) = (vec![1.5_f32; 9], [2.5_f32; 9], [[3.5_f32; 2]; 3]);
    let boxed: Box<[f32]> = vec![4.5; 3].into();
    let (slice, map) = (&list[..], std::collections::BTreeMap::from([(1, [6.5_f32])]));
    let end = 4;
    remote!(ctx; TABLE[me, 0..2]) = &list[7..];
    remote!(ctx; TABLE[me, 2..end]) = &array[1..end - 1];
    remote!(ctx; TABLE[me, 4..6]) = &rows[2];
    remote!(ctx; TABLE[me, 6..7]) = &boxed[..=0];
    remote!(ctx; TABLE[me, 7..8]) = (&map[&1]);
    assert_eq!(local!(TABLE[..]), [1.5, 1.5, 2.5, 2.5, 3.5, 3.5, 4.5, 6.5]);
    remote!(ctx; TABLE[me, ..]) = &slice[0..8];
    assert_eq!(local!(TABLE[..]), [1.5; 8]);
    Ok(())
}

/// Two views of a buffer and the buffer are the same bytes, on every PE. They are alive without it.
#[shmem::test(npes = [1, 2, 3])]
fn views_of_a_buffer(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (right, left) = ((me + 1) % n, (me + n - 1) % n);
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    world.reclaim()?;
    let before = world.heap_free();
    let buffer = gpu.buffer(4096)?;
    let (words, halves) = (buffer.view::<u32, 2>(256, [4, 8]), buffer.view::<u16, 1>(256, [64]));
    let bodies = buffer.view::<[f64; 3], 1>(2400, [2]);
    let model = |pe: usize| (0..32).map(move |i| (pe << 20 | i << 8 | 7) as u32);
    remote!(stream; words[right, 0..4, 0..8]) = model(me).collect::<Vec<_>>();
    remote!(stream; bodies[right, 1]) = [1.0, 2.0, me as f64];
    collective!(stream; barrier);
    drop(buffer.view::<u64, 1>(0, [512]));
    let expected: Vec<u8> = model(left).flat_map(u32::to_ne_bytes).collect();
    assert_eq!(buffer.to_vec(&stream)?[256..384], expected);
    drop(buffer);
    world.reclaim()?;
    assert!(world.heap_free() < before, "the views keep it");
    let pairs = expected.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]]));
    assert_eq!(halves.to_vec(&stream)?, pairs.collect::<Vec<_>>());
    assert_eq!(bodies.to_vec(&stream)?, [[0.0; 3], [1.0, 2.0, left as f64]]);
    // A collective, a move onto itself with a shift, and a kernel.
    collective!(stream; halves[0..8] = max halves[8..16]);
    remote!(stream; words[me, 1..4, ..] = &words[0..3, ..]);
    let largest: Vec<u32> = (4..8).map(|i| model(n - 1).nth(i).unwrap()).collect();
    assert_eq!(remote!(stream; words[me, 1, 0..4]), *largest);
    add_rows.launch(&stream, 1, 8, (&words,))?;
    let sums = remote!(stream; words[me, 0, ..]);
    assert!((0..4).all(|i| sums[i] == largest[i] * 2), "{sums:?}");
    stream.synchronize()?;
    drop((words, halves, bodies));
    world.reclaim()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

#[shmem::gpu::kernel]
fn add_rows(mut words: Global<u32, 2>) {
    let column = thread_index();
    local!(words[0, column]) = local!(words[0, column]) + local!(words[1, column]);
}

/// Every fetch gives what was there, to an element, to several, to the host and to a static, from cells
/// of every width; all PEs draw different tickets.
#[shmem::test(npes = [1, 2, 3])]
fn fetches(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n;
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    macro_rules! check {
        ($($ty:ty: $start:expr; $($name:ident($($value:expr),*) => $after:expr),*;)*) => {$($({
            let cell = gpu.full([3], Atomic::new($start as $ty))?;
            let old = gpu.zeros::<$ty, 1>([4])?;
            remote!(stream; old[right, 1..3] = remote!(stream; &cell[right, 1]).$name($($value as $ty),*));
            collective!(stream; barrier);
            assert_eq!(old.to_vec(&stream)?, [0 as $ty, $start as $ty, $start as $ty, 0 as $ty]);
            assert_eq!(cell.to_vec(&stream)?, [$start as $ty, $after as $ty, $start as $ty]);
        })*)*};
    }
    check! {
        u64: u64::MAX - 5; fetch_add(7) => 1, swap(3) => 3, fetch_and(12) => 8, fetch_or(5) => u64::MAX;
        i32: -7; fetch_sub(3) => -10, fetch_min(-8) => -8, fetch_max(-8) => -7, fetch_xor(1) => -8;
        u8: 200; fetch_add(60) => 4, compare_exchange(200, 9) => 9, compare_exchange(201, 9) => 200;
        i16: -3; fetch_max(5) => 5, swap(-300) => -300;
        f64: 2.5; fetch_add(0.5) => 3.0, fetch_min(-1.5) => -1.5, swap(7.0) => 7.0;
        f32: 2.5; fetch_sub(0.5) => 2.0;
    }
    let (next, tickets) = (gpu.zeros::<Atomic<usize>, 1>([1])?, gpu.full([n], usize::MAX)?);
    let mine = gpu.zeros::<usize, 1>([1])?;
    for _ in 0..3 {
        remote!(stream; mine[me, 0] = remote!(stream; &next[0, 0]).fetch_add(1));
        collective!(stream; tickets[..] = fcollect mine[..]);
    }
    let mut drawn = tickets.to_vec(&stream)?;
    drawn.sort();
    assert_eq!(drawn, (2 * n..3 * n).collect::<Vec<_>>());
    collective!(stream; barrier);
    // The host waits; a static gets it; a put with a signal takes it.
    let ticket = remote!(stream; &next[0, 0]).fetch_add(1).get();
    assert!((3 * n..4 * n).contains(&ticket));
    remote!(TICKET[me]) = remote!(stream; &next[0, 0]).fetch_sub(0);
    assert!(local!(TICKET) > ticket);
    let arrived = gpu.zeros::<Atomic<u64>, 1>([1])?;
    let signal = remote!(stream; &arrived[right, 0]);
    remote!(stream; &mine[right, 0]).put_signal(
        remote!(stream; &next[0, 0]).fetch_or(0),
        signal,
        SignalOp::Set(1),
    );
    wait!(stream; arrived[0] == 1);
    assert!(mine.to_vec(&stream)?[0] > 3 * n);
    stream.synchronize()
}

#[symmetric]
static TICKET: usize = 0;
