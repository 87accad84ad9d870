//! Non-blocking operations, in a scope that completes them.
//!
//! The library uses the buffer of a non-blocking operation until a `quiet`. A scope borrows the
//! buffers of its operations. It ends with a `quiet`, also if a panic ends it. So the compiler
//! refuses any access to a buffer that is too early, and there is no request object that a program
//! could lose. After the scope, the buffers have the values that were read.
//!
//! On the embedded transport, an operation is complete when its call returns: a put is a store.
//! Over a C library, transfers overlap; [`Nbi`] says which. A program with scopes is correct on
//! both.

use std::marker::PhantomData;

use crate::context::{Context, Kind};
use crate::remote::{Mode, Remote, Source, Target};
use crate::runtime;
use crate::select::{FormOf, OnOnePe, One};
use crate::signal::SignalOp;
use crate::symmetric::{Atomic, AtomicBits, AtomicInteger, AtomicValue, Item};
use crate::transport::{Amo, Ctx};
use crate::world::World;

/// A scope of non-blocking operations: the argument of the closure of [`World::nbi`] and
/// [`Context::nbi`](crate::context::Context::nbi).
///
/// Each method issues an operation on a reference `remote!(&A[pe, sel])`. The scope borrows sources
/// and buffers for `'scope`, which is longer than the closure. So declare them outside the closure.
/// A program cannot use a buffer in another way before the scope has ended. The same is true of the
/// symmetric objects.
///
/// The operations of a scope have no order. [`fence`](crate::World::fence) orders its puts and
/// updates. If a read and a write of the same scope access the same elements, the read returns
/// their values before or after the write.
///
/// The scope of [`World::nbi`] completes operations without a context, and the scope of a context
/// completes those of that context. An operation on another context no longer uses its buffers when
/// the call returns, and a `quiet` of the other context completes it.
///
/// A scope belongs to one thread. Other threads open their own scopes.
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static ROW: [u64; 3] = [1, 2, 3];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     let (mut first, mut rest) = (0, [0; 2]);
///     world.nbi(|s| {
///         s.get(remote!(&ROW[0, 0]), &mut first);
///         s.get(remote!(&ROW[1, 1..3]), &mut rest);
///     }); // both are here
///     assert_eq!((first, rest), (1, [2, 3]));
/// }
/// ```
///
/// # What overlaps
///
/// Over a C library, the puts and gets of a scope overlap if the elements are contiguous and the PE
/// is not directly addressable. Strided transfers do not overlap: they no longer use their buffers
/// when the call returns. **Atomic operations that return the old value overlap if the library has
/// routines for that**, such as `shmem_atomic_fetch_add_nbi`, which came with OpenSHMEM 1.5, and
/// the cell has 4 or 8 bytes. Otherwise they are blocking, as outside of scopes: `fetch`, `swap`,
/// `compare_exchange`, `fetch_add` and similar methods wait for the answer before they return.
/// `fetch_min`, `fetch_max` and sums of floats always wait. So do all of them in a run with
/// `SHMEM_STATS`, `SHMEM_RACES` or `SHMEM_TRACE`, and in a program that is built with the feature
/// `tracing`. Atomic operations that return no value (`set`, `add`, `and`, …) need not have arrived
/// before the scope ends. On the embedded transport, every operation is complete when its call
/// returns.
pub struct Nbi<'scope, 'env: 'scope> {
    /// The context whose operations are complete when the scope has ended.
    ctx: Ctx,
    // Invariant in both lifetimes: if one could be shortened, a borrow could end before the scope.
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
    /// Neither `Send` nor `Sync`: the scope may belong to a private context.
    thread: PhantomData<*const ScopeOfOneThread>,
}

/// The name that the compiler shows if another thread uses the scope.
enum ScopeOfOneThread {}

/// Completes the operations of a scope when it is dropped, also if a panic ends the scope.
struct Close(Ctx);

impl Drop for Close {
    fn drop(&mut self) {
        runtime::get().transport().quiet(self.0);
    }
}

// Inlined, so that a loop in the body keeps its captured variables in registers.
#[inline]
fn scope<'env, R>(ctx: Ctx, body: impl for<'scope> FnOnce(&'scope Nbi<'scope, 'env>) -> R) -> R {
    let _close = Close(ctx);
    body(&Nbi { ctx, scope: PhantomData, env: PhantomData, thread: PhantomData })
}

impl World {
    /// Runs `body`, in which operations are non-blocking, and completes them (`shmem_put_nbi`,
    /// `shmem_get_nbi`, …). Not collective.
    ///
    /// It also completes other operations without a context. When it returns, the buffers have the
    /// values that were read, and other PEs see what was written. See [`Nbi`] for the operations.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static HALO: [[f64; 8]; 2] = [[0.0; 8]; 2];
    /// #[symmetric]
    /// static COUNT: Atomic<u64> = Atomic::new(5);
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     let n = world.n_pes();
    ///     let (left, right) = ((world.my_pe() + n - 1) % n, (world.my_pe() + 1) % n);
    ///     let mine = [world.my_pe() as f64; 8];
    ///     let mut before = 0;
    ///     world.nbi(|s| {
    ///         s.put(remote!(&HALO[left, 1, ..]), &mine);
    ///         s.put(remote!(&HALO[right, 0, ..]), &mine);
    ///         s.fetch_add(remote!(&COUNT[right]), 1, &mut before);
    ///     });
    ///     assert_eq!(before, 5);
    ///     world.barrier_all();
    ///     assert_eq!(local!(HALO[0..2, 7]), [left as f64, right as f64]);
    /// }
    /// ```
    #[doc(alias = "shmem_put_nbi")]
    #[doc(alias = "shmem_get_nbi")]
    #[inline]
    pub fn nbi<'env, R>(&self, body: impl for<'scope> FnOnce(&'scope Nbi<'scope, 'env>) -> R) -> R {
        scope(Ctx::DEFAULT, body)
    }
}

impl<K: Kind> Context<'_, K> {
    /// Runs `body`, in which operations are non-blocking, and completes them (`shmem_ctx_put_nbi`,
    /// `shmem_ctx_get_nbi`, …). Not collective.
    ///
    /// As [`World::nbi`], for operations on this context. Write the context in the places, as in
    /// `s.put(remote!(ctx; &A[pe, ..]), &source)`.
    ///
    /// ```
    /// use shmem::context::Private;
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static ROW: [u16; 6] = [3; 6];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let ctx = world.team().context(Private)?;
    ///     let mut column = [0; 3];
    ///     ctx.nbi(|s| s.get(remote!(ctx; &ROW[1, 0..6;2]), &mut column));
    ///     assert_eq!(column, [3; 3]);
    ///     Ok(())
    /// }
    /// ```
    #[doc(alias = "shmem_ctx_put_nbi")]
    #[doc(alias = "shmem_ctx_get_nbi")]
    #[inline]
    pub fn nbi<'env, R>(&self, body: impl for<'scope> FnOnce(&'scope Nbi<'scope, 'env>) -> R) -> R {
        scope(self.ctx(), body)
    }
}

impl<'scope> Nbi<'scope, '_> {
    /// The mode of operations on `elements`. Operations on another context are blocking, because
    /// the scope does not complete them.
    #[inline]
    fn mode<I, F>(&self, elements: &Remote<'scope, I, F>) -> Mode {
        if elements.ctx() == self.ctx { Mode::NonBlocking } else { Mode::Blocking }
    }

    /// Performs `op` on a cell. The old value is in `into` when the scope has ended, or at once
    /// if the cell is of another context.
    #[inline]
    #[track_caller]
    fn amo<T: AtomicValue>(&'scope self, cell: Remote<'scope, Atomic<T>, One>, op: Amo, into: &'scope mut T) {
        let mode = self.mode(&cell);
        // SAFETY: the scope borrows `into`, and ends with a `quiet` of its context, which is that
        // of the cell where the mode is non-blocking.
        unsafe { cell.target().amo_nbi(mode, op, into) }
    }

    /// Writes `source` to elements (`shmem_put_nbi`, for any selection). Not collective.
    ///
    /// A source is a reference to what [`Remote::put`] takes: an array, a slice, a `Vec`, or one
    /// value for all elements. OpenSHMEM has no strided non-blocking put.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static GRID: [[f64; 4]; 2] = [[0.0; 4]; 2];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let right = 1 - world.my_pe();
    ///     let (row, column) = ([1.0; 3], vec![5.0, 6.0]); // outside: the scope borrows them
    ///     world.nbi(|s| {
    ///         s.put(remote!(&GRID[right, 1, ..3]), &row);
    ///         s.put(remote!(&GRID[right, .., 3]), &column);
    ///     }); // the scope ends: both puts have arrived
    ///     world.sync_all();
    ///     assert_eq!(local!(GRID[.., 2..]), [[0.0, 5.0], [1.0, 6.0]]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such PE, and when a slice does not have the length of the selection.
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_put_nbi")]
    #[doc(alias = "shmem_putmem_nbi")]
    pub fn put<I: Item, F: FormOf<I::Value>, S: Source<I::Value, F::Shape> + ?Sized>(
        &'scope self,
        to: Remote<'scope, I, F>,
        source: &'scope S,
    ) {
        // SAFETY: the source is borrowed for `'scope`, which lasts until `Close` has called `quiet`
        // of the scope's context, and only operations of that context are non-blocking.
        unsafe { to.put_in(self.mode(&to), source) }
    }

    /// Reads elements into `buffer` (`shmem_get_nbi`, for any selection). Not collective.
    ///
    /// The buffer has their values when the scope has ended. A buffer is what [`Remote::get_into`]
    /// takes.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static ROW: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let (mut first, mut last) = ([0; 4], [0; 4]);
    ///     world.nbi(|s| {
    ///         s.get(remote!(&ROW[0, ..4]), &mut first);
    ///         s.get(remote!(&ROW[1, 4..]), &mut last); // does not wait for the first one
    ///         // `first` cannot be used here: the scope borrows it.
    ///     });
    ///     assert_eq!([first, last], [[1, 2, 3, 4], [5, 6, 7, 8]]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`put`](Nbi::put).
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_get_nbi")]
    #[doc(alias = "shmem_getmem_nbi")]
    pub fn get<I: Item, F: FormOf<I::Value>, B: Target<I::Value, F::Shape> + 'scope>(
        &'scope self,
        from: Remote<'scope, I, F>,
        buffer: B,
    ) {
        // SAFETY: as in `put`; what the buffer borrows it borrows for `'scope`, as `B: 'scope`.
        unsafe { from.get_in(self.mode(&from), buffer) }
    }

    /// Writes `source` to elements, then updates `signal` on the same PE (`shmem_put_signal_nbi`).
    /// Not collective.
    ///
    /// A PE that sees the update sees all of the elements, as with [`Remote::put_signal`].
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static INBOX: [f32; 4] = [0.0; 4];
    /// #[symmetric]
    /// static ARRIVED: Atomic<u64> = Atomic::new(0);
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let right = 1 - world.my_pe();
    ///     let (data, arrived) = ([2.5; 4], SignalOp::Add(1));
    ///     world.nbi(|s| {
    ///         s.put_signal(remote!(&INBOX[right, ..]), &data, remote!(&ARRIVED[right]), arrived);
    ///     });
    ///     wait!(ARRIVED == 1); // in place of a barrier
    ///     assert_eq!(local!(INBOX[..]), [2.5; 4]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the signal is on another PE than the elements, and as [`put`](Nbi::put).
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_put_signal_nbi")]
    #[doc(alias = "shmem_putmem_signal_nbi")]
    pub fn put_signal<I: Item, F: FormOf<I::Value> + OnOnePe, S: Source<I::Value, F::Shape> + ?Sized>(
        &'scope self,
        to: Remote<'scope, I, F>,
        source: &'scope S,
        signal: Remote<'scope, Atomic<u64>, One>,
        op: SignalOp,
    ) {
        // SAFETY: as in `put`.
        unsafe { to.put_signal_in(self.mode(&to), source, signal, op) }
    }

    /// Reads a cell (`shmem_atomic_fetch_nbi`). Not collective. It [may block](Nbi#what-overlaps).
    ///
    /// The value is in `into` when the scope has ended.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static LEVEL: PerPe<Atomic<u64>> = PerPe::new(Atomic::new(3));
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let (mut near, mut far) = (0, 0);
    ///     world.nbi(|s| {
    ///         s.fetch(local!(&LEVEL[1]), &mut near);
    ///         s.fetch(remote!(&LEVEL[1, 1]), &mut far);
    ///     });
    ///     assert_eq!(near + far, 6);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_atomic_fetch_nbi")]
    pub fn fetch<T: AtomicValue>(&'scope self, cell: Remote<'scope, Atomic<T>, One>, into: &'scope mut T) {
        self.amo(cell, Amo::Fetch, into);
    }

    /// Writes `value` to a cell (`shmem_atomic_set`). Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static FLAG: Atomic<u64> = Atomic::new(0);
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     if world.my_pe() == 0 {
    ///         // The cells need not hold it before the scope ends.
    ///         world.nbi(|s| (0..3).for_each(|pe| s.set(remote!(&FLAG[pe]), 4)));
    ///         assert_eq!(remote!(FLAG[2]), 4);
    ///     }
    ///     wait!(FLAG == 4);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`fetch`](Nbi::fetch).
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_atomic_set")]
    pub fn set<T: AtomicValue>(&'scope self, cell: Remote<'scope, Atomic<T>, One>, value: T) {
        cell.put(value);
    }

    /// Writes `value` to a cell, and reads the old value (`shmem_atomic_swap_nbi`). Not collective.
    /// It [may block](Nbi#what-overlaps).
    ///
    /// The old value is in `into` when the scope has ended.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static LAST: Atomic<i64> = Atomic::new(-1);
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let me = world.my_pe() as i64;
    ///     let mut before = 0;
    ///     world.nbi(|s| s.swap(remote!(&LAST[0]), me, &mut before));
    ///     // One PE was first, and found -1; the other one found the number of the first.
    ///     assert!(before == -1 || before == 1 - me);
    ///     assert_eq!(collective!(sum before) + remote!(LAST[0]), 0);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`fetch`](Nbi::fetch).
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_atomic_swap_nbi")]
    pub fn swap<T: AtomicValue>(
        &'scope self,
        cell: Remote<'scope, Atomic<T>, One>,
        value: T,
        into: &'scope mut T,
    ) {
        self.amo(cell, Amo::Swap(value.to_bits()), into);
    }

    /// Writes `new` to a cell that holds `current` (`shmem_atomic_compare_swap_nbi`). Not
    /// collective. It [may block](Nbi#what-overlaps).
    ///
    /// The old value is in `into` when the scope has ended: `new` was written if that is
    /// `current`.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static OWNER: Atomic<u64> = Atomic::new(0);
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let me = world.my_pe() as u64 + 1;
    ///     let mut before = 0;
    ///     world.nbi(|s| s.compare_exchange(remote!(&OWNER[0]), 0, me, &mut before));
    ///     let owner = if before == 0 { me } else { before };
    ///     assert_eq!(remote!(OWNER[0]), owner); // the same on both PEs
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`fetch`](Nbi::fetch).
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_atomic_compare_swap_nbi")]
    pub fn compare_exchange<T: AtomicInteger + PartialEq>(
        &'scope self,
        cell: Remote<'scope, Atomic<T>, One>,
        current: T,
        new: T,
        into: &'scope mut T,
    ) {
        let op = Amo::CompareSwap { expected: current.to_bits(), new: new.to_bits() };
        self.amo(cell, op, into);
    }
}

/// The smaller and the larger one: names, what is written, and the results in the examples.
macro_rules! extremes {
    ($($fetch:ident $plain:ident, $word:literal $result:literal;)*) => {
        impl<'scope> Nbi<'scope, '_> {$(
            #[doc = concat!("Writes `value` to a cell if it is ", $word, ", and reads the old value. Not collective.")]
            /// [Blocking](Nbi#what-overlaps).
            ///
            #[doc = concat!("It is [`Remote::", stringify!($fetch), "`]. The old value is in `into` when the scope has ended.")]
            ///
            /// ```
            /// use shmem::prelude::*;
            ///
            /// #[symmetric]
            /// static CELL: Atomic<i64> = Atomic::new(12);
            ///
            /// #[shmem::main(npes = 2)]
            /// fn main(world: &World) {
            ///     let right = 1 - world.my_pe();
            ///     let mut before = 0;
            ///     world.nbi(|s| {
            #[doc = concat!("        s.", stringify!($fetch), "(remote!(&CELL[right]), 10, &mut before);")]
            ///     });
            #[doc = concat!("    assert_eq!((before, remote!(CELL[right])), (12, ", $result, "));")]
            /// }
            /// ```
            ///
            /// # Panics
            ///
            /// As [`fetch`](Nbi::fetch).
            #[inline]
            #[track_caller]
            pub fn $fetch<T: AtomicValue>(
                &'scope self,
                cell: Remote<'scope, Atomic<T>, One>,
                value: T,
                into: &'scope mut T,
            ) {
                *into = cell.$fetch(value);
            }

            #[doc = concat!("Writes `value` to a cell if it is ", $word, ": [`Remote::", stringify!($plain), "`]. Not")]
            /// collective.
            ///
            /// ```
            /// use shmem::prelude::*;
            ///
            /// #[symmetric]
            /// static CELL: Atomic<i64> = Atomic::new(12);
            ///
            /// #[shmem::main(npes = 2)]
            /// fn main(world: &World) {
            ///     let right = 1 - world.my_pe();
            ///     world.nbi(|s| {
            #[doc = concat!("        s.", stringify!($plain), "(remote!(&CELL[right]), 10);")]
            ///     }); // the update is complete
            #[doc = concat!("    assert_eq!(remote!(CELL[right]), ", $result, ");")]
            /// }
            /// ```
            ///
            /// # Panics
            ///
            /// As [`fetch`](Nbi::fetch).
            #[inline]
            #[track_caller]
            pub fn $plain<T: AtomicValue>(&'scope self, cell: Remote<'scope, Atomic<T>, One>, value: T) {
                cell.$plain(value);
            }
        )*}
    };
}

extremes! {
    fetch_min min, "smaller" "10";
    fetch_max max, "larger" "12";
}

/// A pair of operations, one that returns the old value and one that does not: names, operator, the
/// OpenSHMEM routines, a remark, the result in the examples, and further routines.
macro_rules! updates {
    ($(
        $bound:ident: $fetch:ident $plain:ident, $sign:literal,
        $fetch_alias:literal $plain_alias:literal $wraps:literal, $result:literal $($also:literal)*,
        |$value:ident| $op:expr;
    )*) => {
        impl<'scope> Nbi<'scope, '_> {$(
            #[doc = concat!("Updates a cell with `", $sign, " value`, and reads the old value")]
            #[doc = concat!("(`", $fetch_alias, "`). Not collective.", $wraps)]
            /// It [may block](Nbi#what-overlaps).
            ///
            /// The old value is in `into` when the scope has ended.
            ///
            /// ```
            /// use shmem::prelude::*;
            ///
            /// #[symmetric]
            /// static CELL: Atomic<u64> = Atomic::new(12);
            ///
            /// #[shmem::main(npes = 2)]
            /// fn main(world: &World) {
            ///     let right = 1 - world.my_pe();
            ///     let mut before = 0;
            ///     world.nbi(|s| {
            #[doc = concat!("        s.", stringify!($fetch), "(remote!(&CELL[right]), 10, &mut before);")]
            ///     });
            #[doc = concat!("    assert_eq!((before, remote!(CELL[right])), (12, ", $result, "));")]
            /// }
            /// ```
            ///
            /// # Panics
            ///
            /// As [`fetch`](Nbi::fetch).
            #[inline]
            #[track_caller]
            #[doc(alias = $fetch_alias)]
            $(#[doc(alias = $also)])*
            pub fn $fetch<T: $bound>(
                &'scope self,
                cell: Remote<'scope, Atomic<T>, One>,
                $value: T,
                into: &'scope mut T,
            ) {
                self.amo(cell, $op, into);
            }

            #[doc = concat!("Updates a cell with `", $sign, " value` (`", $plain_alias, "`).")]
            #[doc = concat!("Not collective.", $wraps)]
            ///
            /// ```
            /// use shmem::prelude::*;
            ///
            /// #[symmetric]
            /// static CELL: Atomic<u64> = Atomic::new(12);
            ///
            /// #[shmem::main(npes = 2)]
            /// fn main(world: &World) {
            ///     let right = 1 - world.my_pe();
            ///     world.nbi(|s| {
            #[doc = concat!("        s.", stringify!($plain), "(remote!(&CELL[right]), 10);")]
            ///     }); // the update is complete
            #[doc = concat!("    assert_eq!(remote!(CELL[right]), ", $result, ");")]
            /// }
            /// ```
            ///
            /// # Panics
            ///
            /// As [`fetch`](Nbi::fetch).
            #[inline]
            #[track_caller]
            #[doc(alias = $plain_alias)]
            pub fn $plain<T: $bound>(&'scope self, cell: Remote<'scope, Atomic<T>, One>, value: T) {
                cell.$plain(value);
            }
        )*}
    };
}

updates! {
    AtomicValue: fetch_add add, "+=",
        "shmem_atomic_fetch_add_nbi" "shmem_atomic_add" " Integers wrap around.", "22"
        "shmem_atomic_fetch_inc_nbi",
        |value| value.adding();
    AtomicValue: fetch_sub sub, "-=",
        "shmem_atomic_fetch_add_nbi" "shmem_atomic_add" " Integers wrap around.", "2",
        |value| value.subtracting();
    AtomicBits: fetch_and and, "&=",
        "shmem_atomic_fetch_and_nbi" "shmem_atomic_and" "", "12 & 10",
        |value| Amo::And(value.to_bits());
    AtomicBits: fetch_or or, "|=",
        "shmem_atomic_fetch_or_nbi" "shmem_atomic_or" "", "12 | 10",
        |value| Amo::Or(value.to_bits());
    AtomicBits: fetch_xor xor, "^=",
        "shmem_atomic_fetch_xor_nbi" "shmem_atomic_xor" "", "12 ^ 10",
        |value| Amo::Xor(value.to_bits());
}
