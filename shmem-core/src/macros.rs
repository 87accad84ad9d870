//! The macros of the indexing language.
//!
//! Each hands its tokens and the name of this crate to the procedural macro that knows the grammar.
//! So the language works under any name that a user gives to the crate.

/// Reads, writes and updates elements of a symmetric object on any PE.
///
/// | written | means | OpenSHMEM |
/// |---|---|---|
/// | `remote!(A[pe, i])` | read one element | `shmem_g` |
/// | `remote!(A[pe, a..b;s])` | read a strided slice | `shmem_get`, `shmem_iget` |
/// | `remote!(A[pe, a..b;-s])` | the same from the last index downwards | `shmem_get`, `shmem_iget` |
/// | `remote!(A[pe, [i, j]])`, `remote!(A[pe, @list])` | read the elements of a list of indices | `shmem_get_nbi`, … |
/// | `remote!(A[pe, ..]) = src` | write: an array, a slice, a `Vec`, or one element for all places | `shmem_put`, `shmem_iput` |
/// | `remote!(A[pe, sel]) = remote!(&B[p, sel])` | move from symmetric to symmetric memory | `shmem_put`, `shmem_get` |
/// | `remote!(C[pe, i]) += v`, `-=` `&=` `\|=` `^=` | atomic update of one [`Atomic`](crate::Atomic) cell | `shmem_atomic_add`, … |
/// | `remote!(&A[pe, sel])` | a [`Remote`](crate::Remote) reference: nothing moves | |
/// | `remote!(A[pe, sel] => &mut buf)` | read into a buffer, without allocating | `shmem_get`, `shmem_iget` |
/// | `remote!(A[pe, sel].field)` | a field of each element | `shmem_iget` |
/// | `remote!(A[pe, sel] = src)`, `remote!(C[pe] += 1)` | the operator inside: works in any function | |
/// | `remote!(ctx; A[pe, sel])`, and so for all forms | on a [`Context`](crate::context::Context), whose team numbers the PEs | `shmem_ctx_…` |
///
/// Assignment after the parenthesis works in functions marked
/// [`#[shmem::main]`](macro@crate::main), [`#[shmem::kernel]`](macro@crate::kernel) or
/// [`#[shmem::test]`](macro@crate::test). With the operator inside it works everywhere.
///
/// After the PE comes one selector for each axis: an index, `a..b`, `a..=b`, `a..`, `..b` or `..`,
/// or a range of `usize` in a variable, which is borrowed; each range with an optional `;step`, or
/// `;-step` for its indices from the last one downwards; or a list of indices, `[i, j, k]`, or `@list`
/// for a slice, an array or a `Vec` of `usize`, which is borrowed. Where a list has an index twice, the
/// last value that is written stays. A scalar takes no selector: `remote!(COUNT[pe])`. An object that is not a simple path or field is written
/// in parentheses: `remote!((grids[k])[pe, ..])`.
///
/// On a static, the compiler checks bounds, steps and lists that are literals or constants (names in
/// capitals, and arithmetic on them). A read then returns an array, nested for more than one range.
/// Other bounds and steps are checked at run time, and a read returns a row-major `Vec`. Braces, as
/// in `{ N }`, make a selector one of run time: for the const parameters of generic functions.
///
/// An array is returned by value, and the compiler refuses one of more than 64 KiB: read it into a
/// buffer with `=>`.
///
/// Not collective. A read is complete when it returns. The source of a write may be reused when the
/// write returns, and other PEs see what was written after a [`quiet`](crate::World::quiet) or
/// barrier.
///
/// # Panics
///
/// When there is no such PE, when a selection is out of bounds, and when a slice has another length
/// than the selection. The message names the object, its extents, the PE and the selection.
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
/// The same as [`remote!`](crate::remote!) without the PE: `local!(A[1..4])`, `local!(A[i]) = v`,
/// `local!(&A[..])`; a scalar is `local!(COUNT)`. Access is by value, because other PEs may write
/// to the same elements at any time; for slices see [`phase`](crate::phase). Not collective.
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

/// What all PEs of a team do together: reductions, scans, broadcasts, collections, exchanges,
/// barriers. Collective.
///
/// `DST` and `SRC` are objects in symmetric memory, with selections as in
/// [`local!`](crate::local!). Their lengths are equal, and the same on all PEs. `x` is a value and
/// `&values` a slice in private memory; the result is returned, by `collect` and `fcollect` as a
/// `Vec`.
///
#[doc = shmem_macros::collective_forms!()]
///
/// The last column counts the elements that one PE reads from and writes to the others. `n` is the
/// number of elements in its source, more than 4 KiB, and `p` the number of PEs; blocks are whole
/// cache lines. Shorter messages take another way, and a C library has its own.
///
/// Destination and source may be the same selection. The destination of `fcollect` is as long as
/// all sources together, that of `collect` as long or longer. `alltoall` with steps in the
/// selections is `shmem_alltoalls`. [`Team::alltoall_to_ready`](crate::Team::alltoall_to_ready)
/// says what `to ready` means.
///
/// Each may end with `; on team`, where `team` is a [`Team`](crate::Team) or a reference to one.
/// Then all PEs of the team make the call, and PEs are numbered as in the team, after `from` too.
/// Without it the team is the [world](crate::World::team).
///
/// `sum` and `prod` take integers, which wrap around, floats and complex numbers; `min` and `max`
/// take integers and floats; `and`, `or` and `xor` take integers. Values are combined in the order
/// of the PEs, so that every PE gets the same bits. The compiler compares lengths that are
/// constants. For a scan by another operation, call [`Team::scan`](crate::Team::scan).
///
/// # Panics
///
/// When lengths that are known at run time do not fit, and when a selection is out of bounds; the
/// message names the objects. In checked runs (`SHMEM_CHECK=1`, the default in debug builds), when
/// the PEs of the team do not make the same call; the message names both calls.
///
/// # Examples
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static MINE: [f64; 4] = [0.0; 4];
/// #[symmetric]
/// static TOTAL: [f64; 4] = [0.0; 4];
/// #[symmetric]
/// static TABLE: [f64; 6] = [0.0; 6];
///
/// #[shmem::main(npes = 3)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let me = world.my_pe() as f64;
///     assert_eq!(collective!(sum me), 3.0);
///     assert_eq!(collective!(max me * 2.0), 4.0);
///     assert_eq!(collective!(exscan 10), 10 * world.my_pe());
///     assert_eq!(collective!(fcollect world.my_pe()), [0, 1, 2]);
///
///     local!(MINE[..]) = [me, 1.0, -me, 0.5];
///     collective!(TOTAL[..] = sum MINE[..]);
///     assert_eq!(local!(TOTAL[..]), [3.0, 3.0, -3.0, 1.5]);
///     collective!(TABLE[..] = fcollect MINE[0..2]);
///     assert_eq!(local!(TABLE[..]), [0.0, 1.0, 1.0, 1.0, 2.0, 1.0]);
///     collective!(MINE[..] = broadcast TOTAL[..] from 2);
///     // With `to`, one PE gets the result: here PE 1.
///     let all = collective!(gather world.my_pe() to 1);
///     assert_eq!(all.is_some(), world.my_pe() == 1);
///
///     // The largest value and its PE; and by a function of one's own, here the last even number.
///     assert_eq!(collective!(maxloc -me), (0.0, 0));
///     let last = collective!(reduce world.my_pe() with |a, b| if b % 2 == 0 { b } else { a });
///     assert_eq!(last, 2);
///
///     // PEs 2 and 0, in this order.
///     if let Some(even) = world.team().split_strided(2, -2, 2)? {
///         assert_eq!(collective!(broadcast me from 0; on even), 2.0);
///         collective!(barrier; on even);
///     }
///     Ok(())
/// }
/// ```
#[macro_export]
macro_rules! collective {
    ($($tokens:tt)*) => {
        $crate::__private::collective! { $crate; $($tokens)* }
    };
}

/// Waits until a comparison holds for [`Atomic`](crate::Atomic) cells of this PE:
/// `wait!(FLAG >= 3)`.
///
/// | written | returns | OpenSHMEM |
/// |---|---|---|
/// | `wait!(FLAG >= 3)`, `wait!(FLAGS[i] != 0)` | the value of the cell | `shmem_wait_until`, `shmem_signal_wait_until` |
/// | `wait!(all FLAGS[..] >= v)` | nothing, when the comparison holds for each cell | `shmem_wait_until_all` |
/// | `wait!(any FLAGS[a..b;s] != v)` | `Option<usize>`: the position of a cell for which it holds, `None` if there are no cells | `shmem_wait_until_any` |
/// | `wait!(some FLAGS[..] == v)` | `Vec<usize>`: the positions of all cells for which it holds, at least one if there are cells | `shmem_wait_until_some` |
///
/// The comparisons are `==`, `!=`, `<`, `<=`, `>` and `>=`, with the cell on the left. The place is
/// written as in [`local!`](crate::local!). With `all`, `any` and `some` the value is one for all
/// cells, or an array, a slice or a `Vec` with one for each (`shmem_wait_until_all_vector`, …).
/// After the value, `; except status` leaves out the cells whose entry in `status`, a list of
/// `bool`, is true. Positions are those in the selection, row-major, from 0 on.
///
/// After the wait, this PE sees what the other PE stored before it updated the cell. A long wait
/// sleeps between its looks at the cells, unless transfers need this process to make progress, as
/// those of some C libraries do.
///
/// [`poll!`](crate::poll!) is the same without waiting. Both call methods of
/// [`Remote`](crate::Remote), such as [`wait_until`](crate::Remote::wait_until) and
/// [`wait_until_any`](crate::Remote::wait_until_any). These also take cells of other PEs, as in
/// `remote!(&FLAG[pe]).wait_until(Comparison::Ge, 3)`.
///
/// Not collective.
///
/// # Panics
///
/// When a selection is out of bounds, and when a list of values or a status has another length than
/// the selection.
///
/// # Examples
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static READY: Atomic<u64> = Atomic::new(0);
/// #[symmetric]
/// static MAIL: PerPe<Atomic<i64>> = PerPe::new(Atomic::new(0));
///
/// #[shmem::main(npes = 3)]
/// fn main(world: &World) {
///     let right = (world.my_pe() + 1) % world.n_pes();
///     remote!(READY[right]) += 5;
///     assert_eq!(wait!(READY != 0), 5);
///
///     for pe in 0..world.n_pes() {
///         remote!(MAIL[pe, world.my_pe()]) = -1;
///     }
///     let mut seen = vec![false; world.n_pes()];
///     while let Some(from) = wait!(any MAIL[..] < 0; except seen) {
///         seen[from] = true;
///     }
///     wait!(all MAIL[..] == -1);
/// }
/// ```
#[macro_export]
#[doc(alias = "shmem_wait_until")]
macro_rules! wait {
    ($($tokens:tt)*) => {
        $crate::__private::wait! { $crate; $($tokens)* }
    };
}

/// Returns whether a comparison holds for [`Atomic`](crate::Atomic) cells of this PE, without
/// waiting: `poll!(FLAG >= 3)`.
///
/// The grammar is that of [`wait!`](crate::wait!).
///
/// | written | returns | OpenSHMEM |
/// |---|---|---|
/// | `poll!(FLAG >= 3)` | `bool` | `shmem_test` |
/// | `poll!(all FLAGS[..] >= v)` | `bool`, true if there are no cells | `shmem_test_all` |
/// | `poll!(any FLAGS[..] != v)` | `Option<usize>`: the position of a cell for which it holds | `shmem_test_any` |
/// | `poll!(some FLAGS[..] == v)` | `Vec<usize>`: the positions of all cells for which it holds | `shmem_test_some` |
///
/// Where the comparison holds, this PE sees what the other PE stored before it updated the cell.
/// OpenSHMEM calls this a test. Here the name `test` belongs to
/// [`#[shmem::test]`](macro@crate::test), and a module can have only one macro of a name.
///
/// Not collective.
///
/// # Panics
///
/// As [`wait!`](crate::wait!).
///
/// # Examples
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static CELLS: [Atomic<i32>; 4] = [Atomic::new(0); 4];
///
/// #[shmem::main(npes = 2)]
/// fn main() {
///     assert!(poll!(all CELLS[..] == 0));
///     local!(CELLS[2]) += 7;
///     assert!(poll!(CELLS[2] > 6));
///     assert_eq!(poll!(any CELLS[1..] != 0), Some(1));
///     assert_eq!(poll!(some CELLS[..] < [1, 0, 8, 1]), [0, 2, 3]);
///     assert_eq!(poll!(any CELLS[..] != 0; except [false, false, true, false]), None);
/// }
/// ```
#[macro_export]
#[doc(alias = "shmem_test")]
macro_rules! poll {
    ($($tokens:tt)*) => {
        $crate::__private::poll! { $crate; $($tokens)* }
    };
}
