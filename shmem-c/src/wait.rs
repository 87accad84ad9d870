//! Waiting for cells of this PE, and testing them.

use std::ffi::c_int;

use shmem::untyped::{Many, ObjectInfo};
use shmem::{Atomic, AtomicInteger, Comparison, Remote};

use crate::debug;
use crate::job::{member, offset};

/// The name of the cells in messages.
static CELLS: ObjectInfo = ObjectInfo::new("ivars", "", "", 0, 0, "");
static CELL: ObjectInfo = ObjectInfo::new("ivar", "", "", 0, 0, "");

/// What cells are compared with.
pub(crate) enum Values<T> {
    /// One value for all.
    One(T),
    /// One for each.
    Each(*const T),
}

/// The cells of a call, their number, and which of them are left out.
type Cells<T> = (*mut T, usize, *const c_int);

#[track_caller]
fn comparison(cmp: c_int) -> Comparison {
    match cmp {
        0 => Comparison::Eq,
        1 => Comparison::Ne,
        2 => Comparison::Gt,
        3 => Comparison::Le,
        4 => Comparison::Lt,
        5 => Comparison::Ge,
        _ => panic!("`cmp` is {cmp}, and must be one of SHMEM_CMP_EQ, NE, GT, LE, LT and GE"),
    }
}

/// `shmem_wait_until` and `shmem_signal_wait_until`: the value that ended the wait.
pub(crate) unsafe fn until<T: AtomicInteger + PartialOrd>(ivar: *mut T, cmp: c_int, value: T) -> T {
    let (member, cmp) = (member(), comparison(cmp));
    let offset = offset(member, ivar.cast(), "ivar");
    debug::whole(ivar.cast(), size_of::<T>(), "ivar");
    // SAFETY: the caller's promise.
    unsafe { member.cell::<T>(offset, &CELL) }.wait_until(cmp, value)
}

/// `shmem_test`.
pub(crate) unsafe fn test<T: AtomicInteger + PartialOrd>(ivar: *mut T, cmp: c_int, value: T) -> c_int {
    let (member, cmp) = (member(), comparison(cmp));
    let offset = offset(member, ivar.cast(), "ivar");
    debug::whole(ivar.cast(), size_of::<T>(), "ivar");
    // SAFETY: the caller's promise.
    unsafe { member.cell::<T>(offset, &CELL) }.test(cmp, value).into()
}

/// Calls `act` with the cells that are not left out: as a selection, as which are left out, with the
/// comparison and with the value of each.
///
/// # Safety
///
/// As the routine asks.
#[track_caller]
unsafe fn with<T: AtomicInteger + PartialOrd, R>(
    (ivars, count, status): Cells<T>,
    (cmp, values): (c_int, Values<T>),
    act: impl FnOnce(Remote<'static, Atomic<T>, Many>, &[bool], Comparison, &[T]) -> R,
) -> R {
    let (member, cmp) = (member(), comparison(cmp));
    let offset = offset(member, ivars.cast(), "ivars");
    debug::whole(ivars.cast(), count.saturating_mul(size_of::<T>()), "ivars");
    let values = match values {
        Values::One(value) => vec![value; count],
        // SAFETY: the caller's promise: there are so many.
        Values::Each(values) => (0..count).map(|i| unsafe { values.add(i).read() }).collect(),
    };
    // SAFETY: likewise, if there are any.
    let is_out = |i| !status.is_null() && unsafe { status.add(i).read() } != 0;
    let status: Vec<bool> = (0..count).map(is_out).collect();
    // SAFETY: the caller's promise.
    let cells = unsafe { member.cells::<T>(offset, count, &CELLS) };
    act(cells, &status, cmp, &values)
}

/// `shmem_wait_until_all`.
pub(crate) unsafe fn wait_all<T: AtomicInteger + PartialOrd>(cells: Cells<T>, condition: (c_int, Values<T>)) {
    if cells.1 > 0 {
        // SAFETY: the caller's promises.
        unsafe {
            with(cells, condition, |cells, out, cmp, values| cells.except(out).wait_until_all(cmp, values))
        }
    }
}

/// `shmem_test_all`.
pub(crate) unsafe fn test_all<T: AtomicInteger + PartialOrd>(
    cells: Cells<T>,
    condition: (c_int, Values<T>),
) -> c_int {
    // SAFETY: the caller's promises.
    let all = || unsafe {
        with(cells, condition, |cells, out, cmp, values| cells.except(out).test_all(cmp, values))
    };
    (cells.1 == 0 || all()).into()
}

/// `shmem_wait_until_any` and `shmem_test_any`.
pub(crate) unsafe fn any<T: AtomicInteger + PartialOrd>(
    cells: Cells<T>,
    condition: (c_int, Values<T>),
    waits: bool,
) -> usize {
    if cells.1 == 0 {
        return usize::MAX;
    }
    // SAFETY: the caller's promises.
    let found = unsafe {
        with(cells, condition, |cells, out, cmp, values| {
            let cells = cells.except(out);
            if waits { cells.wait_until_any(cmp, values) } else { cells.test_any(cmp, values) }
        })
    };
    found.unwrap_or(usize::MAX)
}

/// `shmem_wait_until_some` and `shmem_test_some`.
pub(crate) unsafe fn some<T: AtomicInteger + PartialOrd>(
    cells: Cells<T>,
    indices: *mut usize,
    condition: (c_int, Values<T>),
    waits: bool,
) -> usize {
    if cells.1 == 0 {
        return 0;
    }
    // SAFETY: the caller's promises.
    let found = unsafe {
        with(cells, condition, |cells, out, cmp, values| {
            let cells = cells.except(out);
            if waits { cells.wait_until_some(cmp, values) } else { cells.test_some(cmp, values) }
        })
    };
    for (i, index) in found.iter().enumerate() {
        // SAFETY: the caller has room for as many as there are cells.
        unsafe { indices.add(i).write(*index) };
    }
    found.len()
}
