//! The macros of the indexing language.
//!
//! Each hands its tokens and the name of this crate to the procedural macro that knows the grammar, so the
//! language works under any name that a user gives to the crate.

/// Reads, writes and updates elements of a symmetric object on any PE.
///
/// | written | means | OpenSHMEM |
/// |---|---|---|
/// | `remote!(A[pe, i])` | read one element | `shmem_g` |
/// | `remote!(A[pe, a..b;s])` | read a strided slice | `shmem_get`, `shmem_iget` |
/// | `remote!(A[pe, ..]) = src` | write: an array, a slice, a `Vec`, or one element for all places | `shmem_put`, `shmem_iput` |
/// | `remote!(C[pe, i]) += v`, `-=` `&=` `\|=` `^=` | atomic update of one [`Atomic`](crate::Atomic) cell | `shmem_atomic_add`, … |
/// | `remote!(&A[pe, sel])` | a [`Remote`](crate::Remote) reference: nothing moves | |
/// | `remote!(A[pe, sel] => &mut buf)` | read into a buffer, without allocating | `shmem_get`, `shmem_iget` |
/// | `remote!(A[pe, sel].field)` | a field of each element | `shmem_iget` |
/// | `remote!(A[pe, sel] = src)`, `remote!(C[pe] += 1)` | the operator inside: works in any function | |
/// | `remote!(ctx; A[pe, sel])`, and so for all forms | on a [`Context`](crate::Context), whose team numbers the PEs | `shmem_ctx_…` |
///
/// Assignment behind the parenthesis works in functions marked [`#[shmem::main]`](macro@crate::main),
/// [`#[shmem::kernel]`](macro@crate::kernel) or [`#[shmem::test]`](macro@crate::test); with the operator inside it works everywhere.
///
/// After the PE comes one selector for each axis: an index, `a..b`, `a..=b`, `a..`, `..b` or `..`, each range with an
/// optional `;step`. A scalar takes none: `remote!(COUNT[pe])`. An object that is not a simple path or field is written in parentheses: `remote!((grids[k])[pe, ..])`.
///
/// Bounds and steps of literals and constants (names in capitals, and arithmetic on them) are checked by the compiler on a static, and
/// the result of a read is an array, nested for more than one range. Otherwise they are checked at run time, and the result of a read is a
/// row-major `Vec`. A block, as in `{ N }`, makes a selector a run-time one: for the const parameters of generic functions.
///
/// An array result is returned by value: for large selections read into a buffer with `=>`.
///
/// Not collective. A read is complete when it returns. The source of a write may be reused when it returns, and other PEs see
/// what was written after a [`quiet`](crate::World::quiet) or barrier.
///
/// # Panics
///
/// When there is no such PE, when a selection is out of bounds, and when a slice has another length than the
/// selection. The message names the object, its extents, the PE and the selection.
///
/// # Examples
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static GRID: [[f64; 8]; 4] = [[0.0; 8]; 4];
/// #[symmetric]
/// static ARRIVED: Atomic<u64> = Atomic::new(0);
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     let right = (world.my_pe() + 1) % world.n_pes();
///     remote!(GRID[right, 0, ..]) = 1.0;                  // a row, from one value
///     remote!(GRID[right, 1..4, 7]) = [2.0, 3.0, 4.0];    // a column
///     remote!(ARRIVED[right]) += 1;
///     world.barrier_all();
///
///     let block: [[f64; 2]; 3] = remote!(GRID[right, 0..3, 6..8]);
///     assert_eq!(block, [[1.0, 1.0], [0.0, 2.0], [0.0, 3.0]]);
///     let from = world.my_pe();
///     let part: Vec<f64> = remote!(GRID[right, 0, from..]);
///     assert_eq!(part.len(), 8 - from);
///     assert_eq!(remote!(ARRIVED[right]), 1);
/// }
/// ```
#[macro_export]
macro_rules! remote {
    ($($tokens:tt)*) => {
        $crate::__private::remote! { $crate; $($tokens)* }
    };
}

/// Reads and writes elements of this PE's own copy of a symmetric object, by value.
///
/// The same as [`remote!`](crate::remote!) without the PE: `local!(A[1..4])`, `local!(A[i]) = v`, `local!(&A[..])`; a scalar is
/// `local!(COUNT)`. By value, because other PEs may write to the same elements at any time.
///
/// # Panics
///
/// As [`remote!`](crate::remote!).
///
/// # Examples
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static A: [u32; 8] = [7; 8];
/// #[symmetric]
/// static COUNT: Atomic<i64> = Atomic::new(-1);
///
/// #[shmem::main(npes = 2)]
/// fn main() {
///     local!(A[0..8;2]) = [1, 2, 3, 4];
///     assert_eq!(local!(A[..]), [1, 7, 2, 7, 3, 7, 4, 7]);
///     local!(COUNT) += 5;
///     assert_eq!(local!(COUNT), 4);
/// }
/// ```
#[macro_export]
macro_rules! local {
    ($($tokens:tt)*) => {
        $crate::__private::local! { $crate; $($tokens)* }
    };
}

/// Reduces one value from each PE to one that all PEs get: `collective!(sum x)`. Collective.
///
/// The operations are `sum`, `prod`, `min` and `max`, of integers and floats, and `and`, `or` and `xor` of integers
/// (`shmem_sum_reduce`, …). Integers wrap around. The values are joined in the order of the PEs, so that every PE gets the same bits.
/// It returns when every PE has given its value.
///
/// # Panics
///
/// When the PEs are in different reductions; the message names both.
///
/// # Examples
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 3)]
/// fn main(world: &World) {
///     let mine = world.my_pe() as f64;
///     assert_eq!(collective!(sum mine), 3.0);
///     assert_eq!(collective!(max mine * 2.0), 4.0);
/// }
/// ```
#[macro_export]
macro_rules! collective {
    ($($tokens:tt)*) => {
        $crate::__private::collective! { $crate; $($tokens)* }
    };
}
