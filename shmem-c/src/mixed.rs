//! What the Rust files of a program need whose other files are in C: one process, one runtime.

use shmem::untyped::{Many, ObjectInfo};
use shmem::{Remote, Symmetric, World};

use crate::job;

static ELEMENTS: ObjectInfo = ObjectInfo::new("symmetric memory of C", "", "", 0, 0, "");

/// The job that `shmem_init` has joined; `None` before it and after `shmem_finalize`.
///
/// With it all of the language is there, and `#[symmetric]` statics, which C reaches by the address that
/// [`Remote::as_ptr`] of this PE's own copy gives.
#[must_use]
pub fn world() -> Option<World> {
    job::find().map(shmem::untyped::Member::world)
}

/// The `count` elements that C has at `address`, on PE `pe`: memory of `shmem_malloc` and its like, or a
/// global or static variable.
///
/// The example `mixed` of this package is the Rust part of a program.
///
/// # Safety
///
/// The elements are in symmetric memory that the program has, and hold values of the type, as long as
/// the result is used.
///
/// # Panics
///
/// When the library is not initialised, when the address is not symmetric, and when it is not aligned.
#[must_use]
#[track_caller]
pub unsafe fn symmetric<T: Symmetric>(
    address: *const T,
    count: usize,
    pe: usize,
) -> Remote<'static, T, Many> {
    let member = job::member();
    let offset = job::offset(member, address.cast(), "address");
    // SAFETY: the caller's promise.
    unsafe { member.elements_on(pe, offset, count, size_of::<T>(), &ELEMENTS) }
}
