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
    fn pshmem_n_pes() -> c_int;
    fn pshmem_barrier_all();
    fn pshmem_malloc(size: usize) -> *mut c_void;
    fn pshmem_long_p(dest: *mut c_long, value: c_long, pe: c_int);
    fn pshmem_long_g(source: *const c_long, pe: c_int) -> c_long;
    fn pshmem_long_put(dest: *mut c_long, source: *const c_long, count: usize, pe: c_int);
    fn pshmem_long_atomic_inc(dest: *mut c_long, pe: c_int);
    fn pshmem_long_wait_until(cell: *mut c_long, comparison: c_int, value: c_long);
    fn pshmem_broadcastmem(
        team: usize,
        dest: *mut c_void,
        source: *const c_void,
        bytes: usize,
        root: c_int,
    ) -> c_int;
}

/// `SHMEM_TEAM_WORLD` and `SHMEM_CMP_EQ`, as `shmem.h` has them.
const TEAM_WORLD: usize = 0x1_0001;
const CMP_EQ: c_int = 0;

const WORDS: usize = 1024;
/// Fewer broadcasts than a root makes before the others have read the first one.
const AHEAD: usize = 40;

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

/// `shmem_broadcastmem` of one word of PE 0.
#[inline(never)]
fn broadcast(words: *mut c_long, turns: usize) {
    let (to, from) = (words.cast(), words.wrapping_add(8).cast());
    for _ in 0..turns {
        // SAFETY: as in `long_p`.
        unsafe { pshmem_broadcastmem(TEAM_WORLD, to, from, size_of::<c_long>(), 0) };
    }
}

/// [`broadcast`] on all PEs. The others come when PE 0 has sent everything, so no counted loop waits.
fn broadcast_ahead(words: *mut c_long, turns: usize) {
    let flag = words.wrapping_add(16);
    for done in (0..turns).step_by(AHEAD) {
        let sent = done as c_long + 1;
        // SAFETY: as in `long_p`; the flag is a cell that PE 0 alone writes.
        unsafe {
            if pshmem_my_pe() > 0 {
                pshmem_long_wait_until(flag, CMP_EQ, sent);
            }
            broadcast(words, AHEAD.min(turns - done));
            if pshmem_my_pe() == 0 {
                (1..pshmem_n_pes()).for_each(|pe| pshmem_long_p(flag, sent, pe));
            }
            pshmem_barrier_all();
        }
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
            "broadcast" => broadcast_ahead(words, n),
            _ => {
                eprintln!("count-c-instructions: there is no routine {name}");
                return ExitCode::FAILURE;
            }
        }
        pshmem_finalize();
    }
    ExitCode::SUCCESS
}
