//! A program that calls the C library itself, with the handles of `shmem::raw`.

use shmem::context::{Private, Shared};
use shmem::prelude::*;
use shmem::raw::{AsRaw, sys};
use shmem::{Error, SymmetricArray};

use crate::harness::say;

#[symmetric]
static INBOX: [[u16; 6]; 4] = [[0; 6]; 4];
#[symmetric]
static HITS: [Atomic<u64>; 3] = [Atomic::new(0); 3];

/// Prints which handles there are, as the tests expect them.
#[shmem::main(npes = 3)]
pub(crate) fn mixed(world: &World) -> Result<(), Error> {
    let array = world.zeros::<f64, 1>([8])?;
    let ctx = world.team().context(Shared)?;
    let part = world.team().split_strided(0, 1, world.n_pes())?.expect("all are members");
    assert!(part.as_raw().is_none(), "the library has not made this team");
    let addresses =
        (local!(&INBOX[.., ..]).as_raw(), remote!(&array[0, ..]).as_raw(), local!(&HITS[2]).as_raw());
    match (ctx.as_raw(), addresses) {
        (Some(handle), (Some(inbox), Some(array_at), Some(hits))) => {
            assert_eq!(world.team().as_raw().is_some(), sys::optional::SHMEM_TEAM_WORLD.is_some());
            addresses_are_symmetric(world, &array);
            // SAFETY: the addresses are those of the objects that the function uses them for.
            unsafe { calls_arrive(world, handle, inbox, array_at, hits, &array) };
            orders_of_this_crate_count(world)?;
            say(&format!("PE {} has called the library", world.my_pe()));
        }
        (None, (None, None, None)) => {
            assert!(world.team().as_raw().is_none());
            say(&format!("PE {} has no library", world.my_pe()));
        }
        (_, addresses) => panic!("some handles are there and some are not: {addresses:?}"),
    }
    Ok(())
}

/// The address is that of the element, and does not depend on the PE.
fn addresses_are_symmetric(world: &World, array: &SymmetricArray<f64, 1>) {
    let start = local!(&INBOX[0, 0]).as_raw().expect("there is a library").addr();
    for pe in 0..world.n_pes() {
        assert_eq!(remote!(&INBOX[pe, 0, 0]).as_raw().map(<*mut u16>::addr), Some(start));
        let element = remote!(&INBOX[pe, 2.., 1..4;2]).as_raw().map(<*mut u16>::addr);
        assert_eq!(element, Some(start + (2 * 6 + 1) * size_of::<u16>()));
        assert_eq!(remote!(&array[pe, 3]).as_raw(), local!(&array[3]).as_raw());
    }
}

/// What the library's routines put and add is what this crate reads, and the other way round.
///
/// # Safety
///
/// The addresses are those of `INBOX`, `array` and `HITS[2]`.
#[shmem::kernel]
unsafe fn calls_arrive(
    world: &World,
    ctx: sys::shmem_ctx_t,
    inbox: *mut u16,
    array_at: *mut f64,
    hits: *mut u64,
    array: &SymmetricArray<f64, 1>,
) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (right, left) = ((me + 1) % n, (me + n - 1) % n);
    let (row, values) = ([me as u16 + 1; 6], [me as f64, 0.5, -1.0]);
    // SAFETY: the contexts live, the rows and elements are inside of the objects, and no PE accesses
    // them before the next barrier.
    unsafe {
        sys::shmem_ctx_putmem(
            ctx,
            inbox.add(2 * 6).cast(),
            row.as_ptr().cast(),
            size_of_val(&row),
            right as i32,
        );
        sys::shmem_ctx_quiet(ctx);
        sys::shmem_putmem(array_at.add(4).cast(), values.as_ptr().cast(), size_of_val(&values), right as i32);
        for pe in 0..n {
            sys::shmem_ulonglong_atomic_add(hits.cast(), me as u64 + 1, pe as i32);
        }
    }
    world.barrier_all(); // completes what was issued on the default context, also by C
    let mut expected = [[0; 6]; 4];
    expected[2] = [left as u16 + 1; 6];
    assert_eq!(local!(INBOX[.., ..]), expected);
    assert_eq!(local!(array[2..8]), [0.0, 0.0, left as f64, 0.5, -1.0, 0.0]);
    assert_eq!(local!(HITS[..]), [0, 0, (n * (n + 1) / 2) as u64]);
    world.sync_all();

    remote!(INBOX[right, 0, ..]) = [me as u16 + 10; 6];
    remote!(HITS[right, 2]) = 7;
    world.barrier_all();
    let mut read = [0_u16; 6];
    // SAFETY: as above; the buffer has the size of a row.
    let seen = unsafe {
        sys::shmem_ctx_getmem(ctx, read.as_mut_ptr().cast(), inbox.cast(), size_of_val(&read), right as i32);
        sys::shmem_ulonglong_atomic_fetch(hits.cast(), right as i32)
    };
    assert_eq!((read, seen), ([me as u16 + 10; 6], 7));
    world.barrier_all();
}

/// This crate's `quiet` of a context, and a barrier, complete what the library was called for.
#[shmem::kernel]
fn orders_of_this_crate_count(world: &World) -> Result<(), Error> {
    let right = (world.my_pe() + 1) % world.n_pes();
    // ANCHOR: handles
    let ctx = world.team().context(Private)?;
    let values = [1_u16, 2, 3, 4, 5, 6];
    if let (Some(handle), Some(row)) = (ctx.as_raw(), local!(&INBOX[3, ..]).as_raw()) {
        // SAFETY: the context and the static are alive, the row has room for the values, which stay
        // as they are until the quiet, and no other PE accesses it before the barrier.
        unsafe {
            let len = size_of_val(&values);
            sys::shmem_ctx_putmem_nbi(handle, row.cast(), values.as_ptr().cast(), len, right as i32);
        }
    } else {
        remote!(ctx; INBOX[right, 3, ..]) = values; // the job has no C library
    }
    ctx.quiet();
    // ANCHOR_END: handles
    world.barrier_all();
    assert_eq!(local!(INBOX[3, ..]), values);
    Ok(())
}
