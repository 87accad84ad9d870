//! Memory of the program that streams put from and read to.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use shmem::Error;
use shmem::gpu::{BackEnd, DlpackTensor, Gpu, RegisteredMemory};
use shmem::prelude::*;

use crate::failures::panics;
use crate::random::Random;

/// Memory that counts when it is freed.
struct Counted {
    values: Vec<u32>,
    freed: Arc<AtomicUsize>,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.freed.fetch_add(1, Ordering::Relaxed);
    }
}

/// Registers `values`, and returns the memory, its first element, and how many times it was freed.
fn registered(
    gpu: &Gpu,
    values: Vec<u32>,
) -> Result<(RegisteredMemory<u32>, *const u32, Arc<AtomicUsize>), Error> {
    let freed = Arc::new(AtomicUsize::new(0));
    let mut owner = Counted { values, freed: Arc::clone(&freed) };
    let (first, len) = (owner.values.as_mut_ptr(), owner.values.len());
    // SAFETY: the vector owns the elements. They are read only after a synchronisation.
    Ok((unsafe { gpu.register(owner, first, len)? }, first, freed))
}

/// Puts and reads of random parts, ranges, steps and lists, beside a model of plain memory.
#[shmem::test(npes = [1, 2, 3])]
fn puts_and_reads(world: &World) -> Result<(), Error> {
    const LEN: usize = 24;
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let mut values: Vec<u32> = (0..LEN).map(|i| (1000 * me + i) as u32).collect();
    let (mine, first, freed) = registered(&gpu, values.clone())?;
    let stream = gpu.stream()?;
    let array = gpu.from_fn([LEN], |[i]| (1000 * me + 100 + i) as u32)?;
    let grid = gpu.zeros::<u32, 2>([n, LEN])?;
    let mut random = Random(7 + me as u64);
    let mut below = |bound| random.below(bound);
    let mut rows = vec![vec![0; LEN]; n];
    for _ in 0..20 {
        for (row, expected) in rows.iter_mut().enumerate() {
            // The row `me` of each PE is this PE's alone.
            let (count, step) = (1 + below(4), 1 + below(3));
            let (at, from) = (below(LEN - 4 * 3), below(LEN - count));
            let end = at + count * step;
            let part = mine.slice(from..from + count);
            match below(3) {
                0 => {
                    part.put_to(remote!(stream; &grid[row, me, at..end;step]));
                    for i in 0..count {
                        expected[at + i * step] = values[from + i];
                    }
                }
                1 => {
                    // Twice the same place: the last one stays.
                    let list: Vec<usize> = (0..count).map(|_| below(LEN)).collect();
                    part.put_to(remote!(stream; &grid[row, me, @list]));
                    for (i, &place) in list.iter().enumerate() {
                        expected[place] = values[from + i];
                    }
                }
                _ => {
                    part.get_from(remote!(stream; &array[row, at..end;step]));
                    for i in 0..count {
                        values[from + i] = (1000 * row + 100 + at + i * step) as u32;
                    }
                }
            }
        }
    }
    let whole = mine.clone();
    drop(mine);
    collective!(stream; barrier);
    for (row, expected) in rows.iter().enumerate() {
        assert_eq!(&remote!(stream; grid[row, me, ..]), expected);
    }
    assert_eq!(freed.load(Ordering::Relaxed), 0);
    // SAFETY: the stream is past all reads, and the memory is registered.
    assert_eq!(unsafe { std::slice::from_raw_parts(first, LEN) }, values);
    assert_eq!((whole.len(), whole.is_empty(), whole.slice(LEN..).is_empty()), (LEN, false, true));
    whole.slice(3..3).put_to(remote!(stream; &array[0, 2..2]));
    drop(whole);
    stream.synchronize()?;
    assert_eq!(freed.load(Ordering::Relaxed), 1);
    Ok(())
}

/// Operations keep the memory until the stream is past them.
#[shmem::test(npes = [1, 2])]
fn operations_keep_the_memory(world: &World) -> Result<(), Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let (stream, inbox) = (gpu.stream()?, gpu.zeros::<u32, 1>([3])?);
    let flag = gpu.zeros::<Atomic<u64>, 1>([1])?;
    let (mine, _, freed) = registered(&gpu, vec![7, 8, 9])?;
    wait!(stream; flag[0] == 1);
    mine.put_to(remote!(stream; &inbox[(me + 1) % n, ..]));
    drop(mine);
    assert_eq!(freed.load(Ordering::Relaxed), 0);
    let other = gpu.stream()?;
    remote!(other; flag[me, 0] = 1);
    other.synchronize()?;
    collective!(stream; barrier);
    assert_eq!(inbox.to_vec(&stream)?, [7, 8, 9]);
    assert_eq!(freed.load(Ordering::Relaxed), 1);
    Ok(())
}

#[shmem::test(npes = [2])]
fn mistakes(world: &World) -> Result<(), Error> {
    let gpu = world.gpu()?;
    let (stream, array) = (gpu.stream()?, gpu.zeros::<u32, 1>([8])?);
    let (mine, ..) = registered(&gpu, vec![0; 4])?;
    let null = std::ptr::null_mut::<u32>();
    let odd = std::ptr::without_provenance_mut::<u32>(6);
    for (text, expected) in [
        (
            panics(|| mine.put_to(remote!(stream; &array[1, 0..3]))),
            "the registered memory has 4 elements, and the selection of `device array #0: ",
        ),
        (panics(|| mine.get_from(remote!(stream; &array[1, ..]))), "the registered memory has 4 elements"),
        (panics(|| mine.put_to(remote!(stream; &array[2, 0..4]))), "there is no PE 2"),
        (panics(|| _ = mine.slice(2..5)), "range 2..5 is out of bounds of 4 registered elements"),
        (panics(|| _ = mine.slice(..=usize::MAX)), "is out of bounds of 4 registered elements"),
        // SAFETY: both are refused.
        (panics(|| _ = unsafe { gpu.register((), null, 1) }), "and this one is null"),
        // SAFETY: as above.
        (panics(|| _ = unsafe { gpu.register((), odd, 1) }), "a multiple of 4 bytes"),
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    // SAFETY: there are no elements.
    let none = unsafe { gpu.register((), std::ptr::NonNull::<u32>::dangling().as_ptr(), 0)? };
    assert!(none.is_empty());
    stream.synchronize()
}

/// NVSHMEM knows memory once, until it is dropped, and its own without being told.
#[shmem::test(npes = [1, 2])]
fn memory_that_is_registered_already(world: &World) -> Result<(), Error> {
    let me = world.my_pe();
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let mut values = vec![1_u32, 2, 3, 4];
    let first = values.as_mut_ptr();
    // SAFETY: the vector outlives what is registered, and nobody uses it but streams.
    let register = || unsafe { gpu.register((), first, 4) };
    let once = register()?;
    let twice = register();
    match gpu.back_end() {
        BackEnd::Host => assert!(twice.is_ok()),
        BackEnd::Nvshmem => {
            let error = twice.unwrap_err().to_string();
            assert!(error.starts_with("registration of memory cannot be had: "), "{error}");
        }
    }
    drop(once);
    let again = register()?;
    let (array, inbox) = (gpu.full([4], me as u32)?, gpu.zeros::<u32, 1>([4])?);
    again.slice(..2).put_to(remote!(stream; &array[me, 2..4]));
    // SAFETY: nobody else uses the array.
    let own = unsafe { gpu.register_dlpack::<u32>(array.to_dlpack(&stream)?)? };
    own.put_to(remote!(stream; &inbox[(me + 1) % world.n_pes(), ..]));
    collective!(stream; barrier);
    let left = ((me + world.n_pes() - 1) % world.n_pes()) as u32;
    assert_eq!(inbox.to_vec(&stream)?, [left, left, 1, 2]);
    Ok(())
}

/// A tensor as its standard lays it out, on machines with addresses of 64 bits: `DLManagedTensor`.
#[repr(C)]
struct Foreign {
    data: *mut c_void,
    device: (i32, i32),
    axes: i32,
    element: (u8, u8, u16),
    shape: *const i64,
    strides: *const i64,
    byte_offset: u64,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Foreign)>,
    // What follows is not of the standard.
    values: Vec<f32>,
    lists: [Vec<i64>; 2],
    deleted: Arc<AtomicUsize>,
}

unsafe extern "C" fn delete(tensor: *mut Foreign) {
    // SAFETY: `foreign` has made it of a box, and its one owner calls this.
    let tensor = unsafe { Box::from_raw(tensor) };
    tensor.deleted.fetch_add(1, Ordering::Relaxed);
}

/// What another library might export; `change` makes it another one.
fn foreign(gpu: &Gpu, deleted: &Arc<AtomicUsize>, change: impl FnOnce(&mut Foreign)) -> DlpackTensor {
    let device = match gpu.back_end() {
        BackEnd::Host => (1, 0),
        BackEnd::Nvshmem => (2, i32::try_from(gpu.device()).unwrap()),
    };
    let mut tensor = Box::new(Foreign {
        data: std::ptr::null_mut(),
        device,
        axes: 2,
        element: (2, 32, 1),
        shape: std::ptr::null(),
        strides: std::ptr::null(),
        byte_offset: 8,
        context: std::ptr::null_mut(),
        deleter: Some(delete),
        values: (0..8).map(|i| i as f32 / 2.0).collect(),
        lists: [vec![2, 3], vec![3, 1]],
        deleted: Arc::clone(deleted),
    });
    tensor.data = tensor.values.as_mut_ptr().cast();
    change(&mut tensor);
    tensor.shape = tensor.lists[0].as_ptr();
    if !tensor.lists[1].is_empty() {
        tensor.strides = tensor.lists[1].as_ptr();
    }
    // SAFETY: it is a valid tensor, and any thread may delete it.
    unsafe { DlpackTensor::from_raw(Box::into_raw(tensor).cast()) }
}

#[shmem::test(npes = [1, 2])]
fn tensors_of_other_libraries(world: &World) -> Result<(), Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let (stream, inbox) = (gpu.stream()?, gpu.zeros::<f32, 2>([2, 3])?);
    let deleted = Arc::new(AtomicUsize::new(0));
    let good: [fn(&mut Foreign); 3] = [
        |_| (),
        // Without strides it is row-major.
        |tensor| tensor.lists[1].clear(),
        // That of an axis of one does not matter.
        |tensor| {
            tensor.axes = 3;
            tensor.lists = [vec![2, 1, 3], vec![3, 77, 1]];
        },
    ];
    for (round, change) in good.into_iter().enumerate() {
        let tensor = foreign(&gpu, &deleted, change);
        // SAFETY: it is valid, and nobody else has it.
        let theirs = unsafe { gpu.register_dlpack::<f32>(tensor)? };
        assert_eq!(theirs.len(), 6);
        remote!(stream; inbox[me, .., ..] = 0.0);
        collective!(stream; barrier);
        theirs.put_to(remote!(stream; &inbox[(me + 1) % n, .., ..]));
        drop(theirs);
        collective!(stream; barrier);
        assert_eq!(inbox.to_vec(&stream)?, [1.0, 1.5, 2.0, 2.5, 3.0, 3.5]);
        assert_eq!(deleted.load(Ordering::Relaxed), round + 1);
    }
    let empty = foreign(&gpu, &deleted, |tensor| {
        tensor.data = std::ptr::null_mut();
        tensor.lists[0] = vec![0, 3];
    });
    // SAFETY: as above.
    assert!(unsafe { gpu.register_dlpack::<f32>(empty)? }.is_empty());
    assert_eq!(deleted.load(Ordering::Relaxed), 4);

    type Change = fn(&mut Foreign);
    let bad: [(Change, &str); 7] = [
        (|tensor| tensor.byte_offset = 6, "lies at a multiple of 4 bytes: copy them to such an address"),
        (|tensor| (tensor.data, tensor.byte_offset) = (std::ptr::null_mut(), 0), "its elements begin at 0x0"),
        (|tensor| tensor.device = (4, 0), "it is on device 0 of the kind 4, and this PE's streams work on"),
        (|tensor| tensor.element = (0, 32, 1), "its elements have the code 0, 32 bits and 1 lanes"),
        (|tensor| tensor.element = (2, 32, 4), "and `f32` has 2, 32 and 1"),
        (|tensor| tensor.lists[1] = vec![4, 1], "make it contiguous"),
        (|tensor| tensor.lists[0] = vec![2, -3], "its extents are [2, -3]"),
    ];
    for (i, (change, expected)) in bad.into_iter().enumerate() {
        let tensor = foreign(&gpu, &deleted, change);
        // SAFETY: as above.
        let error = unsafe { gpu.register_dlpack::<f32>(tensor) }.unwrap_err().to_string();
        let begins = "registration of a DLPack tensor cannot be had: ";
        assert!(error.starts_with(begins) && error.contains(expected), "{expected}: {error}");
        assert_eq!(deleted.load(Ordering::Relaxed), 5 + i);
    }
    Ok(())
}
