//! Collective calls on streams, compared with the same calls of the host.

use shmem::prelude::*;

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn reductions(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    // Short and long messages.
    for len in [1, 9, 3000] {
        let value = |pe: usize, i: usize| ((pe * 7 + i) % 11) as i64 - 3;
        let source = gpu.from_fn([len], |[i]| value(me, i))?;
        let result = gpu.zeros::<i64, 2>([7, len])?;
        collective!(stream; result[0, ..] = sum source[..]);
        collective!(stream; result[1, ..] = prod source[..]);
        collective!(stream; result[2, ..] = min source[..]);
        collective!(stream; result[3, ..] = max source[..]);
        collective!(stream; result[4, ..] = and source[..]);
        collective!(stream; result[5, ..] = or source[..]);
        collective!(stream; result[6, ..] = xor source[..]);
        let model = |i: usize, join: fn(i64, i64) -> i64| (0..n).map(|pe| value(pe, i)).reduce(join).unwrap();
        let joins: [fn(i64, i64) -> i64; 7] = [
            |a, b| a + b,
            |a, b| a.wrapping_mul(b),
            i64::min,
            i64::max,
            |a, b| a & b,
            |a, b| a | b,
            |a, b| a ^ b,
        ];
        let expected: Vec<i64> =
            joins.iter().flat_map(|&join| (0..len).map(move |i| model(i, join))).collect();
        assert_eq!(result.to_vec(&stream)?, expected);
        // Onto itself, and with steps.
        collective!(stream; source[0..len;2] = max source[0..len;2]);
        let mut expected: Vec<i64> = (0..len).map(|i| value(me, i)).collect();
        for i in (0..len).step_by(2) {
            expected[i] = model(i, i64::max);
        }
        assert_eq!(source.to_vec(&stream)?, expected);
    }
    stream.synchronize()
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn exchanges(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    for len in [1, 5, 2000] {
        let value = |pe: usize, i: usize| (pe * 10_000 + i) as u32;
        let source = gpu.from_fn([n * len], |[i]| value(me, i))?;
        let all = gpu.zeros::<u32, 1>([n * len])?;
        collective!(stream; all[..] = fcollect source[..len]);
        let expected: Vec<u32> = (0..n).flat_map(|pe| (0..len).map(move |i| value(pe, i))).collect();
        assert_eq!(all.to_vec(&stream)?, expected);
        collective!(stream; all[..] = alltoall source[..]);
        let expected: Vec<u32> =
            (0..n).flat_map(|pe| (0..len).map(move |i| value(pe, me * len + i))).collect();
        assert_eq!(all.to_vec(&stream)?, expected);
        for root in 0..n {
            collective!(stream; all[0..n * len] = broadcast source[..] from root);
            collective!(stream; sync);
            assert_eq!(all.to_vec(&stream)?, (0..n * len).map(|i| value(root, i)).collect::<Vec<_>>());
        }
    }
    stream.synchronize()
}

/// Each PE gets its block of the reduction, on every team, also with steps and onto the source.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn reductions_to_blocks(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let reversed: Vec<usize> = (0..n).rev().collect();
    let (columns, _) = world.team().split_2d(2)?;
    let teams = [world.team().split_list(&reversed)?.unwrap(), columns];
    let value = |pe: usize, i: usize| ((pe * 7 + i * 5) % 23) as u32;
    for team in &teams {
        let (own, size) = (team.my_pe(), team.n_pes());
        let of_streams = gpu.team(team)?;
        for len in [0, 1, 6, 1500] {
            // Of one length on all PEs: teams may have different sizes.
            let source = gpu.from_fn([n * len], |[i]| value(me, i))?;
            let result = gpu.zeros::<u32, 2>([3, 2 * len])?;
            let all = size * len;
            collective!(stream; result[0, 0..2 * len;2] = reduce_scatter sum source[..all]; on of_streams);
            collective!(stream; result[1, len..] = reduce_scatter max source[..all]; on of_streams);
            collective!(stream; result[2, ..len] = reduce_scatter xor source[..all]; on of_streams);
            let block = |join: fn(u32, u32) -> u32| -> Vec<u32> {
                let reduced = |i| team.world_pes().map(|pe| value(pe, i)).reduce(join).unwrap();
                (own * len..(own + 1) * len).map(reduced).collect()
            };
            let zeros = vec![0; len];
            let sums: Vec<u32> = block(|a, b| a + b).into_iter().flat_map(|sum| [sum, 0]).collect();
            let expected = [sums, zeros.clone(), block(u32::max), block(|a, b| a ^ b), zeros].concat();
            assert_eq!(result.to_vec(&stream)?, expected, "{size} PEs, {len} elements each");
            collective!(stream; source[..len] = reduce_scatter sum source[..all]; on of_streams);
            assert_eq!(source.to_vec(&stream)?[..len], block(|a, b| a + b));
        }
    }
    stream.synchronize()
}

/// Half-precision elements, which are those of most programs on GPUs.
#[cfg(feature = "half")]
#[shmem::test(npes = [1, 2, 3])]
fn half_precision(world: &World) -> Result<(), shmem::Error> {
    use half::{bf16, f16};

    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let small = gpu.from_fn([n, 5], |[i, j]| f16::from_f32(0.25 * (me + i + j) as f32))?;
    let brain = gpu.ones::<bf16, 1>([2 * n])?;
    let right = (me + 1) % n;
    remote!(stream; brain[right, 0..2]) = [bf16::from_f32(1.5), bf16::from_f32(me as f32)];
    collective!(stream; barrier);
    let left = (me + n - 1) % n;
    assert_eq!(brain.to_vec(&stream)?[..2], [bf16::from_f32(1.5), bf16::from_f32(left as f32)]);
    let (total, part) = (gpu.zeros::<f16, 2>([n, 5])?, gpu.zeros::<bf16, 1>([2])?);
    collective!(stream; total[.., ..] = sum small[.., ..]);
    // These sums are exact.
    let sum = |i: usize, j: usize| -> f32 { (0..n).map(|pe| 0.25 * (pe + i + j) as f32).sum() };
    let expected: Vec<f16> = (0..5 * n).map(|at| f16::from_f32(sum(at / 5, at % 5))).collect();
    assert_eq!(total.to_vec(&stream)?, expected);
    collective!(stream; part[..] = reduce_scatter max brain[..]);
    let first = [1.5, (n - 1) as f32].map(bf16::from_f32);
    assert_eq!(part.to_vec(&stream)?, if me == 0 { first } else { [bf16::ONE; 2] });
    stream.synchronize()
}

/// On teams of each kind, and on two streams in turn: all PEs issue in one order, and the calls are
/// done in this order.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn teams(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let streams = [gpu.stream()?, gpu.stream()?];
    let (columns, rows) = world.team().split_2d(2)?;
    let reversed: Vec<usize> = (0..n).rev().collect();
    let teams = [columns, rows, world.team().split_list(&reversed)?.unwrap()];
    let of_streams = [gpu.team(&teams[0])?, gpu.team(&teams[1])?, gpu.team(&teams[2])?];
    let (value, total) = (gpu.full([3], me as u64 + 1)?, gpu.zeros::<u64, 2>([3, 3])?);
    for round in 0..10 {
        for (i, team) in of_streams.iter().enumerate() {
            let stream = &streams[(round + i) % 2];
            collective!(stream; total[i, ..] = sum value[..]; on team);
        }
    }
    collective!(streams[0]; barrier; on of_streams[2]);
    for stream in &streams {
        stream.synchronize()?;
    }
    let expected: Vec<u64> =
        teams.iter().flat_map(|team| [team.world_pes().map(|pe| pe as u64 + 1).sum(); 3]).collect();
    assert_eq!(total.to_vec(&streams[1])?, expected);
    let root = of_streams[2].n_pes() - 1;
    collective!(streams[0]; total[0, ..] = broadcast value[..] from root; on &of_streams[2]);
    assert_eq!(remote!(streams[0]; total[me, 0, ..]), [1; 3], "the last of the reversed team is PE 0");
    // The host's own calls do not meet those of streams.
    let late = gpu.full([1], 1_u8)?;
    let one = &streams[0];
    for _ in 0..50 {
        collective!(one; late[..] = max late[..]);
        assert_eq!(collective!(sum 1), n);
    }
    one.synchronize()
}
