//! Buffers: arrays of bytes, parts of which are arrays of other types.

use std::any::type_name;
use std::panic::Location;
use std::sync::Arc;

use super::array::DeviceArray;
use super::job;
use crate::array::{SymmetricArray, info_of_view, is_countable, short_name};
use crate::remote::DeviceMemory;
use crate::remote::held::Held;
use crate::runtime::block::Wishes;
use crate::symmetric::{ObjectInfo, Rank, Ranked, Symmetric};
use crate::system::error::Error;

/// Bytes of a buffer, as elements of another type.
struct ViewOfBuffer {
    info: ObjectInfo,
    /// Keeps the bytes.
    _buffer: DeviceMemory,
}

impl Held for ViewOfBuffer {
    fn info(&self) -> &ObjectInfo {
        &self.info
    }
}

/// A buffer: an array of bytes, which [`Gpu::buffer`](super::Gpu::buffer) makes.
impl DeviceArray<u8, 1> {
    /// A buffer of zeros, aligned for elements of every type.
    #[track_caller]
    pub(super) fn buffer(
        bytes: usize,
        caller: &'static Location<'static>,
    ) -> Result<DeviceArray<u8, 1>, Error> {
        let wishes = Wishes { align: Some(256), ..Wishes::default() };
        SymmetricArray::full(job(), [bytes], wishes, 0, caller).and_then(DeviceArray::new)
    }

    /// Returns bytes of the buffer as an array of elements of another type, from byte `offset` on. Not
    /// collective.
    ///
    /// The view is an array like any other, and keeps the memory of the buffer. Views may overlap. A PE
    /// reaches the copies of other PEs at its own offset, so PEs that exchange data make the same views.
    /// There are no views with [`Atomic`](crate::Atomic) cells: give them an array of their own.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, buffer) = (gpu.stream()?, gpu.buffer(64)?);
    ///     let (head, body) = (buffer.view::<u32, 1>(0, [4]), buffer.view::<f64, 2>(16, [2, 3]));
    ///     let other = 1 - world.my_pe();
    ///     remote!(stream; head[other, ..] = [1, 2, 3, 4]);
    ///     remote!(stream; body[other, 1, ..] = 2.5);
    ///     collective!(stream; barrier);
    ///     assert_eq!(body.to_vec(&stream)?, [0.0, 0.0, 0.0, 2.5, 2.5, 2.5]);
    ///     assert_eq!(buffer.to_vec(&stream)?[..8], [1_u32, 2].map(u32::to_ne_bytes).concat());
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the buffer has not as many bytes, and when `offset` is no multiple of the size of an element.
    #[must_use]
    #[track_caller]
    pub fn view<T: Symmetric, const R: usize>(&self, offset: usize, extents: [usize; R]) -> DeviceArray<T, R>
    where
        Rank<R>: Ranked,
    {
        let elem = size_of::<T>();
        let (start, memory) = self.lies_at();
        let (name, info) = (short_name(type_name::<T>()), memory.info());
        let end = is_countable(&extents, elem)
            .then(|| elem * extents.iter().product::<usize>())
            .and_then(|bytes| offset.checked_add(bytes))
            .filter(|end| *end <= self.len());
        let Some(end) = end else {
            let extents: Vec<String> = extents.iter().map(usize::to_string).collect();
            panic!(
                "a view of {} elements of `{name}`, which have {elem} bytes each, ends after the {} bytes of the buffer \
                 {info} where it begins at byte {offset}: make the buffer larger, or the view smaller",
                extents.join(" × "),
                self.len()
            );
        };
        // So the elements of two views of one type are the same or apart, which overlapping moves rely on.
        assert!(
            elem == 0 || offset.is_multiple_of(elem),
            "a view of elements of `{name}`, which have {elem} bytes each, cannot begin at byte {offset} of the buffer {info}: \
             write a multiple of {elem}"
        );
        assert!(
            (start + offset).is_multiple_of(align_of::<T>()),
            "the bytes of {info} are not aligned for elements of `{name}`: make the array with `gpu.buffer(bytes)`"
        );
        let info = info_of_view::<T, R>(info, offset..end, extents, Location::caller());
        let view = ViewOfBuffer { info, _buffer: memory.clone() };
        // SAFETY: the elements end before the buffer does, which the view keeps, and are aligned.
        unsafe { DeviceArray::at(start + offset, extents, DeviceMemory::new(Arc::new(view))) }
    }
}
