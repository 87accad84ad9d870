// Macros of the user that write statics, structs, functions and calls.
use shmem::prelude::*;

macro_rules! statics {
    ($($(#[$meta:meta])* $vis:vis $name:ident: $ty:ty = $init:expr;)*) => {$(
        #[shmem::symmetric]
        $(#[$meta])*
        $vis static $name: $ty = $init;
    )*};
}

macro_rules! arrays {
    ($($name:ident: [$element:ty; $length:expr];)*) => {$(
        #[symmetric]
        static $name: [$element; $length] = [0 as $element; $length];
    )*};
}

macro_rules! element {
    ($name:ident { $($field:ident: $ty:ty),* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
        #[repr(C)]
        struct $name {
            $($field: $ty),*
        }
    };
}

element!(Body { x: f64, y: f64 });

statics! {
    /// Documented.
    #[allow(dead_code)]
    pub(crate) GRID: [[i32; 4]; 2 + 1] = [[1; 4]; 3];
    BODIES: PerPe<[Body; 2]> = PerPe::new([Body { x: 1.0, y: 2.0 }; 2]);
    COUNT: Atomic<u64> = Atomic::new(5);
}

const LENGTH: usize = 6;

arrays! {
    ROW: [u16; 2 * LENGTH];
    COLUMN: [f32; LENGTH];
}

/// A static whose name the caller does not see.
macro_rules! counter {
    () => {{
        #[symmetric]
        static HIDDEN: Atomic<u64> = Atomic::new(0);
        local!(HIDDEN += 1);
        local!(HIDDEN)
    }};
}

macro_rules! get {
    ($object:ident, $pe:expr, $($selector:expr),*) => {
        remote!($object[$pe, $($selector),*])
    };
}

macro_rules! get_expression {
    ($object:expr, $pe:expr, $start:literal..$end:literal, $column:literal) => {
        remote!(($object)[$pe, $start..$end, $column])
    };
}

macro_rules! get_path {
    ($object:path, $pe:ident $($selectors:tt)*) => {
        remote!($object[$pe $($selectors)*])
    };
}

macro_rules! put {
    ($place:tt $($rest:tt)*) => {
        remote!($place $($rest)*)
    };
}

/// Writes a function that uses the outer form.
macro_rules! kernels {
    ($($name:ident => $object:ident $by:expr;)*) => {$(
        #[shmem::kernel]
        fn $name(pe: usize) {
            remote!($object[pe]) += $by;
        }
    )*};
}

kernels! {
    add_one => COUNT 1;
    add_two => COUNT 1 + 1;
}

macro_rules! index {
    ($n:expr) => {
        $n + 1
    };
}

#[shmem::main(npes = 2)]
fn main(world: &World) {
    let pe = (world.my_pe() + 1) % world.n_pes();
    assert_eq!(get!(GRID, pe, 1, 2), 1);
    assert_eq!(get!(GRID, pe, 1, 1..3), [1, 1]);
    assert_eq!(get!(GRID, pe, .., 1 + 1), [1; 3]);
    assert_eq!(get_expression!(GRID, pe, 0..2, 3), [1, 1]);
    assert_eq!(get_path!(crate::GRID, pe, .., 3), [1; 3]);
    assert_eq!((counter!(), counter!()), (1, 1));
    world.barrier_all();
    put!(GRID[pe, 2, ..] = 4);
    put!(GRID[pe, index!(0), index!(0)..index!(1) + 1] = vec![5, 6]);
    remote!(ROW[pe, LENGTH..]) = [7; LENGTH];
    remote!(COLUMN[pe, index!(2)]) = index!(2) as f32;
    remote!(BODIES[pe, 0, ..].y) = 3.0;
    add_one(pe);
    add_two(pe);
    world.barrier_all();
    assert_eq!(local!(GRID[.., ..]), [[1; 4], [1, 5, 6, 1], [4; 4]]);
    assert_eq!(local!(ROW[5..8]), [0, 7, 7]);
    assert_eq!(local!(COLUMN[3]), 3.0);
    assert_eq!(local!(BODIES[0, 1]), Body { x: 1.0, y: 3.0 });
    assert_eq!(local!(COUNT), 8);
}
