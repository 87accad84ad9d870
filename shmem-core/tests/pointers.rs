//! Addresses of elements: that they are those of the elements, on every PE.

use std::sync::atomic::{AtomicU32, Ordering};

use shmem::context::Private;
use shmem::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Body {
    mass: f64,
    place: [f32; 2],
}

#[symmetric]
static GRID: [[u16; 6]; 4] = [[0; 6]; 4];
#[symmetric]
static BODIES: [Body; 3] = [Body { mass: 0.0, place: [0.0; 2] }; 3];
#[symmetric]
static COUNTS: [Atomic<u32>; 5] = [Atomic::new(0); 5];

/// Whether this run reaches its peers by loads and stores.
fn is_direct() -> bool {
    let is = |variable, value: &str| std::env::var_os(variable).is_some_and(|found| found == value);
    !is("SHMEM_DIRECT", "0") && !is("SHMEM_STATS", "1")
}

/// What is stored at an address is read by an operation, and the other way round.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn an_address_is_that_of_the_element(world: &World) {
    let n = world.n_pes();
    let me = world.my_pe();
    let right = (me + 1) % n;
    let array = world.zeros::<u64, 1>([n]).unwrap();
    let grid = remote!(&GRID[right, 1.., 2..6;3]).as_ptr();
    assert_eq!(grid.is_some(), is_direct());
    let (Some(grid), Some(count), Some(body), Some(own), Some(slot)) = (
        grid,
        // On one host the processors update cells, also over a C library.
        remote!(&COUNTS[right, 3]).as_ptr(),
        remote!(&BODIES[right, 1].place).as_ptr(),
        local!(&GRID[3, 5]).as_ptr(),
        remote!(&array[right, me..]).as_ptr(),
    ) else {
        assert!(!is_direct());
        return;
    };
    // SAFETY: the elements are live and mapped, and no other PE accesses those before the barrier.
    unsafe {
        grid.write_volatile(me as u16 + 1);
        // The next of the selection, and the first of the next row.
        grid.add(3).write_volatile(me as u16 + 2);
        grid.add(6).write_volatile(me as u16 + 3);
        body.write_volatile([me as f32, 0.5]);
        slot.write_volatile(me as u64 + 9);
        own.write_volatile(7);
        AtomicU32::from_ptr(count).fetch_add(4, Ordering::AcqRel);
    }
    assert_eq!(remote!(GRID[right, 1..3, 2..6;3]), [[me as u16 + 1, me as u16 + 2], [me as u16 + 3, 0]]);
    assert_eq!(remote!(BODIES[right, 1]), Body { mass: 0.0, place: [me as f32, 0.5] });
    assert_eq!(remote!(COUNTS[right, ..]), [0, 0, 0, 4, 0]);
    assert_eq!(remote!(array[right, me]), me as u64 + 9);
    assert_eq!(local!(GRID[3, 5]), 7);
    remote!(COUNTS[right, 3]) += 1;
    // SAFETY: as above.
    assert_eq!(unsafe { AtomicU32::from_ptr(count) }.load(Ordering::Acquire), 5);
    world.barrier_all();
}

/// The same element has one address, however it is selected, and PEs have different ones.
#[shmem::test(npes = [1, 2, 3])]
fn one_element_one_address(world: &World) {
    let n = world.n_pes();
    let team = world.team().split_strided(n - 1, -1, n).unwrap().expect("all are members");
    let ctx = team.context(Private).unwrap();
    let mut seen = Vec::new();
    for pe in 0..n {
        let address = remote!(&GRID[pe, 2, 3]).as_ptr();
        assert_eq!(remote!(&GRID[pe, 2.., 3..]).as_ptr(), address);
        assert_eq!(remote!(ctx; &GRID[n - 1 - pe, 2, 3..5]).as_ptr(), address);
        let address = address.map(<*mut u16>::addr);
        assert!(address.is_none() || !seen.contains(&address));
        seen.push(address);
    }
    assert_eq!(local!(&GRID[0, 0]).as_ptr(), remote!(&GRID[world.my_pe(), 0, 0]).as_ptr());
}

#[shmem::test(npes = [1, 3])]
fn what_is_accessible(world: &World) {
    let n = world.n_pes();
    assert!((0..n).all(|pe| world.pe_accessible(pe) && remote!(&COUNTS[pe, 1..]).is_accessible()));
    for pe in [n, n + 1, usize::MAX] {
        assert!(!world.pe_accessible(pe));
        assert!(!remote!(&COUNTS[pe, 0]).is_accessible());
    }
}

#[shmem::test(npes = 2)]
#[should_panic(expected = "there is no PE 2: the job has 2 PEs (0 to 1)")]
fn no_such_pe() {
    let _ = remote!(&COUNTS[2, 0]).as_ptr();
}
