//! A crate that denies every warning, and documents every public item.
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    rust_2018_idioms,
    unreachable_pub,
    unused,
    unused_qualifications,
    unsafe_code,
    let_underscore_drop,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unused_lifetimes,
    unused_results
)]

use shmem::prelude::*;

/// A point.
#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
pub struct Point {
    /// Its distance from the left.
    pub x: f64,
    /// Its distance from the top.
    pub y: f64,
}

/// A documented static.
#[symmetric]
pub static CORNERS: [[Point; 2]; 2] = [[Point { x: 0.0, y: 1.0 }; 2]; 2];

/// An atomic one.
#[symmetric]
pub static COUNT: Atomic<i32> = Atomic::new(0);

#[symmetric]
static ROW: [u8; 9] = *b"symmetric";

/// A documented function.
#[shmem::kernel]
pub fn move_right(pe: usize, row: usize, by: f64) {
    remote!(CORNERS[pe, row, ..].x) = by;
    remote!(COUNT[pe]) += 1;
    local!(ROW[(row + 1)..]) = b'-';
    // In parentheses, which no fix of the compiler's may take away together with the place.
    let first = |letter| (local!(ROW[0]) = letter);
    first(b's');
    match row {
        1 => (remote!(COUNT[pe]) += 0),
        _ => (local!(ROW[1]) = b'y'),
    }
    let () = { remote!(COUNT[pe]) -= 0 };
}

#[shmem::main(npes = 2)]
fn main(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    move_right(right, 1, 2.0);
    world.barrier_all();
    let moved = Point { x: 2.0, y: 1.0 };
    assert_eq!(local!(CORNERS[1, (0)]), moved);
    assert_eq!(remote!(CORNERS[right, 1..2, 0..1]), [[moved]]);
    assert_eq!(local!(COUNT), 1);
    assert_eq!(&local!(ROW[..]), b"sy-------");
    assert_eq!(collective!(max world.my_pe()), world.n_pes() - 1);
}
