//! What is checked with `SHMEM_DEBUG=1` alone, because it takes time: every transfer goes the long way
//! then, on which these are called.

use std::sync::atomic::{AtomicBool, Ordering};

use shmem::untyped;

use crate::job::member;
use crate::{globals, memory};

static IS_ON: AtomicBool = AtomicBool::new(false);

/// Reads the variable.
pub(crate) fn begin() {
    let is_on = std::env::var_os("SHMEM_DEBUG").is_some_and(|value| !value.is_empty() && value != "0");
    IS_ON.store(is_on, Ordering::Relaxed);
    if is_on {
        untyped::refuse_near();
    }
}

/// Whether these checks are made.
#[inline(always)]
pub(crate) fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// The `len` bytes of `what` at `address` lie in one piece of memory that the program has.
///
/// # Panics
///
/// When they do not.
#[track_caller]
pub(crate) fn whole(address: *const u8, len: usize, what: &str) {
    if len == 0 || !is_on() {
        return;
    }
    let member = member();
    let Some(offset) = member.offset_of(address) else { return };
    // How many bytes there are from the address on, and in what.
    let global = || Some((globals::end(address)? - address.addr(), "segment of global variables"));
    let allocation = || Some((memory::end(offset)? - offset, "allocation"));
    // What the Rust files of the program have.
    let of_rust = || {
        let place = member.object_around(offset).filter(|place| !memory::is_start(place.start))?;
        Some((place.end - offset, "symmetric object of Rust"))
    };
    match global().or_else(allocation).or_else(of_rust) {
        Some((room, _)) if len <= room => {}
        Some((room, whose)) => {
            panic!(
                "`{what}` has {len} bytes at {address:p}, and its {whose} ends {room} bytes after that address"
            )
        }
        None => panic!("`{what}` is at {address:p}, in memory that is not allocated (any more)"),
    }
}

/// The memory of this PE alone, `what`, is there.
///
/// # Panics
///
/// When it is null.
#[track_caller]
pub(crate) fn private(address: *const u8, len: usize, what: &str) {
    assert!(len == 0 || !is_on() || !address.is_null(), "`{what}` is NULL, and has {len} bytes");
}

/// Two arguments of this PE do not overlap. If `or_equal` is set, they may be the same memory.
///
/// # Panics
///
/// When they do.
#[track_caller]
pub(crate) fn apart(
    (a, a_len, a_name): (*const u8, usize, &str),
    (b, b_len, b_name): (*const u8, usize, &str),
    or_equal: bool,
) {
    if !is_on() || a_len.min(b_len) == 0 || or_equal && a == b {
        return;
    }
    let (a, b) = (a.addr(), b.addr());
    assert!(
        a.saturating_add(a_len) <= b || b.saturating_add(b_len) <= a,
        "`{a_name}` ({a_len} bytes at {a:#x}) and `{b_name}` ({b_len} bytes at {b:#x}) overlap{}",
        if or_equal { ", and must be the same or apart" } else { "" }
    );
}
