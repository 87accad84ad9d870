//! Collective calls that kernels make, compared with a model.

use shmem::prelude::*;

/// Each scope, and types of each size.
#[shmem::gpu::kernel]
fn reduces(
    a: Global<i8>,
    mut of_a: Global<i8, 2>,
    b: Global<i64>,
    mut of_b: Global<i64, 2>,
    c: Global<f32, 2>,
    mut of_c: Global<f32>,
) {
    collective!(block; of_a[0, ..] = sum a[..]);
    collective!(block; of_a[1, ..] = xor a[..]);
    if thread_index() == 1 {
        collective!(of_a[2, ..] = min a[..]);
        collective!(of_a[3, 1..] = and a[1..]);
        collective!(of_b[0, ..] = prod b[..]);
    }
    block_barrier();
    if thread_index() < 32 {
        collective!(warp; of_b[1, ..] = or b[..]);
        collective!(warp; of_b[2, ..] = max b[..]);
    }
    collective!(block; of_c[..] = sum c[1, ..]);
    // One element, and onto itself.
    collective!(block; of_c[0] = max c[0, 0]);
    collective!(block; of_c[1..=2] = sum of_c[1..=2]);
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn reductions(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let a = |pe: usize, i: usize| ((pe * 37 + i * 11) % 200) as i64;
    let b = |pe: usize, i: usize| (pe as i64 * 77 + i as i64 * 5) % 19 - 9;
    let c = |pe: usize, i: usize, j: usize| (10 * pe + 3 * i + j) as f32;
    for threads in [2, 64] {
        let stream = gpu.stream()?;
        let (of_a, of_b, of_c) = (gpu.zeros([4, 5])?, gpu.zeros([3, 3])?, gpu.zeros([4])?);
        let from_a = gpu.from_fn([5], |[i]| a(me, i) as i8)?;
        let (from_b, from_c) =
            (gpu.from_fn([3], |[i]| b(me, i))?, gpu.from_fn([2, 4], |[i, j]| c(me, i, j))?);
        reduces.launch(&stream, 1, threads, (&from_a, &of_a, &from_b, &of_b, &from_c, &of_c))?;
        let all = |len: usize, value: &dyn Fn(usize, usize) -> i64, join: fn(i64, i64) -> i64| {
            (0..len).map(|i| (0..n).map(|pe| value(pe, i)).reduce(join).unwrap()).collect::<Vec<i64>>()
        };
        let byte = |pe, i| i64::from(a(pe, i) as i8);
        let mut expected = [
            all(5, &byte, |a, b| a + b),
            all(5, &byte, |a, b| a ^ b),
            all(5, &byte, i64::min),
            all(5, &byte, |a, b| a & b),
        ];
        expected[3][0] = 0;
        let expected: Vec<i8> = expected.concat().into_iter().map(|value| value as i8).collect();
        assert_eq!(of_a.to_vec(&stream)?, expected);
        let expected = [all(3, &b, |a, b| a * b), all(3, &b, |a, b| a | b), all(3, &b, i64::max)].concat();
        assert_eq!(of_b.to_vec(&stream)?, expected);
        let sum = |j| (0..n).map(|pe| c(pe, 1, j)).sum::<f32>();
        let times = n as f32;
        assert_eq!(of_c.to_vec(&stream)?, [c(n - 1, 0, 0), times * sum(1), times * sum(2), sum(3)]);
        stream.synchronize()?;
    }
    Ok(())
}

/// What a team does, in a function that a kernel calls.
#[shmem::gpu::kernel]
fn gathers(from: Global<u32, 2>, mut all: Global<u32, 2>, team: GpuTeam, root: usize) {
    let (len, size) = (from.extent(1), team.n_pes());
    collective!(block; all[0, ..size * len] = fcollect from[0, ..]; on team);
    collective!(block; all[1, ..len] = broadcast from[0, ..] from root; on team);
    collective!(block; all[1, len..] = broadcast all[0, len..] from size - 1; on team);
}

#[shmem::gpu::kernel]
fn exchanges(
    from: Global<u32, 2>,
    mut all: Global<u32, 2>,
    mut blocks: Global<u32, 2>,
    mut about: Global<usize>,
    team: GpuTeam,
    root: usize,
) {
    gathers(from, all, team, root);
    let size = team.n_pes() * from.extent(1);
    if thread_index() == 0 {
        collective!(blocks[0, ..size] = alltoall all[0, ..size]; on team);
        collective!(blocks[1, ..from.extent(1)] = reduce_scatter sum all[0, ..size]; on team);
        local!(about[0]) = team.my_pe();
        local!(about[1]) = team.n_pes();
    }
    collective!(block; sync; on team);
    local!(all[0, thread_index()]) = 7;
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn on_teams(world: &World) -> Result<(), shmem::Error> {
    const LEN: usize = 3;
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let reversed: Vec<usize> = (0..n).rev().collect();
    let (rows, columns) = world.team().split_2d(2)?;
    let teams = [world.team().split_list(&reversed)?.unwrap(), rows, columns];
    let value = |pe: usize, i: usize| (100 * pe + i + 1) as u32;
    for team in &teams {
        let (of_streams, size, own) = (gpu.team(team)?, team.n_pes(), team.my_pe());
        let pes: Vec<usize> = team.world_pes().collect();
        let from = gpu.from_fn([1, LEN], |[_, i]| value(me, i))?;
        // Of one length on all PEs: teams may have different sizes.
        let (all, blocks) = (gpu.zeros::<u32, 2>([2, n * LEN])?, gpu.zeros::<u32, 2>([2, n * LEN])?);
        let about = gpu.zeros::<usize, 1>([2])?;
        let root = size / 2;
        exchanges.launch(&stream, 1, 2, (&from, &all, &blocks, &about, &of_streams, root))?;
        let gathered: Vec<u32> = pes.iter().flat_map(|&pe| (0..LEN).map(move |i| value(pe, i))).collect();
        let rest = n * LEN - size * LEN;
        let mut expected = [gathered.clone(), vec![0; rest]].concat();
        expected.extend((0..LEN).map(|i| value(pes[root], i)));
        expected.extend_from_slice(&expected.clone()[LEN..n * LEN]);
        expected[..2].fill(7);
        assert_eq!(all.to_vec(&stream)?, expected);
        let block = &gathered[own * LEN..(own + 1) * LEN];
        let mut expected = block.repeat(size);
        expected.resize(n * LEN, 0);
        expected.extend(block.iter().map(|value| value * size as u32));
        expected.resize(2 * n * LEN, 0);
        assert_eq!(blocks.to_vec(&stream)?, expected);
        assert_eq!(about.to_vec(&stream)?, [own, size]);
    }
    stream.synchronize()
}

/// Steps of a ring in one launch: a put to the right, a barrier, and the largest value of all.
#[shmem::gpu::kernel]
fn steps(mut ring: Global<u64, 2>, mut largest: Global<u64>, mut old: Global<u64>, count: usize) {
    // The other blocks do nothing.
    if block_index() == 1 {
        let i = thread_index();
        for step in 0..count {
            let right = (my_pe() + 1) % n_pes();
            remote!(ring[right, step + 1, i]) = local!(ring[step, i]) + 1;
            collective!(block; barrier);
            local!(old[i]) = local!(ring[step + 1, i]);
            collective!(block; largest[..] = max old[..]);
            assert!(local!(largest[i]) >= local!(ring[step + 1, i]));
        }
    }
}

#[shmem::test(npes = [1, 2, 3])]
fn many_steps_in_one_launch(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let (stream, other) = (gpu.stream()?, gpu.stream()?);
    let ring = gpu.from_fn([6, 4], |[step, i]| if step == 0 { (10 * me + i) as u64 } else { 0 })?;
    let (largest, old) = (gpu.zeros::<u64, 1>([4])?, gpu.zeros::<u64, 1>([4])?);
    let total = gpu.ones::<u64, 1>([3])?;
    // In turn with calls of the world on another stream.
    for _ in 0..3 {
        steps.launch(&stream, 3, 4, (&ring, &largest, &old, 5))?;
        collective!(other; total[..] = sum total[..]);
    }
    let last: Vec<u64> = (0..4).map(|i| (10 * ((me + 5 * n - 5) % n) + i + 5) as u64).collect();
    assert_eq!(remote!(stream; ring[me, 5, ..]), last);
    let expected: Vec<u64> = (0..4).map(|i| (10 * (n - 1) + i + 5) as u64).collect();
    assert_eq!(largest.to_vec(&stream)?, expected);
    assert_eq!(total.to_vec(&other)?, [(n * n * n) as u64; 3]);
    other.synchronize()?;
    stream.synchronize()
}

#[shmem::gpu::kernel]
fn adds(mut value: Global<i32>, team: GpuTeam) {
    collective!(block; value[..] = sum value[..]; on team);
}

/// A team that is dropped leaves its place to the next one. Two teams of the same PEs are two.
#[shmem::test(npes = [1, 2, 3])]
fn teams_come_and_go(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let value = gpu.zeros::<i32, 1>([2])?;
    for round in 0..50 {
        let (one, two) = (gpu.team(world.team())?, gpu.team(world.team())?);
        value.copy_from(&stream, &[1, round]);
        adds.launch(&stream, 1, 4, (&value, &one))?;
        adds.launch(&stream, 1, 4, (&value, &two))?;
        let times = (world.n_pes() * world.n_pes()) as i32;
        assert_eq!(value.to_vec(&stream)?, [times, times * round]);
    }
    stream.synchronize()
}

#[shmem::gpu::kernel]
fn wrong(from: Global<i32>, mut to: Global<i32>, how: usize) {
    let i = thread_index();
    if how == 0 {
        collective!(block; to[..2] = sum from[i..i + 2]);
    } else if how == 1 {
        if i == 2 {
            return;
        }
        collective!(block; barrier);
    } else if how == 2 {
        collective!(block; sync);
    } else if how == 3 {
        collective!(warp; sync);
    } else if how == 4 {
        collective!(block; to[0..2] = sum to[1..3]);
    } else if how == 5 {
        collective!(block; to[0..2] = sum from[1..]);
    } else if how == 6 {
        collective!(block; to[..] = broadcast from[..] from n_pes());
    } else if how == 7 {
        collective!(block; to[..] = fcollect from[1..2]);
    } else {
        collective!(to[0] = sum from[4]);
    }
}

/// What would go wrong on a GPU: on the host, an error that says what and where, before another PE
/// waits.
#[shmem::test(npes = [1, 2])]
fn calls_that_are_refused(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (from, to) = (gpu.full([4], 1)?, gpu.zeros::<i32, 1>([4])?);
    let text = include_str!("collective_kernels.rs");
    let line_of = |code: &str| 1 + text.lines().position(|line| line.contains(code)).unwrap();
    let n = world.n_pes();
    let pes = if n == 1 { "1 PE (number 0)" } else { "2 PEs (0 to 1)" };
    for (how, (blocks, threads), code, expected) in [
        (0, (1, 2), "sum from[i..i + 2]", "the threads of the block do not agree"),
        (
            1,
            (1, 4),
            "",
            "a thread has returned before its block moves elements together or makes a collective call",
        ),
        (
            2,
            (2, 2),
            "collective!(block; sync);",
            "block 0 has made a collective call of the team in this launch",
        ),
        (3, (1, 64), "collective!(warp; sync);", "write `block_barrier()` between the two"),
        (
            4,
            (1, 2),
            "sum to[1..3]",
            "the destination and the source of `sum` overlap, which NVSHMEM does not take",
        ),
        (5, (1, 2), "sum from[1..]", "the destination of `sum` has 2 elements, and the source 3"),
        (6, (1, 2), "from n_pes()", &format!("the root of a broadcast is {n}, and the team has {pes}")),
        (7, (1, 2), "fcollect from[1..2]", "the destination of `fcollect` has 4 elements, and the source 1"),
        (8, (1, 1), "sum from[4]", "out of bounds"),
    ] {
        // A team is broken where a call fails.
        let gpu = world.gpu()?;
        let stream = gpu.stream()?;
        wrong.launch(&stream, blocks, threads, (&from, &to, how))?;
        let error = stream.synchronize().unwrap_err().to_string();
        assert!(error.contains(expected), "no `{expected}` in: {error}");
        if !code.is_empty() {
            let place = format!("collective_kernels.rs:{}:", line_of(code));
            assert!(error.contains(&place), "no `{place}` in: {error}");
        }
    }
    world.barrier_all();
    Ok(())
}

#[shmem::gpu::kernel]
fn ends_before(mut value: Global<i32>, limit: usize) {
    assert!(thread_index() < limit, "it ends here");
    collective!(block; value[..] = sum value[..]);
}

/// After a launch that has failed, this PE makes no call of its teams.
#[shmem::test(npes = [1, 2])]
fn no_call_after_a_launch_that_failed(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (stream, other) = (gpu.stream()?, gpu.stream()?);
    let value = gpu.ones::<i32, 1>([1])?;
    ends_before.launch(&stream, 1, 2, (&value, 0))?;
    let line = line!() - 1;
    collective!(other; value[..] = max value[..]);
    let error = other.synchronize().unwrap_err().to_string();
    let expected = format!(
        "this PE makes no call of the team after one that failed or was left out, the kernel `ends_before` that was issued at {}:{line}:",
        file!()
    );
    assert!(error.contains(&expected), "no `{expected}` in: {error}");
    assert!(stream.synchronize().is_err());
    Ok(())
}

/// A kernel function that is called by the program makes no collective calls.
#[shmem::test(npes = [1])]
fn a_call_outside_of_a_launch() {
    let text = crate::failures::panics(|| _ = meets(3));
    assert!(text.contains("`collective!` was called outside of a launch"), "{text}");
}

#[shmem::gpu::kernel]
fn meets(x: usize) -> usize {
    collective!(barrier);
    x
}
