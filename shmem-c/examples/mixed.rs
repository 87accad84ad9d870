//! The files of the program `mixed.c` that are in Rust already.

use std::ffi::c_long;

use shmem::prelude::*;

/// A symmetric object of Rust.
#[symmetric]
static COUNTS: [Atomic<u64>; 4] = [const { Atomic::new(0) }; 4];

/// Counts a value on the PE that it belongs to.
#[unsafe(no_mangle)]
#[shmem::kernel]
extern "C" fn count_value(value: u64) {
    let world = shmem_c::world().expect("shmem_init was called");
    let pe = value as usize % world.n_pes();
    remote!(COUNTS[pe, value as usize % 4]) += 1;
}

/// Where C finds the counts: symmetric memory like any other.
#[unsafe(no_mangle)]
extern "C" fn counts() -> *mut u64 {
    local!(&COUNTS[..]).as_ptr().expect("this PE's own memory")
}

/// Copies the values of the next PE to `to`. Both are symmetric objects of C.
#[unsafe(no_mangle)]
extern "C" fn copy_from_next(to: *mut c_long, values: *const c_long, count: usize) {
    let world = shmem_c::world().expect("shmem_init was called");
    let (me, next) = (world.my_pe(), (world.my_pe() + 1) % world.n_pes());
    // SAFETY: C has `count` values at both places, and nobody writes to them now.
    let (to, values) =
        unsafe { (shmem_c::symmetric(to, count, me), shmem_c::symmetric(values, count, next)) };
    to.put(values.get());
}
