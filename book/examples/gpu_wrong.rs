//! Mistakes that one makes on the way to the GPU.

mod ring;

use ring::{CELLS, flow, start};
use shmem::gpu::{DeviceArray, Gpu, Stream};
use shmem::prelude::*;

#[shmem::main(npes = 2)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let heat = gpu.from_fn([CELLS + 2], |[i]| start(i))?;
    let came = gpu.zeros::<Atomic<u64>, 1>([2])?;
    let (me, npes) = (world.my_pe(), world.n_pes());
    match std::env::args().nth(1).as_deref() {
        Some("early") => early(me, npes, &stream, &heat)?,
        Some("whole") => whole(me, npes, &stream, &heat)?,
        Some("threads") => threads(&gpu, &stream, &heat)?,
        Some("never") => never(me, npes, &stream, &came)?,
        Some("apart") => apart(me, npes, &stream, &heat, &came)?,
        Some("fence") => no_fence(&stream, &heat, &came)?,
        Some("blocks") => blocks(&stream, &came)?,
        Some("alone") => alone(me, &gpu, &stream, &heat)?,
        _ => {}
    }
    stream.synchronize()
}

#[shmem::kernel]
fn early(
    me: usize,
    npes: usize,
    stream: &Stream,
    heat: &DeviceArray<f64, 1>,
) -> Result<(), shmem::Error> {
    // ANCHOR: early
    if me + 1 < npes {
        remote!(stream; heat[me + 1, 0] = &heat[CELLS]);
    }
    stream.synchronize()?;
    let old = heat.to_vec(stream)?;
    // ANCHOR_END: early
    drop(old);
    Ok(())
}

#[shmem::kernel]
fn whole(
    me: usize,
    npes: usize,
    stream: &Stream,
    heat: &DeviceArray<f64, 1>,
) -> Result<(), shmem::Error> {
    for _ in 0..2 {
        // ANCHOR: whole
        if me + 1 < npes {
            remote!(stream; heat[me + 1, 0] = &heat[CELLS]);
        }
        collective!(stream; barrier);
        let old = heat.to_vec(stream)?;
        let mut new = old.clone();
        for i in 1..=CELLS {
            new[i] = flow(old[i - 1], old[i], old[i + 1]);
        }
        collective!(stream; barrier);
        heat.copy_from(stream, &new);
        // and on to the next step
        // ANCHOR_END: whole
    }
    Ok(())
}

// ANCHOR: threads
#[shmem::gpu::kernel]
fn mean(old: Global<f64>, mut new: Global<f64>) {
    let i = 1 + global_index();
    local!(new[i]) = 0.5 * (local!(old[i - 1]) + local!(old[i + 1]));
}
// ANCHOR_END: threads

fn threads(
    gpu: &Gpu,
    stream: &Stream,
    heat: &DeviceArray<f64, 1>,
) -> Result<(), shmem::Error> {
    let new = gpu.zeros::<f64, 1>([CELLS + 2])?;
    // ANCHOR: threads_launch
    mean.launch(stream, 2, 4, (heat, &new))?;
    stream.synchronize()
    // ANCHOR_END: threads_launch
}

#[shmem::kernel]
fn never(
    me: usize,
    npes: usize,
    stream: &Stream,
    came: &DeviceArray<Atomic<u64>, 1>,
) -> Result<(), shmem::Error> {
    let right = (me + 1) % npes;
    // ANCHOR: never
    for number in 0..10_u64 {
        remote!(stream; came[right, 0] = number);
        wait!(stream; came[0] >= number + 1);
    }
    stream.synchronize()
    // ANCHOR_END: never
}

#[shmem::kernel]
fn apart(
    me: usize,
    npes: usize,
    stream: &Stream,
    heat: &DeviceArray<f64, 1>,
    came: &DeviceArray<Atomic<u64>, 1>,
) -> Result<(), shmem::Error> {
    // ANCHOR: apart
    if me + 1 < npes {
        remote!(stream; heat[me + 1, 0] = &heat[CELLS]);
        remote!(stream; came[me + 1, 0] = 1);
    }
    if me > 0 {
        wait!(stream; came[0] == 1);
        let first = heat.to_vec(stream)?[0];
        assert!(first >= 0.0);
    }
    // ANCHOR_END: apart
    Ok(())
}

// ANCHOR: fence
#[shmem::gpu::kernel]
fn send(mut heat: Global<f64>, mut came: Global<Atomic<u64>>) {
    if my_pe() + 1 < n_pes() {
        remote!(heat[my_pe() + 1, 0]) = local!(heat[CELLS]);
        remote!(came[my_pe() + 1, 0]) = 1;
    }
    if my_pe() > 0 {
        wait!(came[0] == 1);
        local!(heat[1]) = local!(heat[0]);
    }
}
// ANCHOR_END: fence

fn no_fence(
    stream: &Stream,
    heat: &DeviceArray<f64, 1>,
    came: &DeviceArray<Atomic<u64>, 1>,
) -> Result<(), shmem::Error> {
    send.launch(stream, 1, 1, (heat, came))
}

// ANCHOR: blocks
#[shmem::gpu::kernel]
fn meet(mut came: Global<Atomic<u64>>) {
    let block = block_index();
    remote!(came[my_pe(), 1 - block]) = 1; // tells the other block
    wait!(came[block] == 1);
}
// ANCHOR_END: blocks

fn blocks(
    stream: &Stream,
    came: &DeviceArray<Atomic<u64>, 1>,
) -> Result<(), shmem::Error> {
    // ANCHOR: blocks_launch
    meet.launch(stream, 2, 1, (came,))?; // 2 blocks of 1 thread
    stream.synchronize()
    // ANCHOR_END: blocks_launch
}

#[shmem::kernel]
fn alone(
    me: usize,
    gpu: &Gpu,
    stream: &Stream,
    heat: &DeviceArray<f64, 1>,
) -> Result<(), shmem::Error> {
    let sums = gpu.zeros::<f64, 1>([CELLS])?;
    // ANCHOR: alone
    if me == 0 {
        collective!(stream; sums[..] = sum heat[1..=CELLS]);
        println!("{:?}", sums.to_vec(stream)?);
    }
    // ANCHOR_END: alone
    Ok(())
}
