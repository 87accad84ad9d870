//! How many messages the PEs send to other hosts for this crate itself, and how often they wait for transfers.
//! Over shared memory, none.

use crate::ThreadLevel;
use crate::prelude::*;
use crate::raw::AsRaw;
use crate::reduction::{Max, Sum, Xor};
use crate::runtime;
use crate::transport::openshmem::counts;

/// The rounds that so many parties take.
fn rounds(parties: usize) -> usize {
    (0..).find(|rounds| 1 << rounds >= parties).expect("a number")
}

/// How many hosts have members of the team; 1 where they share memory.
fn hosts(team: &Team) -> usize {
    let mut hosts: Vec<usize> = team.world_pes().map(counts::host).collect();
    hosts.sort_unstable();
    hosts.dedup();
    hosts.len()
}

/// The messages of one call in which the members combine what they say: one with data and one signal from
/// each host to each other one. So few meet at once.
fn combined(team: &Team) -> usize {
    2 * hosts(team) * (hosts(team) - 1)
}

/// Calls, and returns how many messages all members have sent together. In a checked run the members combine
/// once more before each call, which is not counted.
fn sent(team: &Team, calls: usize, call: impl FnOnce()) -> usize {
    let checks = if runtime::get().is_checked() { calls * combined(team) } else { 0 };
    let before = counts::messages();
    call();
    let mine = counts::messages() - before;
    team.reduce_value(Sum, mine) - checks
}

/// Barriers and `quiet` wait for what the library carries and the program has begun, and for nothing else. Among PEs that
/// share memory the library carries nothing.
#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "4M")]
fn a_barrier_waits_for_what_the_program_has_begun(world: &World) -> Result<(), crate::Error> {
    let [array, cells] = [world.zeros::<u64, 1>([2])?, world.zeros::<u64, 1>([2])?];
    let (me, right) = (world.my_pe(), (world.my_pe() + 1) % world.n_pes());
    let waits = |what: &dyn Fn()| {
        world.barrier_all();
        let before = counts::completions();
        what();
        world.barrier_all();
        counts::completions() - before
    };
    let is_over_library = runtime::get().endpoint().facts.name == "openshmem";
    // Elsewhere a PE cannot tell its threads apart, and always waits. In a checked run a collective call does more.
    let is_known = cfg!(all(target_arch = "x86_64", target_os = "linux"));
    let hosts = hosts(world.team());
    if !is_over_library || !is_known || ![1, world.n_pes()].contains(&hosts) || runtime::get().is_checked() {
        return Ok(());
    }
    let carried = usize::from(hosts > 1);
    assert_eq!(waits(&|| ()), 0);
    assert_eq!(waits(&|| world.sync_all()), 0);
    assert_eq!(waits(&|| _ = collective!(sum me)), 0);
    assert_eq!(waits(&|| remote!(array[right, 0] = me as u64 + 1)), carried);
    assert_eq!(local!(array[0]), ((me + world.n_pes() - 1) % world.n_pes()) as u64 + 1);
    assert_eq!(waits(&|| remote!(array[right, ..] = [3, 4])), carried);
    // The body ends with a quiet of its own.
    let values = [5, 6];
    assert_eq!(waits(&|| world.nbi(|nbi| nbi.put(remote!(&cells[right, ..]), &values))), carried);
    // What a quiet has completed needs no more.
    assert_eq!(
        waits(&|| {
            remote!(array[right, 1] = 7);
            world.quiet();
            world.quiet();
        }),
        carried
    );
    if world.thread_level() >= ThreadLevel::Serialized {
        let other = || std::thread::scope(|scope| _ = scope.spawn(|| remote!(cells[right, 0] = 8)).join());
        assert_eq!(waits(&other), carried);
        assert_eq!(local!(cells[0]), 8);
    }
    assert_eq!(waits(&|| ()), 0);
    // From now on somebody may call who is not seen.
    if local!(&array[0]).as_raw().is_some() {
        assert_eq!(waits(&|| ()), 1);
    }
    Ok(())
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "4M")]
fn each_pe_tells_all_others_in_rounds(world: &World) {
    let is_over_library = runtime::get().endpoint().facts.name == "openshmem";
    let told = if is_over_library { 2 * rounds(world.n_pes()) } else { 0 };
    assert_eq!(counts::messages_of_start(), told);
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "4M")]
fn calls_on_the_heap_take_a_meeting(world: &World) -> Result<(), crate::Error> {
    let (team, once) = (world.team(), combined(world.team()));
    assert_eq!(sent(team, 1, || world.reclaim().unwrap()), once);
    let mut arrays = Vec::new();
    // The PEs meet once more when all have first values.
    assert_eq!(sent(team, 1, || arrays.push(world.zeros::<u64, 1>([10]).unwrap())), once + once / 2);
    for _ in 0..1000 {
        arrays.push(world.zeros::<u64, 1>([1])?);
    }
    assert_eq!(sent(team, 1, || world.reclaim().unwrap()), once);
    // All have dropped the same arrays, however many they are.
    arrays.truncate(600);
    assert_eq!(sent(team, 1, || world.reclaim().unwrap()), once);
    // The first one has dropped others, of which some are in the first window and some in the second.
    let (first, free) = (world.my_pe() == 0, world.heap_free());
    let mut i = 0;
    arrays.retain(|_| {
        i += 1;
        if first { i % 2 > 0 } else { i % 3 > 0 }
    });
    let windows = if world.n_pes() > 1 { 2 } else { 0 };
    assert_eq!(sent(team, 1, || world.reclaim().unwrap()), (1 + windows) * once);
    assert!(world.heap_free() > free);
    // Nobody has dropped anything since.
    assert_eq!(sent(team, 1, || world.reclaim().unwrap()), once);
    drop(arrays);
    assert_eq!(sent(team, 1, || world.reclaim().unwrap()), once);
    Ok(())
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "4M")]
fn integers_are_joined_in_a_meeting(world: &World) -> Result<(), crate::Error> {
    let me = world.my_pe();
    let mut teams = Vec::new();
    for (start, stride) in [(0, 1), (0, 2), (1, 2), (world.n_pes() - 1, -1)] {
        let count =
            if stride < 0 { world.n_pes() } else { (world.n_pes() - start).div_ceil(stride as usize) };
        if count > 0 {
            teams.extend(world.team().split_strided(start, stride, count)?);
        }
    }
    for team in teams.iter().chain([world.team()]) {
        let once = combined(team);
        // A few words are their own signal.
        let words = once / 2;
        let members = || team.world_pes();
        let rank = team.my_pe();
        let mut found = 0;
        assert_eq!(sent(team, 1, || found = team.reduce_value(Sum, me + 5)), words);
        assert_eq!(found, members().map(|pe| pe + 5).sum());
        let mut largest = 0;
        assert_eq!(sent(team, 1, || largest = team.reduce_value(Max, -(me as i128) - 1)), words);
        assert_eq!(largest, members().map(|pe| -(pe as i128) - 1).max().unwrap());
        // As many as fit.
        let mut many: [u8; 56] = std::array::from_fn(|i| (i * (rank + 3)) as u8);
        assert_eq!(sent(team, 1, || team.reduce_values(Xor, &mut many)), words);
        let all = (0..team.n_pes()).map(|rank| std::array::from_fn(|i| (i * (rank + 3)) as u8));
        let all: [u8; 56] = all.reduce(|a: [u8; 56], b| std::array::from_fn(|i| a[i] ^ b[i])).unwrap();
        assert_eq!(many, all);
        // A synchronisation signals, and carries nothing.
        assert_eq!(sent(team, 1, || team.sync()), words);
    }
    Ok(())
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "4M")]
fn few_elements_go_with_their_number(world: &World) -> Result<(), crate::Error> {
    let (mine, all) = (world.zeros::<u32, 1>([100])?, world.zeros::<u32, 1>([700])?);
    let evens = world.team().split_strided(0, 2, world.n_pes().div_ceil(2))?;
    for team in evens.iter().chain([world.team()]) {
        let words = combined(team) / 2;
        let few = if team.n_pes() == 2 { 2 } else { 4 };
        // The last member gives more than the others, in the second case too much.
        for (most, meetings) in [(few, 1), (few + 1, 2)] {
            let len = if team.my_pe() + 1 == team.n_pes() { most } else { 1 };
            local!(mine[..len] = team.my_pe() as u32);
            let mut n = 0;
            let collect = || n = team.collect(local!(&all[..]), local!(&mine[..len]));
            // On one host no message is sent.
            assert_eq!(sent(team, 1, collect), meetings * words, "{most} elements on {} PEs", team.n_pes());
            let expected = (0..team.n_pes()).flat_map(|rank| {
                std::iter::repeat_n(rank as u32, if rank + 1 == team.n_pes() { most } else { 1 })
            });
            assert_eq!(local!(all[..n]), expected.collect::<Vec<_>>());
        }
    }
    Ok(())
}
