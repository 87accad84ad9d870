//! When an operation of the macros reaches its target: at once, in a [batch](crate::Batch), or on a
//! stream (`stream.rs`).
//!
//! A reference `remote!(&A[pe, sel])` holds a context, and its operations are issued at once.
//! `remote!(b; …)` makes one that holds a batch. Operations on one element wait there for others; all
//! else is issued at once too, and the end of the batch completes it.

use std::marker::PhantomData;

use super::Remote;
use super::buffers::{Source, Target};
use super::target::Mode;
use crate::runtime::batch::{BatchElement, Pending};
use crate::runtime::direct;
use crate::select::{Form, FormOf, One};
use crate::symmetric::{AtomicValue, Bits as _, Item};
use crate::transport::{Amo, Ctx};

/// What a reference holds, with the operations of the macros. What these borrow lives as long as
/// `'s`.
#[doc(hidden)]
pub trait Delivery<'s>: Copy {
    /// Performs `op`, whose operand is the bits of an `I::Value`, on one cell.
    #[allow(private_interfaces, reason = "called by this crate only")]
    #[track_caller]
    fn update<I: Item<Value: AtomicValue>>(cell: Remote<'_, I, One, Self>, op: Amo);

    /// Writes a source to elements.
    #[track_caller]
    fn put<I: Item, F: FormOf<I::Value>, S: Source<I::Value, F::Shape>>(
        to: Remote<'_, I, F, Self>,
        source: S,
    );

    /// Writes one value to each of the elements.
    #[track_caller]
    fn fill<I: Item, F: FormOf<I::Value>>(to: Remote<'_, I, F, Self>, value: I::Value);

    /// Reads elements into a buffer.
    #[track_caller]
    fn get_into<I: Item, F: FormOf<I::Value>, B: Target<I::Value, F::Shape> + 's>(
        from: Remote<'_, I, F, Self>,
        buffer: B,
    );
}

/// What references hold whose elements can be read by value.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a batch delivers what it reads at its end, so a read needs a place for the value",
    label = "no place for the value",
    note = "write `remote!(b; A[pe, i] => &mut value)`, with `value` declared outside of the batch; a read without the batch, `remote!(A[pe, i])`, returns the value at once"
)]
pub trait AtOnce: Copy {
    /// Reads the elements.
    #[track_caller]
    fn get<I: Item, F: FormOf<I::Value>>(elements: &Remote<'_, I, F, Self>) -> F::Owned;
}

#[diagnostic::do_not_recommend]
impl AtOnce for Ctx {
    #[inline(always)]
    #[track_caller]
    fn get<I: Item, F: FormOf<I::Value>>(elements: &Remote<'_, I, F>) -> F::Owned {
        F::get(elements.target())
    }
}

impl<'s> Delivery<'s> for Ctx {
    #[allow(private_interfaces, reason = "called by this crate only")]
    #[inline(always)]
    #[track_caller]
    fn update<I: Item<Value: AtomicValue>>(cell: Remote<'_, I, One>, op: Amo) {
        cell.target().update(op);
    }

    #[inline(always)]
    #[track_caller]
    fn put<I: Item, F: FormOf<I::Value>, S: Source<I::Value, F::Shape>>(to: Remote<'_, I, F>, source: S) {
        to.put(source);
    }

    #[inline(always)]
    #[track_caller]
    fn fill<I: Item, F: FormOf<I::Value>>(to: Remote<'_, I, F>, value: I::Value) {
        to.fill(value);
    }

    #[inline(always)]
    #[track_caller]
    fn get_into<I: Item, F: FormOf<I::Value>, B: Target<I::Value, F::Shape> + 's>(
        from: Remote<'_, I, F>,
        buffer: B,
    ) {
        from.get_into(buffer);
    }
}

/// What a reference holds whose operations are those of a batch, with the scope of the batch.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Deferred<'scope> {
    /// Neither `Send` nor `Sync`: the operations wait on one thread.
    thread: PhantomData<*const BatchOfOneThread>,
    pending: PendingOfScope<'scope>,
    // Invariant, as in `Nbi`.
    scope: PhantomData<&'scope mut &'scope ()>,
}

/// The name that the compiler shows if another thread uses the batch.
pub(crate) enum BatchOfOneThread {}

/// The operations of the batch. The compiler need not look into it to see that they belong to one
/// thread, and would name all that it finds there.
#[derive(Clone, Copy)]
struct PendingOfScope<'scope>(&'scope Pending<'scope>);

// SAFETY: it is a private field of `Deferred` and of nothing else, which is not `Send`, and only given
// to functions of this file by value.
unsafe impl Send for PendingOfScope<'_> {}
// SAFETY: as above: `Deferred` is not `Sync`.
unsafe impl Sync for PendingOfScope<'_> {}

impl<'scope> Deferred<'scope> {
    /// The operations of `pending`.
    ///
    /// # Safety
    ///
    /// Every object of a reference that holds it is borrowed for `'scope`, and `'scope` lasts until
    /// `pending` has ended.
    #[inline(always)]
    pub(crate) unsafe fn new(pending: &'scope Pending<'scope>) -> Deferred<'scope> {
        Deferred { thread: PhantomData, pending: PendingOfScope(pending), scope: PhantomData }
    }
}

impl<'r, I, F: Copy> Remote<'r, I, F, Deferred<'_>> {
    /// The same elements, for an operation that is issued now. The end of the batch completes it.
    #[inline(always)]
    fn now(self) -> Remote<'r, I, F> {
        let ctx = self.ctx.pending.0.count();
        self.on(ctx)
    }
}

/// What operations are that return a value, or are complete when they return: those of a batch are not.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "an operation of a batch returns nothing, and is done at its end",
    label = "not an operation of a batch",
    note = "operations of a batch are `remote!(b; C[pe, i]) += v`, `-=`, `&=`, `|=` and `^=`, `remote!(b; A[pe, i]) = v` and `remote!(b; A[pe, i] => &mut value)`",
    note = "without the batch, as in `remote!(&C[pe, i])`, all methods are there, and may also be called while the batch is open"
)]
pub trait OfNoBatch {}

/// The methods of references that return values, for the sentence that says why a batch has them not. In
/// a trait, so that a path such as `Remote::put` names one method.
macro_rules! of_no_batch {
    ($($name:ident($($argument:ident: $type:ident),*))*) => {
        #[doc(hidden)]
        pub trait BatchMethods: Sized {
            type Value;
            $(
                fn $name<$($type),*>(self, $($argument: $type),*) -> Self::Value
                where
                    Self: OfNoBatch,
                {
                    unreachable!("nothing is `OfNoBatch`")
                }
            )*
        }
    };
}

impl<I: Item, F: Form> BatchMethods for Remote<'_, I, F, Deferred<'_>> {
    type Value = I::Value;
}

of_no_batch! {
    get()
    put(_value: V)
    fetch_add(_value: V)
    fetch_sub(_value: V)
    fetch_and(_value: V)
    fetch_or(_value: V)
    fetch_xor(_value: V)
    fetch_min(_value: V)
    fetch_max(_value: V)
    swap(_value: V)
    compare_exchange(_expected: V, _new: W)
    put_signal(_source: S, _signal: R, _op: O)
}

impl<I: Item, F: Form> Remote<'_, I, F, Deferred<'_>> {
    /// The one element, on a PE that was checked.
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    #[inline(always)]
    #[track_caller]
    fn batched(&self) -> BatchElement {
        let heap =
            if I::ATOMIC { direct::cells(self.pe, self.info) } else { direct::heap(self.pe, self.info) };
        BatchElement { heap, pe: self.pe, offset: self.at.offset() }
    }
}

impl<'scope> Delivery<'scope> for Deferred<'scope> {
    #[allow(private_interfaces, reason = "called by this crate only")]
    #[inline(always)]
    #[track_caller]
    fn update<I: Item<Value: AtomicValue>>(cell: Remote<'_, I, One, Self>, op: Amo) {
        const { assert!(I::ATOMIC, "a plain element was updated atomically") }
        // SAFETY: a cell of a checked PE, of an object that lives as long as the batch, as
        // `Deferred::new` says.
        unsafe { cell.ctx.pending.0.update(cell.batched(), I::Value::WIDTH, op) }
    }

    #[inline(always)]
    #[track_caller]
    fn put<I: Item, F: FormOf<I::Value>, S: Source<I::Value, F::Shape>>(
        to: Remote<'_, I, F, Self>,
        source: S,
    ) {
        to.now().put(source);
    }

    #[inline(always)]
    #[track_caller]
    fn fill<I: Item, F: FormOf<I::Value>>(to: Remote<'_, I, F, Self>, value: I::Value) {
        if const { !F::ONE } {
            return to.now().fill(value);
        }
        let (size, from) = (size_of::<I::Value>(), (&raw const value).cast());
        // SAFETY: as in `update`, of an element; `value` has its size.
        unsafe { to.ctx.pending.0.put(to.batched(), size, align_of::<I::Value>(), I::ATOMIC, from) }
    }

    #[inline(always)]
    #[track_caller]
    fn get_into<I: Item, F: FormOf<I::Value>, B: Target<I::Value, F::Shape> + 'scope>(
        from: Remote<'_, I, F, Self>,
        mut buffer: B,
    ) {
        let (pending, slots) = (from.ctx.pending.0, buffer.slots());
        if const { !F::ONE } {
            let now = from.now();
            now.same_length(slots.len(), "the buffer to read into");
            // SAFETY: what the buffer borrows it borrows for `'scope`, which lasts until the batch has
            // ended, and with it called `quiet`; there is room for as many elements.
            return unsafe { now.target().get(Mode::NonBlocking, slots.as_mut_ptr()) };
        }
        let (size, to) = (size_of::<I::Value>(), slots.as_mut_ptr().cast());
        // SAFETY: as in `update`, of an element. The buffer has room for one, and is borrowed for
        // `'scope`, as above.
        unsafe { pending.get(from.batched(), size, align_of::<I::Value>(), I::ATOMIC, to) }
    }
}
