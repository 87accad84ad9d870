//! Non-blocking operations, in a scope that completes them.
//!
//! A non-blocking operation is issued, and its buffer belongs to the library until a `quiet`. Here a scope borrows the buffers of its
//! operations for as long as it lasts, and ends with a `quiet`, also when it is left by a panic. So the compiler refuses to touch a
//! buffer too early, there is no request object to be lost, and what was read is there behind the scope.
//!
//! On the embedded transport an operation is complete when its call returns: a put is a store, and nothing is gained by letting it wait.
//! Over a C library transfers overlap; which, [`Nbi`] says. A program that is written with scopes is right on both.

use std::marker::PhantomData;

use crate::context::{Context, Kind};
use crate::remote::{Mode, Remote, Source, Target};
use crate::runtime;
use crate::select::{Form, One};
use crate::signal::SignalOp;
use crate::symmetric::{Atomic, AtomicBits, AtomicInteger, AtomicValue, Item};
use crate::transport::Ctx;
use crate::world::World;

/// A scope of non-blocking operations: what [`World::nbi`] and [`Context::nbi`](crate::Context::nbi) pass on.
///
/// Its methods issue an operation each, on what `remote!(&A[pe, sel])` makes. Sources and buffers are borrowed for `'scope`, which is longer
/// than the closure: so they are declared outside of it, and nothing else may be done with a buffer before the scope has ended. The same
/// is true of the symmetric objects.
///
/// The operations of a scope are in no order, unless [`fence`](crate::World::fence) makes one of its puts and updates. Of overlapping
/// elements a read finds the ones before or after a write of the same scope.
///
/// The scope of [`World::nbi`] completes operations without a context, and that of a context those of this context. What is issued on another
/// one has its buffers back when the call returns, and is completed by a `quiet` of that one.
///
/// A scope stays with its thread; other threads open scopes of their own.
///
/// # What overlaps
///
/// Over a C library the puts and gets of a scope overlap where the elements lie side by side and loads and stores do not reach the PE. Strided
/// transfers do not: they have their buffers back when the call returns. **Atomic operations that tell what was there are blocking**, here
/// as elsewhere: `fetch`, `swap`, `compare_exchange`, `fetch_add` and the like wait for the answer before they return. The library's own
/// non-blocking ones (`shmem_atomic_fetch_add_nbi` and the like, which came with OpenSHMEM 1.5) are not used. Those that tell nothing (`set`, `add`, `and`, …) need not
/// have arrived before the scope ends. On the embedded transport every operation is complete when its call returns.
pub struct Nbi<'scope, 'env: 'scope> {
    /// What is issued on this context is complete when the scope has ended.
    ctx: Ctx,
    // Invariant in both: neither may be made shorter, or a borrow would end before the scope.
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
    /// Neither `Send` nor `Sync`: a scope may be that of a private context.
    thread: PhantomData<*const ScopeOfOneThread>,
}

/// What the compiler names when a scope is used by another thread.
enum ScopeOfOneThread {}

/// Completes the operations of a scope when it is dropped, however the scope is left.
struct Close(Ctx);

impl Drop for Close {
    fn drop(&mut self) {
        runtime::get().transport().quiet(self.0);
    }
}

// Inlined, so that a loop in the body keeps in registers what it captures.
#[inline]
fn scope<'env, R>(ctx: Ctx, body: impl for<'scope> FnOnce(&'scope Nbi<'scope, 'env>) -> R) -> R {
    let _close = Close(ctx);
    body(&Nbi { ctx, scope: PhantomData, env: PhantomData, thread: PhantomData })
}

impl World {
    /// Runs `body`, in which operations are non-blocking, and completes them and what else was issued without a context (`shmem_put_nbi`,
    /// `shmem_get_nbi`, …). Not collective.
    ///
    /// When it returns, what was read is in its buffers, and other PEs see what was written. See [`Nbi`] for the operations.
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
    /// Runs `body`, in which operations are non-blocking, and completes them and what else was issued on this context
    /// (`shmem_ctx_put_nbi`, `shmem_ctx_get_nbi`, …). Not collective.
    ///
    /// As [`World::nbi`]; the places are written with the context, as in `s.put(remote!(ctx; &A[pe, ..]), &source)`.
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
    /// When operations on `elements` are complete. Those of another context the scope does not complete: they are blocking.
    #[inline]
    fn mode<I, F>(&self, elements: &Remote<'scope, I, F>) -> Mode {
        if elements.ctx() == self.ctx { Mode::NonBlocking } else { Mode::Blocking }
    }

    /// Writes `source` to elements (`shmem_put_nbi`; there is no strided form in OpenSHMEM, here any selection is taken). Not collective.
    ///
    /// A source is a reference to what [`Remote::put`] takes: an array, a slice, a `Vec`, or one element for all places.
    ///
    /// # Panics
    ///
    /// When there is no such PE, and when a slice has another length than the selection.
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_put_nbi")]
    #[doc(alias = "shmem_putmem_nbi")]
    pub fn put<I: Item, F: Form<I::Value>, S: Source<I::Value, F::Shape> + ?Sized>(
        &'scope self,
        to: Remote<'scope, I, F>,
        source: &'scope S,
    ) {
        // SAFETY: the source is borrowed for `'scope`, which lasts until `Close` has called `quiet` of the scope's context, and
        // non-blocking are the operations of that context alone.
        unsafe { to.put_in(self.mode(&to), source) }
    }

    /// Reads elements into `buffer`, which holds them when the scope has ended (`shmem_get_nbi`, for any selection). Not collective.
    ///
    /// A buffer is what [`Remote::get_into`] takes.
    ///
    /// # Panics
    ///
    /// As [`put`](Nbi::put).
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_get_nbi")]
    #[doc(alias = "shmem_getmem_nbi")]
    pub fn get<I: Item, F: Form<I::Value>, B: Target<I::Value, F::Shape> + 'scope>(
        &'scope self,
        from: Remote<'scope, I, F>,
        buffer: B,
    ) {
        // SAFETY: as in `put`; what the buffer borrows it borrows for `'scope`, as `B: 'scope`.
        unsafe { from.get_in(self.mode(&from), buffer) }
    }

    /// Writes `source` to elements, then updates `signal`, a cell on the same PE (`shmem_put_signal_nbi`). Not collective.
    ///
    /// A PE that sees the update sees all of the elements, as with [`Remote::put_signal`].
    ///
    /// # Panics
    ///
    /// When the signal is on another PE than the elements, and as [`put`](Nbi::put).
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_put_signal_nbi")]
    #[doc(alias = "shmem_putmem_signal_nbi")]
    pub fn put_signal<I: Item, F: Form<I::Value>, S: Source<I::Value, F::Shape> + ?Sized>(
        &'scope self,
        to: Remote<'scope, I, F>,
        source: &'scope S,
        signal: Remote<'scope, Atomic<u64>, One>,
        op: SignalOp,
    ) {
        // SAFETY: as in `put`.
        unsafe { to.put_signal_in(self.mode(&to), source, signal, op) }
    }

    /// Reads a cell; the value is in `into` when the scope has ended (`shmem_atomic_fetch_nbi`). Not collective. [Blocking](Nbi#what-overlaps).
    ///
    /// # Panics
    ///
    /// When there is no such PE; so for all operations of a cell.
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_atomic_fetch_nbi")]
    pub fn fetch<T: AtomicValue>(&'scope self, cell: Remote<'scope, Atomic<T>, One>, into: &'scope mut T) {
        *into = cell.get();
    }

    /// Writes `value` to a cell (`shmem_atomic_set`). Not collective.
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_atomic_set")]
    pub fn set<T: AtomicValue>(&'scope self, cell: Remote<'scope, Atomic<T>, One>, value: T) {
        cell.put(value);
    }

    /// Writes `value` to a cell; what was there is in `into` when the scope has ended (`shmem_atomic_swap_nbi`). Not collective.
    /// [Blocking](Nbi#what-overlaps).
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_atomic_swap_nbi")]
    pub fn swap<T: AtomicValue>(
        &'scope self,
        cell: Remote<'scope, Atomic<T>, One>,
        value: T,
        into: &'scope mut T,
    ) {
        *into = cell.swap(value);
    }

    /// Writes `new` to a cell where `current` stands (`shmem_atomic_compare_swap_nbi`). Not collective.
    ///
    /// What was there is in `into` when the scope has ended: `new` was written if that is `current`. [Blocking](Nbi#what-overlaps).
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
        *into = cell.compare_exchange(current, new).unwrap_or_else(|found| found);
    }
}

/// A pair of operations: one that says what was there, and one that does not.
macro_rules! updates {
    ($($bound:ident: $fetch:ident $plain:ident, $sign:literal, $fetch_alias:literal $plain_alias:literal $wraps:literal $($also:literal)*;)*) => {
        impl<'scope> Nbi<'scope, '_> {$(
            #[doc = concat!("Updates a cell with `", $sign, " value`; what was there is in `into` when the scope has ended (`", $fetch_alias, "`).", $wraps, " [Blocking](Nbi#what-overlaps).")]
            #[inline]
            #[track_caller]
            #[doc(alias = $fetch_alias)]
            $(#[doc(alias = $also)])*
            pub fn $fetch<T: $bound>(
                &'scope self,
                cell: Remote<'scope, Atomic<T>, One>,
                value: T,
                into: &'scope mut T,
            ) {
                *into = cell.$fetch(value);
            }

            #[doc = concat!("Updates a cell with `", $sign, " value` (`", $plain_alias, "`).", $wraps)]
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
    AtomicInteger: fetch_add add, "+=", "shmem_atomic_fetch_add_nbi" "shmem_atomic_add" " Wraps around." "shmem_atomic_fetch_inc_nbi";
    AtomicInteger: fetch_sub sub, "-=", "shmem_atomic_fetch_add_nbi" "shmem_atomic_add" " Wraps around.";
    AtomicBits: fetch_and and, "&=", "shmem_atomic_fetch_and_nbi" "shmem_atomic_and" "";
    AtomicBits: fetch_or or, "|=", "shmem_atomic_fetch_or_nbi" "shmem_atomic_or" "";
    AtomicBits: fetch_xor xor, "^=", "shmem_atomic_fetch_xor_nbi" "shmem_atomic_xor" "";
}
