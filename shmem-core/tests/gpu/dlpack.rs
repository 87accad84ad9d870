//! Exports by DLPack, read as its standard lays them out, and not by this crate's own structures.

use std::ffi::c_void;
use std::thread;

use shmem::Error;
use shmem::gpu::{BackEnd, DlpackElement, DlpackTensor};
use shmem::prelude::*;

/// What a consumer reads.
#[derive(Debug, PartialEq)]
struct Read {
    data: *const u8,
    device: (i32, i32),
    element: (u8, u8, u16),
    shape: Vec<i64>,
    strides: Vec<i64>,
}

/// A tensor that a consumer has taken over.
struct Consumer(*mut u8);

// SAFETY: DLPack lets a tensor go to other threads.
unsafe impl Send for Consumer {}

impl Consumer {
    fn of(tensor: DlpackTensor) -> Consumer {
        Consumer(tensor.into_raw().cast())
    }

    /// The field that begins at this byte, on machines with addresses of 64 bits.
    ///
    /// # Safety
    ///
    /// `T` is its type.
    unsafe fn field<T: Copy>(&self, byte: usize) -> T {
        // SAFETY: a tensor has 64 bytes, and its fields are aligned.
        unsafe { self.0.add(byte).cast::<T>().read() }
    }

    fn read(&self) -> Read {
        // SAFETY: as dlpack.h has it: `data`, `device` of two numbers, `ndim`, `dtype` of three, `shape`,
        // `strides`, `byte_offset`, and after the tensor the context and the deleter.
        unsafe {
            let axes = usize::try_from(self.field::<i32>(16)).unwrap();
            let numbers = |byte| std::slice::from_raw_parts(self.field::<*const i64>(byte), axes).to_vec();
            assert_eq!(self.field::<u64>(40), 0);
            Read {
                data: self.field(0),
                device: (self.field(8), self.field(12)),
                element: (self.field(20), self.field(21), self.field(22)),
                shape: numbers(24),
                strides: numbers(32),
            }
        }
    }

    fn delete(self) {
        // SAFETY: the last field is the deleter, and nobody uses the tensor after it.
        unsafe { self.field::<unsafe extern "C" fn(*mut c_void)>(56)(self.0.cast()) }
    }
}

/// What a consumer reads of an array of rank 1 with these elements: the address is that of the array.
fn element_of<T: Symmetric + DlpackElement + Default>(world: &World) -> Result<(u8, u8, u16), Error> {
    let gpu = world.gpu()?;
    let array = gpu.full([3], T::default())?;
    let consumer = Consumer::of(array.to_dlpack(&gpu.stream()?)?);
    let read = consumer.read();
    assert_eq!((read.shape, read.strides), (vec![3], vec![1]));
    let device = match gpu.back_end() {
        BackEnd::Host => (1, 0),
        BackEnd::Nvshmem => (2, i32::try_from(gpu.device()).unwrap()),
    };
    assert_eq!(read.device, device);
    // Where every operation takes the transport, there is no such pointer.
    if let Some(own) = array.peer_ptr(world.my_pe()) {
        assert_eq!(read.data, own.cast_const().cast());
    }
    consumer.delete();
    Ok(read.element)
}

#[shmem::test(npes = [1, 2])]
fn elements(world: &World) -> Result<(), Error> {
    assert_eq!(element_of::<i8>(world)?, (0, 8, 1));
    assert_eq!(element_of::<i16>(world)?, (0, 16, 1));
    assert_eq!(element_of::<i32>(world)?, (0, 32, 1));
    assert_eq!(element_of::<i64>(world)?, (0, 64, 1));
    assert_eq!(element_of::<isize>(world)?, (0, 64, 1));
    assert_eq!(element_of::<u8>(world)?, (1, 8, 1));
    assert_eq!(element_of::<u16>(world)?, (1, 16, 1));
    assert_eq!(element_of::<u32>(world)?, (1, 32, 1));
    assert_eq!(element_of::<u64>(world)?, (1, 64, 1));
    assert_eq!(element_of::<usize>(world)?, (1, 64, 1));
    assert_eq!(element_of::<f32>(world)?, (2, 32, 1));
    assert_eq!(element_of::<f64>(world)?, (2, 64, 1));
    #[cfg(feature = "half")]
    assert_eq!((element_of::<half::f16>(world)?, element_of::<half::bf16>(world)?), ((2, 16, 1), (4, 16, 1)));
    #[cfg(feature = "num-complex")]
    assert_eq!(element_of::<num_complex::Complex<f32>>(world)?, (5, 64, 1));
    #[cfg(feature = "num-complex")]
    assert_eq!(element_of::<num_complex::Complex<f64>>(world)?, (5, 128, 1));
    Ok(())
}

/// Axes, views of buffers, and cells; the elements are those that the stream was to write.
#[shmem::test(npes = [1, 2, 3])]
fn what_a_consumer_finds(world: &World) -> Result<(), Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let (buffer, cells) = (gpu.buffer(512)?, gpu.zeros::<Atomic<u64>, 1>([2])?);
    let array = buffer.view::<u32, 4>(64, [2, 3, 4, 1]);
    let right = (me + 1) % n;
    for place in 0..24 {
        remote!(stream; array[right, place / 12, place / 4 % 3, place % 4, 0]) = (100 * me + place) as u32;
    }
    remote!(stream; cells[right, 1] += me as u64 + 1);
    collective!(stream; barrier);
    stream.synchronize()?;

    for pe in 0..n {
        let tensor = array.peer_to_dlpack(pe, &stream)?;
        assert_eq!(tensor.is_some(), pe == me || array.peer_ptr(pe).is_some());
        let Some(consumer) = tensor.map(Consumer::of) else { continue };
        let Read { data, element, shape, strides, .. } = consumer.read();
        assert_eq!((element, shape, &strides), ((1, 32, 1), vec![2, 3, 4, 1], &vec![12, 4, 1, 1]));
        let left = (pe + n - 1) % n;
        for place in 0..24_usize {
            let index = [place / 12, place / 4 % 3, place % 4, 0];
            let at: i64 = index.iter().zip(&strides).map(|(&index, &stride)| index as i64 * stride).sum();
            // SAFETY: the strides lead to elements of the array, and nobody writes them before the barrier.
            let found = unsafe { data.cast::<u32>().offset(at as isize).read_volatile() };
            assert_eq!(found as usize, 100 * left + place);
        }
        consumer.delete();
    }

    let consumer = Consumer::of(cells.to_dlpack(&stream)?);
    let Read { data, element, .. } = consumer.read();
    // SAFETY: as above.
    let count = unsafe { data.cast::<u64>().add(1).read_volatile() };
    assert_eq!((element, count as usize), ((1, 64, 1), (me + n - 1) % n + 1));
    consumer.delete();
    world.barrier_all();

    let empty = gpu.zeros::<f64, 2>([0, 4])?.to_dlpack(&stream)?;
    assert_eq!(Consumer::of(empty).read().shape, [0, 4]);
    Ok(())
}

/// The memory is free when the last PE has no export of it, whichever thread was the last to have one.
#[shmem::test(npes = [1, 2, 3], heap = "8M")]
fn an_export_keeps_the_memory(world: &World) -> Result<(), Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    const BYTES: usize = 5 << 20;
    for round in 0..6_u8 {
        let tensor = gpu.full([BYTES], round)?.to_dlpack(&stream)?;
        // The array is gone, and the last PE has nothing of it.
        let last = world.my_pe() == world.n_pes() - 1;
        let tensor = (world.n_pes() == 1 || !last).then_some(tensor);
        let refused = gpu.zeros::<u8, 1>([BYTES]);
        assert!(refused.is_err(), "{refused:?}");
        if let Some(tensor) = tensor {
            let held = format!("{tensor:?}");
            assert!(held.contains(&BYTES.to_string()), "{held}");
            let consumer = Consumer::of(tensor);
            let Read { data, .. } = consumer.read();
            // SAFETY: the export keeps the memory.
            let ends = unsafe { (data.read(), data.add(BYTES - 1).read()) };
            assert_eq!(ends, (round, round));
            if round % 2 == 0 {
                thread::spawn(|| {
                    let consumer = consumer;
                    consumer.delete();
                })
                .join()
                .unwrap();
            } else {
                // SAFETY: it comes from `into_raw`, and nobody uses it any more.
                drop(unsafe { DlpackTensor::from_raw(consumer.0.cast()) });
            }
        }
    }
    Ok(())
}

/// What was to write the elements has failed.
#[shmem::test(npes = [1, 2])]
fn a_stream_that_has_failed(world: &World) -> Result<(), Error> {
    let gpu = world.gpu()?;
    let (stream, array) = (gpu.stream()?, gpu.ones::<f32, 1>([4])?);
    // A local phase is no time for streams.
    world.local_phase(|_| {
        stream.quiet();
        assert!(stream.record().synchronize().is_err());
    });
    let error = array.to_dlpack(&stream).unwrap_err().to_string();
    assert!(error.contains("the quiet that was issued at"), "{error}");
    Ok(())
}
