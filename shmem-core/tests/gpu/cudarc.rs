//! Memory that the crate cudarc and streams share, on the back end `nvshmem`.

use std::error::Error;
use std::sync::Arc;

use cudarc::driver::{CudaContext, DevicePtr};
use shmem::prelude::*;

/// Each puts from and reads to memory of the other, where it lies.
#[shmem::test(npes = [1, 2, 3])]
#[ignore = "cudarc needs a device, or what stands in for it: `nvshmem_cudarc` runs it"]
fn slices_of_cudarc(world: &World) -> Result<(), Box<dyn Error>> {
    const LEN: usize = 1000;
    let (me, n) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + n - 1) % n, (me + 1) % n);
    let values_of = |pe: usize| -> Vec<u32> { (0..LEN).map(|i| (10_000 * pe + i) as u32).collect() };
    let gpu = world.gpu()?;
    let (stream, inbox) = (gpu.stream()?, gpu.zeros::<u32, 1>([LEN])?);

    let (values, others) = (values_of(me), values_of(me + 100));
    // ANCHOR: register
    let cuda = CudaContext::new(gpu.device())?.new_stream()?;
    let slice = Arc::new(cuda.clone_htod(&values)?);
    let (first, used) = slice.device_ptr(&cuda);
    cuda.synchronize()?;
    let (owner, first) = (Arc::clone(&slice), first as *mut u32);
    // SAFETY: the slice has so many, and cudarc leaves them alone meanwhile.
    let mine = unsafe { gpu.register(owner, first, LEN)? };
    mine.put_to(remote!(stream; &inbox[right, ..]));
    // ANCHOR_END: register
    drop(used);
    collective!(stream; barrier);
    stream.synchronize()?;

    // ANCHOR: upgrade
    let first = inbox.peer_ptr(me).expect("its own copy") as u64;
    // SAFETY: the array has so many elements, and `leak` frees none.
    let mut view = unsafe { cuda.upgrade_device_ptr::<u32>(first, LEN) };
    let arrived = cuda.clone_dtoh(&view);
    let written = cuda.memcpy_htod(&others, &mut view);
    let done = cuda.synchronize();
    view.leak();
    // ANCHOR_END: upgrade
    written?;
    done?;
    assert_eq!(arrived?, values_of(left));

    world.barrier_all();
    mine.slice(..LEN / 2).get_from(remote!(stream; &inbox[right, LEN / 2..]));
    stream.synchronize()?;
    let read = cuda.clone_dtoh(&*slice)?;
    cuda.synchronize()?;
    assert_eq!(read[..LEN / 2], values_of(right + 100)[LEN / 2..]);
    assert_eq!(read[LEN / 2..], values[LEN / 2..]);

    // The registration was one of two owners.
    drop(mine);
    assert_eq!(Arc::strong_count(&slice), 1);
    Ok(())
}
