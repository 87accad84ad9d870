//! The tutorial of NVSHMEM4Py, step by step: devices, teams, memory, a reduction, puts, a kernel, signals.
//!
//! ```text
//! cargo run --features gpu --example gpu_tutorial
//! ```
//!
//! The titles are those of the tutorial's cells. What has no counterpart is said where it would stand.
//! Without `SHMEM_GPU`, this runs on the back end `host`, which needs no GPU.

use examples::count;
use shmem::SignalOp;
use shmem::prelude::*;

/// Stores through the copy of a peer, as many values as the array has elements.
#[shmem::gpu::kernel]
fn store(mut array: Global<i32>, peer: usize, value: i32) {
    let i = global_index();
    if i < array.len() {
        remote!(array[peer, i]) = value;
    }
}

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (right, left) = ((me + 1) % n, (me + n - 1) % n);
    let say = |line: String| {
        if me == 0 {
            println!("{line}");
        }
    };

    // Initialise NVSHMEM with a device and a communicator. The launcher of the job is the communicator here,
    // and the device is the PE's number on its host, modulo the devices.
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    say(format!("initialised: {}, back end {}", count(n, "PE"), gpu.back_end()));

    // Versions, and the number of this PE.
    let (major, minor) = shmem::OPENSHMEM_VERSION;
    assert!(me < n && (major, minor) >= (1, 6) && !shmem::CRATE_VERSION.is_empty());
    let everybody = gpu.zeros::<usize, 1>([n])?;
    let number = gpu.from_slice(&[me])?;
    collective!(stream; everybody[..] = fcollect number[..]);
    let everybody = everybody.to_vec(&stream)?;
    assert_eq!(everybody, (0..n).collect::<Vec<_>>());
    say(format!("OpenSHMEM {major}.{minor}, PEs {everybody:?}"));

    // Teams: strided.
    let members = gpu.zeros::<usize, 1>([1])?;
    let ones = gpu.ones::<usize, 1>([1])?;
    if let Some(even) = world.team().split_strided(0, 2, n.div_ceil(2))? {
        let even = gpu.team(&even)?;
        collective!(stream; members[..] = sum ones[..]; on even);
        assert_eq!((members.to_vec(&stream)?[0], even.my_pe()), (n.div_ceil(2), me / 2));
        say(format!("a strided team of {}", count(even.n_pes(), "PE")));
    }

    // Teams: two-dimensional. A row has two PEs, but for the last of an odd number.
    let (row, column) = world.team().split_2d(2)?;
    let (row, column) = (gpu.team(&row)?, gpu.team(&column)?);
    assert_eq!((row.my_pe(), column.my_pe()), (me % 2, me / 2));
    collective!(stream; members[..] = sum ones[..]; on row);
    assert_eq!(members.to_vec(&stream)?, [row.n_pes()]);
    say(format!("a row of {}, a column of {}", count(row.n_pes(), "PE"), count(column.n_pes(), "PE")));

    // Teams: from a list of PEs, in the order of the list.
    let backwards: Vec<usize> = (0..n).rev().collect();
    let backwards = world.team().split_list(&backwards)?.expect("all PEs are in the list");
    let backwards = gpu.team(&backwards)?;
    assert_eq!(backwards.my_pe(), n - 1 - me);
    say(format!("PE 0 is number {} of the team from a list", backwards.my_pe()));

    // A raw buffer. Two arrays share its bytes.
    let buffer = gpu.buffer(4096)?;
    let (words, grid) = (buffer.view::<u32, 1>(0, [8]), buffer.view::<f64, 2>(1024, [4, 16]));
    remote!(stream; words[right, ..]) = me as u32;
    remote!(stream; grid[right, 2, ..]) = 0.5;
    collective!(stream; barrier);
    assert_eq!(words.to_vec(&stream)?, [left as u32; 8]);
    assert_eq!(grid.to_vec(&stream)?.iter().sum::<f64>(), 8.0);
    say(format!("a buffer of {} bytes, as {} words and {} floats", buffer.len(), words.len(), grid.len()));

    // An n-dimensional array. The tutorial's has rank 5; the rank here is 1 to 4.
    let array = gpu.from_fn([2, 3, 4, 5], |[i, j, k, l]| (1000 * i + 100 * j + 10 * k + l) as f32)?;
    assert_eq!(remote!(stream; array[right, 1, 2, 3, 4]), 1234.0);
    say(format!("an array of {:?}", array.extents()));

    // Registering an array of another library: not here. Its values are copied instead, when all PEs have read
    // what they wanted.
    collective!(stream; barrier);
    let external: Vec<f32> = (0..array.len()).map(|i| i as f32).collect();
    array.copy_from(&stream, &external);
    assert_eq!(array.to_vec(&stream)?, external);

    // Reduce on a stream.
    let (data, sum) = (gpu.full([4], me as i32 + 1)?, gpu.zeros::<i32, 1>([4])?);
    collective!(stream; sum[..] = sum data[..]);
    let total = (n * (n + 1) / 2) as i32;
    assert_eq!(sum.to_vec(&stream)?, [total; 4]);
    say(format!("the sum of {:?} is {total}", (1..=n).collect::<Vec<_>>()));

    // Put on a stream, to the right neighbour.
    let inbox = gpu.full([4], -1)?;
    remote!(stream; inbox[right, ..] = &data[..]);
    collective!(stream; barrier);
    assert_eq!(inbox.to_vec(&stream)?, [left as i32 + 1; 4]);
    say(format!("PE 0 has {:?} from PE {left}", inbox.to_vec(&stream)?));

    // A kernel that stores through a peer array.
    let stored = gpu.full([4], -1)?;
    store.launch(&stream, 1, 32, (&stored, right, me as i32))?;
    collective!(stream; barrier);
    assert_eq!(stored.to_vec(&stream)?, [left as i32; 4]);
    say(format!("the kernel of PE {left} has stored {:?} on PE 0", stored.to_vec(&stream)?));

    // Put with signal, and wait for the signal on the stream.
    let signalled = gpu.full([4], -1)?;
    let arrived = gpu.zeros::<Atomic<u64>, 1>([1])?;
    let (source, signal) = (remote!(stream; &sum[me, ..]), remote!(stream; &arrived[right, 0]));
    remote!(stream; &signalled[right, ..]).put_signal(source, signal, SignalOp::Set(1));
    wait!(stream; arrived[0] == 1);
    assert_eq!(signalled.to_vec(&stream)?, [total; 4]);
    say(format!("with the signal of PE {left}, {:?} is on PE 0", signalled.to_vec(&stream)?));

    // Finalise: the arrays, the teams and the stream end with their names, in any order.
    stream.synchronize()
}
