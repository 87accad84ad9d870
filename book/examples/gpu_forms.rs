//! The language on a stream.

use shmem::SignalOp;
use shmem::prelude::*;

#[shmem::main(npes = 4)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n;
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    // ANCHOR: forms
    let grid = gpu.zeros::<f32, 2>([8, 8])?;
    let mine = gpu.full([8, 8], me as f32)?;
    let hits = gpu.zeros::<Atomic<u64>, 1>([4])?;

    remote!(stream; grid[right, 0..8;2, 0] = &mine[0..4, 7]); // a strided column of PE `right`
    remote!(stream; grid[right, 2..4, 2..4]) = [[1.0, 2.0], [3.0, 4.0]]; // values of the host
    remote!(stream; grid[right, 7, ..]) = 0.5; // one value for all places
    remote!(stream; hits[right, 2]) += 1; // an atomic update
    collective!(stream; barrier);
    remote!(stream; mine[me, 0, ..] = remote!(stream; &grid[right, 7, ..])); // from any PE
    let corner = remote!(stream; grid[right, 3, 3]); // a value for the host, which waits
    // ANCHOR_END: forms
    assert_eq!(corner, 4.0);
    assert_eq!(remote!(stream; mine[me, 0, 1]), 0.5);
    assert_eq!(remote!(stream; grid[right, 2, 0]), me as f32);
    assert_eq!(hits.to_vec(&stream)?, [0, 0, 1, 0]);

    // ANCHOR: fetch
    let (next, ticket) =
        (gpu.zeros::<Atomic<u64>, 1>([1])?, gpu.zeros::<u64, 1>([1])?);
    remote!(stream; ticket[me, 0] = remote!(stream; &next[0, 0]).fetch_add(1));
    let another = remote!(stream; &next[0, 0]).fetch_add(1).get(); // the host waits
    // ANCHOR_END: fetch
    assert_ne!(ticket.to_vec(&stream)?, [another]);

    // ANCHOR: buffer
    let buffer = gpu.buffer(4096)?;
    let words = buffer.view::<u32, 1>(0, [16]);
    let square = buffer.view::<f64, 2>(64, [8, 8]); // from byte 64 on
    remote!(stream; words[right, 3]) = 7;
    remote!(stream; square[right, .., 0] = 0.5);
    // ANCHOR_END: buffer
    collective!(stream; barrier);
    assert_eq!(words.to_vec(&stream)?[3], 7);
    assert_eq!(square.to_vec(&stream)?.iter().sum::<f64>(), 4.0);

    // ANCHOR: dlpack
    let tensor = square.to_dlpack(&stream)?;
    let address = tensor.into_raw(); // a `DLManagedTensor`, for the other library
    // ANCHOR_END: dlpack
    // SAFETY: it comes from `into_raw`, and nobody uses it any more.
    drop(unsafe { shmem::gpu::DlpackTensor::from_raw(address) });

    let row = gpu.full([1000], 1.5_f32)?;
    // ANCHOR: registered
    let mut values = vec![0.0_f32; 1000];
    let first = values.as_mut_ptr();
    // SAFETY: the vector owns them, and nobody uses it but streams.
    let values = unsafe { gpu.register(values, first, 1000)? };
    values.get_from(remote!(stream; &row[right, ..]));
    values.slice(0..10).put_to(remote!(stream; &row[right, 0..20;2]));
    // ANCHOR_END: registered

    // ANCHOR: signal
    let (inbox, arrived) =
        (gpu.zeros::<f32, 1>([1000])?, gpu.zeros::<Atomic<u64>, 1>([1])?);
    let total = gpu.zeros::<f32, 1>([1000])?;
    let row = gpu.full([1000], 1.5_f32)?;

    let (source, signal) =
        (remote!(stream; &row[me, ..]), remote!(stream; &arrived[right, 0]));
    remote!(stream; &inbox[right, ..]).put_signal(
        source,
        signal,
        SignalOp::Set(1),
    );
    wait!(stream; arrived[0] == 1); // what follows on the stream begins when the left neighbour's data is here
    collective!(stream; total[..] = sum inbox[..]);
    // ANCHOR_END: signal
    assert_eq!(total.to_vec(&stream)?, [1.5 * n as f32; 1000]);

    // ANCHOR: collectives
    let part = gpu.full([16], me as u32)?;
    let all = gpu.zeros::<u32, 1>([16 * n])?;
    collective!(stream; all[..] = fcollect part[..]);
    collective!(stream; part[..] = max part[..]);
    if let Some(even) = world.team().split_strided(0, 2, n.div_ceil(2))? {
        let even = gpu.team(&even)?;
        collective!(stream; part[0..4] = broadcast all[0..4] from 0; on even);
    }
    stream.synchronize()?;
    // ANCHOR_END: collectives
    assert_eq!(remote!(stream; all[me, 16 * (n - 1)]), n as u32 - 1);

    // ANCHOR: blocks
    let numbers = gpu.from_fn([4 * n], |[i]| i as u32)?;
    let block = gpu.zeros::<u32, 1>([4])?;
    collective!(stream; block[..] = reduce_scatter sum numbers[..]); // PE 1 gets elements 4 to 7 of the sums
    // ANCHOR_END: blocks
    let sums = [0, 1, 2, 3].map(|i| ((4 * me + i) * n) as u32);
    assert_eq!(block.to_vec(&stream)?, sums);
    let most = n as u32 - 1;
    assert_eq!(
        remote!(stream; part[me, 3..5]),
        if me % 2 == 0 { [0, most] } else { [most; 2] }
    );
    Ok(())
}
