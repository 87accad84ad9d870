//! Collectives on teams. They are those of the language, on selections of this PE's own memory. What
//! moves has no type in C: a move of elements of 8 bytes is one of `u64`.
//!
//! In C the program sees to it that `dest` is ready on all PEs before any PE calls: the specification
//! says so of each collective, and leaves undefined what happens otherwise. So where all PEs write
//! to each other, a call does not begin with a synchronisation, as that of the language does.

use std::ffi::c_int;

use shmem::reduction::{ReducedBy, Sum};
use shmem::untyped::{Many, Member, ObjectInfo, near};
use shmem::{Remote, Symmetric, Team};

use crate::debug;
use crate::handles::{Handle, INVALID, WORLD};
use crate::job::{member, offset};
use crate::teams;

static DEST: ObjectInfo = ObjectInfo::new("dest", "", "", 0, 0, "");
static SOURCE: ObjectInfo = ObjectInfo::new("source", "", "", 0, 0, "");

/// `shmem_barrier_all`.
pub(crate) fn barrier_all() {
    member().world().barrier_all();
}

/// `shmem_sync_all`.
pub(crate) fn sync_all() {
    member().world().sync_all();
}

/// `shmem_team_sync`.
pub(crate) fn team_sync(team: Handle) -> c_int {
    on(team, |_, team| team.sync())
}

/// Calls `act` with the team; the result of the routine.
#[track_caller]
fn on(team: Handle, act: impl FnOnce(&Member, &Team)) -> c_int {
    if team == INVALID {
        return -1;
    }
    teams::with(team, act);
    0
}

/// `count` elements of this PE, `stride` elements apart, at `address`.
///
/// # Safety
///
/// They are in symmetric memory that the program has.
#[track_caller]
unsafe fn own<T: Symmetric>(
    member: &Member,
    address: *const T,
    count: usize,
    stride: usize,
    info: &'static ObjectInfo,
    what: &str,
) -> Remote<'static, T, Many> {
    let offset = offset(member, address.cast(), what);
    let bytes = stride.checked_mul(size_of::<T>()).expect("a stride is a number of bytes");
    debug::whole(address.cast(), extent::<T>(count, stride), what);
    // SAFETY: the caller's promise.
    unsafe { member.elements(offset, count, bytes, info) }
}

/// How many bytes `count` elements take, `stride` elements apart.
fn extent<T>(count: usize, stride: usize) -> usize {
    let steps = count.saturating_sub(1).saturating_mul(stride);
    if count == 0 { 0 } else { (steps + 1).saturating_mul(size_of::<T>()) }
}

/// The two arguments of a collective are apart, or equal if they may be.
#[track_caller]
fn apart<T>(dest: (*mut T, usize), source: (*const T, usize), or_equal: bool) {
    debug::apart(
        (dest.0.cast_const().cast(), dest.1, "dest"),
        (source.0.cast(), source.1, "source"),
        or_equal,
    );
}

/// Calls a function with elements of `$elem` bytes, at `$dest` and `$source`.
macro_rules! by_size {
    ($elem:expr, $dest:ident, $source:ident, $nelems:ident => $call:expr) => {{
        macro_rules! of {
            ($ty:ty) => {{
                let ($dest, $source) = ($dest.cast::<$ty>(), $source.cast::<$ty>());
                $call
            }};
        }
        match $elem {
            1 => of!(u8),
            2 => of!(u16),
            4 => of!(u32),
            8 => of!(u64),
            16 => of!([u64; 2]),
            other => unreachable!("no type of C has {other} bytes"),
        }
    }};
}

/// What a broadcast does with `dest` on the root.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnRoot {
    Written,
    /// It is not written: another PE may do that meanwhile.
    Left,
}

/// `shmem_broadcast`.
#[inline(always)]
pub(crate) unsafe fn broadcast(
    team: Handle,
    dest: *mut u8,
    source: *const u8,
    nelems: usize,
    elem: usize,
    root: c_int,
    on_root: OnRoot,
) -> c_int {
    if team == WORLD {
        let (member, root) = (member(), root as usize);
        // A root that is negative is no PE.
        if root < member.team().n_pes()
            // SAFETY: the caller's promises.
            && unsafe { broadcast_bytes(member, member.team(), dest, source, (nelems, elem), root, on_root) }
        {
            return 0;
        }
    }
    // SAFETY: the caller's promises.
    unsafe { broadcast_otherwise(team, dest, source, (nelems, elem), root, on_root) }
}

/// The broadcasts that are not short ones of all PEs.
#[inline(never)]
unsafe fn broadcast_otherwise(
    team: Handle,
    dest: *mut u8,
    source: *const u8,
    (nelems, elem): (usize, usize),
    root: c_int,
    on_root: OnRoot,
) -> c_int {
    on(team, |member, team| {
        let Some(root) = usize::try_from(root).ok().filter(|root| *root < team.n_pes()) else {
            teams::no_such_pe(root, "PE_root", team.n_pes())
        };
        // SAFETY: the caller's promises.
        if unsafe { broadcast_bytes(member, team, dest, source, (nelems, elem), root, on_root) } {
            return;
        }
        // SAFETY: the caller's promises.
        by_size!(elem, dest, source, nelems => unsafe {
            let (to, from) = (own(member, dest, nelems, 1, &DEST, "dest"), own(member, source, nelems, 1, &SOURCE, "source"));
            let len = nelems * elem;
            apart((dest, len), (source, len), true);
            match on_root {
                OnRoot::Written => team.broadcast(to, from, root),
                OnRoot::Left => member.broadcast_to_others(team, to, from, root),
            }
        });
    })
}

/// The short way of a broadcast; false, with nothing done, where there is none.
///
/// # Safety
///
/// As [`broadcast`].
#[inline(always)]
#[track_caller]
unsafe fn broadcast_bytes(
    member: &Member,
    team: &Team,
    dest: *mut u8,
    source: *const u8,
    (nelems, elem): (usize, usize),
    root: usize,
    on_root: OnRoot,
) -> bool {
    let me = member.my_pe();
    // What is not aligned gets its message on the long way. Sizes are powers of two, and a mask takes
    // less time than a division.
    if (dest.addr() | source.addr()) & (elem - 1) == 0
        && let Some(len) = nelems.checked_mul(elem)
        && let Some(to) = near(me, dest, len)
        && let Some(from) = near(me, source, len)
    {
        // SAFETY: `near` has found both places in this PE's symmetric memory; the rest is the caller's
        // promise.
        return unsafe {
            member.broadcast_bytes(team, to.as_ptr(), from.as_ptr(), len, root, on_root == OnRoot::Written)
        };
    }
    false
}

/// `shmem_collect`: any number of elements on each PE.
pub(crate) unsafe fn collect(
    team: Handle,
    dest: *mut u8,
    source: *const u8,
    nelems: usize,
    elem: usize,
) -> c_int {
    on(team, |member, team| {
        // SAFETY: the caller's promises: there is room for the elements of all PEs.
        by_size!(elem, dest, source, nelems => unsafe {
            // Of no elements, the place does not matter.
            let source = if nelems == 0 { dest.cast_const() } else { source };
            let to = |all: usize| {
                apart((dest, all * elem), (source, nelems * elem), false);
                own(member, dest, all, 1, &DEST, "dest")
            };
            member.collect_apart(team, to, own(member, source, nelems, 1, &SOURCE, "source"));
        });
    })
}

/// `shmem_fcollect`.
pub(crate) unsafe fn fcollect(
    team: Handle,
    dest: *mut u8,
    source: *const u8,
    nelems: usize,
    elem: usize,
) -> c_int {
    on(team, |member, team| {
        let all = nelems.checked_mul(team.n_pes()).expect("all elements are in memory");
        // SAFETY: the caller's promises.
        by_size!(elem, dest, source, nelems => unsafe {
            apart((dest, all * elem), (source, nelems * elem), false);
            team.fcollect_to_ready(own(member, dest, all, 1, &DEST, "dest"), own(member, source, nelems, 1, &SOURCE, "source"));
        });
    })
}

/// `shmem_alltoall`.
pub(crate) unsafe fn alltoall(
    team: Handle,
    dest: *mut u8,
    source: *const u8,
    nelems: usize,
    elem: usize,
) -> c_int {
    // SAFETY: the caller's promises.
    unsafe { alltoalls(team, dest, source, (1, 1), nelems, elem) }
}

/// `shmem_alltoalls`.
pub(crate) unsafe fn alltoalls(
    team: Handle,
    dest: *mut u8,
    source: *const u8,
    (dst, sst): (isize, isize),
    nelems: usize,
    elem: usize,
) -> c_int {
    on(team, |member, team| {
        let stride = |stride: isize, what: &str| match usize::try_from(stride) {
            Ok(elements) if elements > 0 => elements,
            _ => panic!("`{what}` is {stride}, and must be at least 1"),
        };
        let (dst, sst) = (stride(dst, "dst"), stride(sst, "sst"));
        let all = nelems.checked_mul(team.n_pes()).expect("all elements are in memory");
        // SAFETY: the caller's promises.
        by_size!(elem, dest, source, nelems => unsafe {
            apart((dest, extent::<u8>(all, dst) * elem), (source, extent::<u8>(all, sst) * elem), false);
            team.alltoall_to_ready(own(member, dest, all, dst, &DEST, "dest"), own(member, source, all, sst, &SOURCE, "source"));
        });
    })
}

/// `shmem_sum_reduce` and its like.
pub(crate) unsafe fn reduce<O, T: ReducedBy<O>>(
    operation: O,
    team: Handle,
    dest: *mut T,
    source: *const T,
    nreduce: usize,
) -> c_int {
    on(team, |member, team| {
        // SAFETY: the caller's promises.
        let (to, from) = unsafe {
            (own(member, dest, nreduce, 1, &DEST, "dest"), own(member, source, nreduce, 1, &SOURCE, "source"))
        };
        apart((dest, nreduce * size_of::<T>()), (source, nreduce * size_of::<T>()), true);
        team.reduce(operation, to, from);
    })
}

/// `shmem_sum_inscan` and `shmem_sum_exscan`.
pub(crate) unsafe fn sum_scan<T: ReducedBy<Sum>>(
    team: Handle,
    dest: *mut T,
    source: *const T,
    nelems: usize,
    is_inclusive: bool,
) -> c_int {
    on(team, |member, team| {
        // SAFETY: the caller's promises.
        let (to, from) = unsafe {
            (own(member, dest, nelems, 1, &DEST, "dest"), own(member, source, nelems, 1, &SOURCE, "source"))
        };
        apart((dest, nelems * size_of::<T>()), (source, nelems * size_of::<T>()), true);
        if is_inclusive { team.scan(Sum, to, from) } else { team.exscan(to, from) }
    })
}
