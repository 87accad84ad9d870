//! Memory of the symmetric heap.

use std::collections::BTreeMap;
use std::ffi::{c_long, c_void};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use shmem::Error;
use shmem::untyped::{HeapMemory, Hint, Member};

use crate::job::{member, offset};

/// The alignment of memory for which none is asked: that of any type of C.
const ALIGN: usize = 16;

/// The memory that the program has, by its offset.
static CLAIMED: Mutex<BTreeMap<usize, HeapMemory>> = Mutex::new(BTreeMap::new());

fn claimed() -> MutexGuard<'static, BTreeMap<usize, HeapMemory>> {
    CLAIMED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Forgets all memory, at the end of the job.
pub(crate) fn forget_all() {
    claimed().clear();
}

/// The end of the allocation in which `offset` is, as an offset.
pub(crate) fn end(offset: usize) -> Option<usize> {
    let claimed = claimed();
    let (start, memory) = claimed.range(..=offset).next_back()?;
    Some(start + memory.bytes()).filter(|end| *end > offset)
}

/// Whether an allocation begins there.
pub(crate) fn is_start(offset: usize) -> bool {
    claimed().contains_key(&offset)
}

/// Hands claimed memory to the program: null where there is not enough, as C has it.
///
/// # Panics
///
/// When the PEs do not ask for the same, and when the arguments are wrong.
#[track_caller]
fn hand_out(member: &Member, claim: Result<HeapMemory, Error>) -> *mut c_void {
    match claim {
        Ok(memory) => {
            let offset = memory.offset();
            claimed().insert(offset, memory);
            address(member, offset)
        }
        Err(Error::HeapExhausted { .. } | Error::OutOfMemory { .. } | Error::Extents { .. }) => {
            ptr::null_mut()
        }
        Err(error) => panic!("{error}"),
    }
}

fn address(member: &Member, offset: usize) -> *mut c_void {
    member.heap().wrapping_add(offset).cast()
}

/// `shmem_malloc`: the bytes are what they are.
pub(crate) fn malloc(size: usize) -> *mut c_void {
    align_with(ALIGN, size, &[])
}

/// `shmem_align`.
pub(crate) fn align(alignment: usize, size: usize) -> *mut c_void {
    assert!(
        alignment.is_power_of_two() && alignment.is_multiple_of(size_of::<*const u8>()),
        "`alignment` is {alignment}, and must be a power of two and a multiple of {}",
        size_of::<*const u8>()
    );
    align_with(alignment, size, &[])
}

/// `shmem_malloc_with_hints`.
pub(crate) fn malloc_with_hints(size: usize, hints: c_long) -> *mut c_void {
    let known = [(1, Hint::AtomicsRemote), (2, Hint::SignalRemote)];
    assert!(hints & !3 == 0, "`hints` is {hints:#x}, and has a bit that is no hint");
    let hints: Vec<Hint> = known.iter().filter(|(bit, _)| hints & bit != 0).map(|(_, hint)| *hint).collect();
    align_with(ALIGN, size, &hints)
}

fn align_with(alignment: usize, size: usize, hints: &[Hint]) -> *mut c_void {
    let member = member();
    if size == 0 {
        return ptr::null_mut();
    }
    hand_out(member, member.claim(size, alignment, hints))
}

/// `shmem_calloc`.
pub(crate) fn calloc(count: usize, size: usize) -> *mut c_void {
    let member = member();
    match count.checked_mul(size) {
        Some(0) | None => ptr::null_mut(),
        Some(bytes) => hand_out(member, member.claim_zeros(bytes, ALIGN)),
    }
}

/// The memory at `address`, which was allocated.
#[track_caller]
fn taken(member: &Member, address: *const u8) -> HeapMemory {
    let offset = offset(member, address, "ptr");
    match claimed().remove(&offset) {
        Some(memory) => memory,
        None => {
            panic!("`ptr` is at {address:p}, which is not the start of allocated memory, or is free already")
        }
    }
}

/// `shmem_free`.
pub(crate) fn free(address: *const u8) {
    let member = member();
    if !address.is_null()
        && let Err(error) = taken(member, address).release()
    {
        panic!("{error}");
    }
}

/// `shmem_realloc`.
pub(crate) fn realloc(old: *const u8, size: usize) -> *mut c_void {
    let member = member();
    if old.is_null() {
        return malloc(size);
    }
    if size == 0 {
        free(old);
        return ptr::null_mut();
    }
    let mut memory = taken(member, old);
    let resized = memory.resize(size);
    let offset = memory.offset();
    // Also after an error: then it is as it was.
    claimed().insert(offset, memory);
    match resized {
        Ok(()) => address(member, offset),
        Err(Error::HeapExhausted { .. } | Error::OutOfMemory { .. }) => ptr::null_mut(),
        Err(error) => panic!("{error}"),
    }
}
