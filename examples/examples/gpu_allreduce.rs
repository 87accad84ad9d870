//! A ring all-reduce of one's own, written twice with signals: as operations on a stream, and as one kernel.
//! Both are compared with the library's.
//!
//! ```text
//! cargo run --release --features gpu --example gpu_allreduce           # 50 elements for each PE
//! cargo run --release --features gpu --example gpu_allreduce -- 100000
//! ```
//!
//! The elements are divided in as many parts as there are PEs. In each step a PE sends one part to its
//! right neighbour, and gets the part before it from the left. In the first n - 1 steps it adds what it
//! gets to its own, after which each PE has the whole sum of one part. In the next n - 1 steps the sums
//! go round. So each PE sends twice the elements that it has, whatever the number of PEs.
//!
//! The argument is the number of elements of a part. They are small integers as `f32`, so that sums in
//! any order are the same.

use examples::{Failure, count, numbers};
use shmem::SignalOp;
use shmem::gpu::{DeviceArray, Gpu, Stream};
use shmem::prelude::*;

/// The threads of a block.
const BLOCK: usize = 32;

/// What a ring needs besides the values.
struct Ring {
    /// What the left neighbour has sent: a row for each step.
    inbox: DeviceArray<f32, 2>,
    /// Whether it is there.
    arrived: DeviceArray<Atomic<u64>, 1>,
}

impl Ring {
    /// For parts of `part` elements. Collective.
    fn new(gpu: &Gpu, n_pes: usize, part: usize) -> Result<Ring, shmem::Error> {
        let steps = 2 * n_pes - 2;
        Ok(Ring { inbox: gpu.zeros([steps, part])?, arrived: gpu.zeros([steps])? })
    }
}

/// Adds a row of the inbox to a part of the sums.
#[shmem::gpu::kernel]
fn add(mut sums: Global<f32>, first: usize, inbox: Global<f32, 2>, row: usize) {
    let i = global_index();
    if i < inbox.extent(1) {
        local!(sums[first + i]) = local!(sums[first + i]) + local!(inbox[row, i]);
    }
}

/// On a stream. Each step puts with a signal, and the stream waits for the left neighbour's.
#[shmem::kernel]
fn on_stream(
    world: &World,
    stream: &Stream,
    sums: &DeviceArray<f32, 1>,
    ring: &Ring,
) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n;
    let (part, Ring { inbox, arrived }) = (sums.len() / n, ring);
    for step in 0..2 * (n - 1) {
        let sent = (me + 2 * n - step) % n;
        let received = (sent + n - 1) % n;
        let (source, signal) = (
            remote!(stream; &sums[me, sent * part..(sent + 1) * part]),
            remote!(stream; &arrived[right, step]),
        );
        remote!(stream; &inbox[right, step, ..]).put_signal(source, signal, SignalOp::Set(1));
        wait!(stream; arrived[step] == 1);
        if step < n - 1 {
            add.launch(stream, part.div_ceil(BLOCK), BLOCK, (sums, received * part, inbox, step))?;
        } else {
            remote!(stream; sums[me, received * part..(received + 1) * part] = &inbox[step, ..]);
        }
    }
    Ok(())
}

/// As one kernel of one block. A thread sends, gets and adds the same places of each part, so the threads
/// meet only where the signal is sent.
#[shmem::gpu::kernel]
fn in_kernel(mut sums: Global<f32>, mut inbox: Global<f32, 2>, mut arrived: Global<Atomic<u64>>) {
    let (me, n, part) = (my_pe(), n_pes(), inbox.extent(1));
    let right = (me + 1) % n;
    for step in 0..2 * (n - 1) {
        let sent = (me + 2 * n - step) % n;
        let received = (sent + n - 1) % n;
        for i in (thread_index()..part).step_by(block_size()) {
            remote!(inbox[right, step, i]) = local!(sums[sent * part + i]);
        }
        quiet(); // what this thread has sent is there
        block_barrier(); // and what all threads have sent
        if thread_index() == 0 {
            remote!(arrived[right, step]) = 1;
        }
        wait!(arrived[step] == 1);
        for i in (thread_index()..part).step_by(block_size()) {
            let at = received * part + i;
            let mut x = local!(inbox[step, i]);
            if step < n - 1 {
                x += local!(sums[at]);
            }
            local!(sums[at]) = x;
        }
    }
}

#[shmem::main]
fn main(world: &World) -> Result<(), Failure> {
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let [part] = numbers([("elements", 50)])?;
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;

    let value = |[i]: [usize; 1]| ((7 * me + i) % 100) as f32;
    let len = n_pes * part;
    let library = gpu.from_fn([len], value)?;
    let (streamed, launched) = (gpu.from_fn([len], value)?, gpu.from_fn([len], value)?);
    let rings = [Ring::new(&gpu, n_pes, part)?, Ring::new(&gpu, n_pes, part)?];

    collective!(stream; library[..] = sum library[..]);
    on_stream(world, &stream, &streamed, &rings[0])?;
    in_kernel.launch(&stream, 1, BLOCK, (&launched, &rings[1].inbox, &rings[1].arrived))?;

    let expected = library.to_vec(&stream)?;
    for (name, sums) in [("stream", &streamed), ("kernel", &launched)] {
        let wrong = sums.to_vec(&stream)?.iter().zip(&expected).filter(|(x, y)| x != y).count();
        let wrong = collective!(sum wrong);
        if wrong > 0 {
            return Err(Failure::new(format!(
                "{wrong} of {} sums of the {name} are not the library's",
                n_pes * len
            )));
        }
    }
    let total = expected.iter().map(|&x| f64::from(x)).sum::<f64>();
    if me == 0 {
        println!(
            "{} on {}, back end {}: the stream and the kernel have the library's sums, which are {total} in all",
            count(len, "element"),
            count(n_pes, "PE"),
            gpu.back_end()
        );
    }
    stream.synchronize()?;
    Ok(())
}
