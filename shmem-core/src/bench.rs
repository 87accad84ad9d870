//! What the benchmarks of this repository measure beside the API, with the feature `bench`. Not
//! part of the API.
//!
//! A [`Place`] is reached by calls of the transport alone, which is what the language compiles to
//! where loads and stores do not reach a PE. The calls check nothing. [`Kept`] is what the model of
//! large jobs counts.

use crate::remote::Remote;
use crate::runtime;
use crate::select::OnOnePe;
use crate::symmetric::Item;
use crate::transport::{Amo, Ctx, Run, Transport, Width};

fn transport() -> &'static dyn Transport {
    runtime::get().transport()
}

/// Completes what was put.
#[inline]
pub fn quiet() {
    transport().quiet(Ctx::DEFAULT);
}

/// A barrier of all PEs.
#[inline]
pub fn barrier_all() {
    runtime::get().barrier_all();
}

/// Comes to the next `times` meetings with PE `pe` at once, before the first one: its calls of
/// `sync_with` do not wait for this PE.
pub fn come_early(pe: usize, times: u32) {
    crate::partners::come_early(pe, times);
}

/// A place in the heap of a PE.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pe: usize,
    offset: usize,
}

/// # Safety
///
/// Each method accesses the elements from this place on that its arguments name, all of which
/// belong to one object on an existing PE. Nothing else accesses them or the local memory
/// meanwhile, unless both accesses are atomic updates of one cell of 8 bytes.
impl Place {
    /// Where the first of `elements` lies.
    #[must_use]
    pub fn of<I: Item, F: OnOnePe>(elements: Remote<'_, I, F>) -> Place {
        Place { pe: elements.pe(), offset: elements.first_offset() }
    }

    /// The place `bytes` further on.
    #[inline]
    #[must_use]
    pub fn at(self, bytes: usize) -> Place {
        Place { offset: self.offset + bytes, ..self }
    }

    /// Copies the elements of `from` here.
    ///
    /// # Safety
    ///
    /// As for all methods of [`Place`].
    #[inline]
    pub unsafe fn put<T>(self, from: &[T]) {
        let (start, len) = (from.as_ptr().cast(), size_of_val(from));
        // SAFETY: the caller vouches for the bytes here; those of `from` are readable.
        unsafe { transport().put(Ctx::DEFAULT, self.pe, self.offset, start, len) }
    }

    /// Begins to copy the elements of `from` here; [`quiet`] completes it.
    ///
    /// # Safety
    ///
    /// As for all methods of [`Place`], and `from` stays as it is until then.
    #[inline]
    pub unsafe fn put_nbi<T>(self, from: &[T]) {
        let (start, len) = (from.as_ptr().cast(), size_of_val(from));
        // SAFETY: as in `put`; the caller also keeps `from` until `quiet`.
        unsafe { transport().put_nbi(Ctx::DEFAULT, self.pe, self.offset, start, len) }
    }

    /// Copies the elements from here on to `to`.
    ///
    /// # Safety
    ///
    /// As for all methods of [`Place`]; the bytes are valid as a `T`.
    #[inline]
    pub unsafe fn get<T>(self, to: &mut [T]) {
        let (start, len) = (to.as_mut_ptr().cast(), size_of_val(to));
        // SAFETY: the caller vouches for the bytes here; those of `to` are writable.
        unsafe { transport().get(Ctx::DEFAULT, self.pe, self.offset, start, len) }
    }

    /// Copies the elements of `from` to places `stride` elements apart.
    ///
    /// # Safety
    ///
    /// As for all methods of [`Place`].
    #[inline]
    pub unsafe fn iput<T>(self, stride: usize, from: &[T]) {
        let (start, size) = (from.as_ptr().cast(), size_of::<T>());
        let run = Run { count: from.len(), stride: stride * size };
        // SAFETY: as in `put`.
        unsafe { transport().iput(Ctx::DEFAULT, self.pe, self.offset, run, start, size, size) }
    }

    /// Copies elements `stride` apart to `to`.
    ///
    /// # Safety
    ///
    /// As for all methods of [`Place`]; the bytes are valid as a `T`.
    #[inline]
    pub unsafe fn iget<T>(self, stride: usize, to: &mut [T]) {
        let (start, size) = (to.as_mut_ptr().cast(), size_of::<T>());
        let run = Run { count: to.len(), stride: stride * size };
        // SAFETY: as in `get`.
        unsafe { transport().iget(Ctx::DEFAULT, self.pe, self.offset, run, start, size, size) }
    }

    /// Adds to the cell, and returns what was there.
    ///
    /// # Safety
    ///
    /// As for all methods of [`Place`]; the element is an atomic cell of 8 bytes.
    #[inline]
    pub unsafe fn fetch_add(self, value: u64) -> u64 {
        // SAFETY: the caller vouches for the cell.
        unsafe { transport().amo(Ctx::DEFAULT, self.pe, self.offset, Width::W8, Amo::Add(value)) }
    }

    /// Adds to the cell.
    ///
    /// # Safety
    ///
    /// As [`fetch_add`](Place::fetch_add).
    #[inline]
    pub unsafe fn add(self, value: u64) {
        // SAFETY: the caller vouches for the cell.
        unsafe { transport().update(Ctx::DEFAULT, self.pe, self.offset, Width::W8, Amo::Add(value)) }
    }

    /// Writes `new` to the cell if it holds `expected`, and returns what was there.
    ///
    /// # Safety
    ///
    /// As [`fetch_add`](Place::fetch_add).
    #[inline]
    pub unsafe fn compare_swap(self, expected: u64, new: u64) -> u64 {
        let swap = Amo::CompareSwap { expected, new };
        // SAFETY: the caller vouches for the cell.
        unsafe { transport().amo(Ctx::DEFAULT, self.pe, self.offset, Width::W8, swap) }
    }
}

/// The bytes that a PE keeps of other PEs of a job over the C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Of each PE of the job: which PEs share its host.
    pub host: usize,
    /// Of each PE of a large job: the room in symmetric memory to gather a word.
    pub gathered: usize,
    /// The most PEs of a job without this room.
    pub few: usize,
    /// Of each PE of the same host: where its heap and its control block are mapped.
    pub mapped: usize,
    /// Of each PE of the same host: its entries in the two tables that each access looks it up in.
    pub entries: usize,
    /// What the PEs tell each other at the start, of each of them.
    pub told: usize,
    /// The symmetric memory that is asked of the library beside the heap, for all PEs together. The
    /// room to gather is a part of it.
    pub spare: usize,
}

#[cfg(all(feature = "bench", feature = "openshmem"))]
impl Kept {
    /// What this build keeps.
    pub const HERE: Kept = {
        use crate::runtime::direct;
        use crate::transport::openshmem;
        Kept {
            host: openshmem::HOST,
            gathered: openshmem::GATHERED,
            few: openshmem::FEW,
            mapped: openshmem::MAPPED,
            entries: direct::ENTRIES,
            told: openshmem::TOLD,
            spare: openshmem::SPARE,
        }
    };
}
