//! Calls one routine of the C library many times: `count-c-instructions ROUTINE TURNS`.
//! `tests/instructions.rs` counts the instructions.

use std::ffi::{c_int, c_long, c_void};
use std::hint::black_box;
use std::process::ExitCode;

// For its entry points, as C calls them.
use shmem_c as _;

unsafe extern "C" {
    fn pshmem_init();
    fn pshmem_finalize();
    fn pshmem_my_pe() -> c_int;
    fn pshmem_malloc(size: usize) -> *mut c_void;
    fn pshmem_long_p(dest: *mut c_long, value: c_long, pe: c_int);
    fn pshmem_long_g(source: *const c_long, pe: c_int) -> c_long;
    fn pshmem_long_put(dest: *mut c_long, source: *const c_long, count: usize, pe: c_int);
    fn pshmem_long_atomic_inc(dest: *mut c_long, pe: c_int);
}

const WORDS: usize = 1024;

/// `shmem_long_p`.
#[inline(never)]
fn long_p(to: *mut c_long, pe: c_int, turns: usize) {
    for i in 0..turns {
        // SAFETY: the words are symmetric memory.
        unsafe { pshmem_long_p(to.add(i % WORDS), i as c_long, pe) };
    }
}

/// `shmem_long_g`.
#[inline(never)]
fn long_g(from: *const c_long, pe: c_int, turns: usize) -> c_long {
    // SAFETY: as in `long_p`.
    (0..turns).map(|i| unsafe { pshmem_long_g(from.add(i % WORDS), pe) }).sum()
}

/// `shmem_long_put` of one word.
#[inline(never)]
fn long_put(to: *mut c_long, pe: c_int, turns: usize) {
    for i in 0..turns {
        let value = i as c_long;
        // SAFETY: as in `long_p`, and a value of this function.
        unsafe { pshmem_long_put(to.add(i % WORDS), &raw const value, 1, pe) };
    }
}

/// `shmem_long_atomic_inc`.
#[inline(never)]
fn long_inc(to: *mut c_long, pe: c_int, turns: usize) {
    for i in 0..turns {
        // SAFETY: as in `long_p`.
        unsafe { pshmem_long_atomic_inc(to.add(i % WORDS), pe) };
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(Ok(n))) = (arguments.next(), arguments.next().map(|turns| turns.parse())) else {
        eprintln!("usage: count-c-instructions ROUTINE TURNS");
        return ExitCode::FAILURE;
    };
    // SAFETY: initialised first, and finalised last; the memory has so many words.
    unsafe {
        pshmem_init();
        let words = pshmem_malloc(WORDS * size_of::<c_long>()).cast::<c_long>();
        // The PE is this one, but the loop does not know that.
        let pe = black_box(pshmem_my_pe());
        match name.as_str() {
            "long_p" => long_p(words, pe, n),
            "long_g" => _ = black_box(long_g(words, pe, n)),
            "long_put" => long_put(words, pe, n),
            "long_inc" => long_inc(words, pe, n),
            _ => {
                eprintln!("count-c-instructions: there is no routine {name}");
                return ExitCode::FAILURE;
            }
        }
        pshmem_finalize();
    }
    ExitCode::SUCCESS
}
