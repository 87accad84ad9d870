//! The calls of NVSHMEM4Py's host library, and what they are here.

// ANCHOR: all
use shmem::SignalOp;
use shmem::prelude::*;

#[shmem::main(npes = 4)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let s = gpu.stream()?;
    let (me, npes) = (world.my_pe(), world.n_pes());
    let (root, pe) = (0, (me + 1) % npes);
    let (major, minor) = shmem::OPENSHMEM_VERSION;
    println!("{} {major}.{minor} {}", shmem::CRATE_VERSION, gpu.device());

    let buffer = gpu.buffer(4096)?;
    let part = buffer.view::<f32, 2>(1024, [4, 8]);
    let a = gpu.zeros::<f32, 2>([4, 8])?;
    let ones = gpu.ones::<f32, 2>([4, 8])?;
    let b = gpu.full([4, 8], me as f32)?;
    let signal = gpu.zeros::<Atomic<u64>, 1>([1])?;

    remote!(s; a[pe, .., ..] = &b[.., ..]);
    s.quiet(); // the next put there comes later
    remote!(s; part[me, .., ..] = remote!(s; &b[pe, .., ..]));
    remote!(s; a[pe, 0, 0..8;2] = &b[3, 0..4]);
    let address = a.peer_ptr(pe);
    s.quiet();
    let to = remote!(s; &a[pe, .., ..]);
    let from = remote!(s; &b[me, .., ..]);
    to.put_signal(from, remote!(s; &signal[pe, 0]), SignalOp::Add(1));
    wait!(s; signal[0] >= 1);
    collective!(s; barrier);
    remote!(s; signal[pe, 0] = 1);
    s.quiet();
    remote!(s; signal[pe, 0] += 1);
    collective!(s; sync);
    collective!(s; barrier);

    let team = gpu.team(world.team())?;
    let numbers = gpu.from_fn([4 * npes], |[i]| i as i32)?;
    let (all, mine) = (gpu.zeros([4 * npes])?, gpu.zeros::<i32, 1>([4])?);
    collective!(s; all[..] = sum numbers[..]; on team);
    collective!(s; mine[..] = reduce_scatter max numbers[..]; on team);
    collective!(s; all[..] = broadcast numbers[..] from root; on team);
    collective!(s; all[..] = fcollect mine[..]; on team);
    collective!(s; all[..] = alltoall numbers[..]; on team);
    collective!(s; barrier; on team);
    let all_copies = a.multicast_ptr(&team);

    let same_host = gpu.team(world.node_team())?;
    let reachable = gpu.team(world.shared_team())?;
    let even = world.team().split_strided(0, 2, npes.div_ceil(2))?;
    let (rows, columns) = world.team().split_2d(2)?;
    let backwards: Vec<usize> = (0..npes).rev().collect();
    let listed = world.team().split_list(&backwards)?;
    if let Some(even) = even {
        let team = gpu.team(&even)?;
        println!("{} of {}", team.my_pe(), team.n_pes());
        drop(team);
    }

    let values = a.to_vec(&s)?;
    b.copy_from(&s, &values);
    drop(a);
    s.synchronize()?;
    // ANCHOR_END: all
    let here = [same_host.n_pes(), reachable.n_pes()];
    assert!(here.iter().all(|&pes| pes <= npes));
    assert_eq!(listed.map(|team| team.my_pe()), Some(npes - 1 - me));
    assert_eq!((rows.my_pe(), columns.my_pe()), (me % 2, me / 2));
    assert!(address.is_none_or(|address| !address.is_null()));
    assert!(all_copies.is_none_or(|address| !address.is_null()));
    let left = ((me + npes - 1) % npes) as f32;
    assert_eq!(values, [left; 32]);
    assert_eq!(part.to_vec(&s)?, [pe as f32; 32]);
    assert_eq!(signal.to_vec(&s)?, [2]);
    assert_eq!(ones.to_vec(&s)?, [1.0; 32]);
    let blocks: Vec<i32> =
        (0..npes).flat_map(|_| 4 * me..4 * me + 4).map(|i| i as i32).collect();
    assert_eq!(all.to_vec(&s)?, blocks);
    Ok(())
}
