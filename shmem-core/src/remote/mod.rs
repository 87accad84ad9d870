//! Remote references, and the operations that the macros of the indexing language call.
//!
//! * `mod.rs`: [`Remote`], which names elements on a PE, with the operations of every element;
//! * `atomic.rs`: the operations of [`Atomic`](crate::Atomic) cells;
//! * `buffers.rs`: the sources and buffers of transfers;
//! * `delivery.rs`: when an operation of the macros reaches its target: at once, or in a batch;
//! * `sourced.rs`: the source `&E[..]` of a write on a context;
//! * `stream.rs`: operations that are issued on a stream of a GPU, and the seam between its back ends;
//! * `target.rs`: [`CheckedTarget`](target::CheckedTarget), the only way to the elements;
//! * `held.rs`: elements that an operation of a stream holds;
//! * `near.rs`: loads, stores and copies of elements whose type is known.
//!
//! What needs no type is in the runtime: `runtime/target.rs` moves the elements of any region, and
//! `runtime/far.rs` has what the transport carries.

mod atomic;
mod buffers;
mod delivery;
#[cfg(feature = "gpu")]
pub(crate) mod held;
mod label;
mod moves;
mod near;
mod sourced;
#[cfg(feature = "gpu")]
pub(crate) mod stream;
mod target;

use std::fmt;
use std::marker::PhantomData;

pub use atomic::{Arithmetic, Bitwise, OneElement};
pub use buffers::{Source, Target, Values};
pub(crate) use delivery::BatchOfOneThread;
pub use delivery::{AtOnce, BatchMethods, Deferred, Delivery};
pub use sourced::{SliceForm, SourceOn};

#[cfg(feature = "gpu")]
pub use self::held::{DeviceMemory, Staged};
#[cfg(feature = "gpu")]
pub use self::stream::OnStream;
pub(crate) use self::target::Mode;
use crate::context::{Context, HostMemory, Issuing};
use crate::remedies::{AtomicElement, AtomicName, Integer, NonBlocking, Strided};
use crate::runtime::direct;
use crate::runtime::region::Region;
use crate::runtime::team::Team;
use crate::select::{Form, FormOf, Grid, Many, OnOnePe, One, Picked, Selection, Spread};
use crate::symmetric::shape::{Dim, Shape};
use crate::symmetric::statics::check_value;
use crate::symmetric::{Atomic, Item, Object, ObjectInfo, Symmetric};
use crate::transport::Ctx;

/// A reference to elements of a symmetric object on some PE: `remote!(&A[pe, sel])`.
///
/// Making a reference checks the selection against the extents, and moves no data. The methods then
/// operate on the selected elements. `I` is the type of the object's slots, and `F` the form of the
/// selection: [`One`](crate::select::One) element, a [`Grid`](crate::select::Grid) of constant
/// lengths, or [`Many`](crate::select::Many).
///
/// Make a reference only inside of a job. A static has no place in memory before the job starts. If
/// a PE uses a reference that was made before the job, SIGSEGV ends the PE. A check would cost time
/// in every access.
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static ROW: [f64; 16] = [0.0; 16];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     let right = (world.my_pe() + 1) % world.n_pes();
///     let window = remote!(&ROW[right, 4..12;2]);
///     window.put([1.0, 2.0, 3.0, 4.0]);
///     world.barrier_all();
///     assert_eq!(window.get(), [1.0, 2.0, 3.0, 4.0]);
///     assert_eq!(window.len(), 4);
/// }
/// ```
///
/// `D` says when an operation reaches its target: at once, or in a [batch](crate::Batch).
pub struct Remote<'a, I, F, D = Ctx> {
    pe: usize,
    /// Where the elements lie: inside of an object of `I` that is live as long as the reference.
    /// [`Remote::new`] asks for it, and [`CheckedTarget`](target::CheckedTarget) counts on it.
    at: F,
    info: &'a ObjectInfo,
    /// Where its operations queue up: a context, where the transport carries them, or a batch.
    ctx: D,
    holds: PhantomData<fn() -> I>,
}

impl<I, F: Copy, D: Copy> Clone for Remote<'_, I, F, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I, F: Copy, D: Copy> Copy for Remote<'_, I, F, D> {}

impl<I, F: Form> fmt::Debug for Remote<'_, I, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} elements of {}", self.len(), self.info)?;
        if F::SPREAD { Ok(()) } else { write!(f, " on PE {}", self.pe) }
    }
}

/// The PE in the bracket: a number of another type is reported where it stands.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Pe {
    /// Its number.
    pub pe: usize,
}

/// Symmetric objects of `N` axes: what takes `N` selectors.
///
/// The macros call its methods by their paths, and not a function with bounds: of a trait that is
/// missing the compiler names the bound, and the place of the bound in this crate, only where it is
/// the bound of a function.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a symmetric object of rank {N}",
    label = "not a symmetric object of rank {N}, for as many selectors",
    note = "write one selector for each axis: an index, `a..b`, `a..b;step` with a semicolon, or `..`; the first axis of a `PerPe` is the slot, and a scalar has no axis",
    note = "in `remote!` the PE comes before the selectors, or for a global array `@`, as in `T[@i]`; `local!`, `wait!` and `collective!` take no PE",
    note = "a symmetric object is declared with `#[symmetric]` above the static, or made by `world.symmetric_array`; a `Lock` holds no data, and is taken with `.lock()`; a device array is accessed on a stream, `remote!(stream; D[pe, i])`"
)]
pub trait OfRank<const N: usize, I, D: Shape> {
    /// `remote!(&object[pe, selection])`
    ///
    /// # Panics
    ///
    /// When the selection is out of bounds.
    #[track_caller]
    fn remote<S: Selection<D, Form = F>, F>(&self, pe: Pe, selection: S) -> Remote<'_, I, F>;

    /// `local!(&object[selection])`: the same as `remote`, on this PE.
    #[track_caller]
    fn local<S: Selection<D, Form = F>, F>(&self, selection: S) -> Remote<'_, I, F>;
}

/// Symmetric objects of `N` axes in memory of the kind `M`: what takes `N` selectors on a context, or
/// on a stream.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a symmetric object of rank {N}",
    label = "not a symmetric object of rank {N}, for as many selectors",
    note = "write one selector for each axis: an index, `a..b`, `a..b;step` with a semicolon, or `..`; the first axis of a `PerPe` is the slot, and a scalar has no axis",
    note = "in `remote!` the PE comes before the selectors, or for a global array `@`, as in `T[@i]`; `local!`, `wait!` and `collective!` take no PE",
    note = "a symmetric object is declared with `#[symmetric]` above the static, or made by `world.symmetric_array`; a `Lock` holds no data, and is taken with `.lock()`; a device array is accessed on a stream, `remote!(stream; D[pe, i])`"
)]
pub trait OnContext<const N: usize, I, D: Shape, M> {
    /// `remote!(context; &object[pe, selection])`
    ///
    /// # Panics
    ///
    /// When the context's team has no PE `pe`, and when the selection is out of bounds.
    #[track_caller]
    fn remote_on<'a, K: Issuing<'a, M>, S: Selection<D, Form = F>, F>(
        // Both live as long as the reference: its operations are the context's.
        &'a self,
        context: &'a Context<'_, K>,
        pe: Pe,
        selection: S,
    ) -> Remote<'a, I, F, K::Delivery>;

    /// The same, of this PE's own copy.
    #[track_caller]
    fn local_on<'a, K: Issuing<'a, M>, S: Selection<D, Form = F>, F>(
        &'a self,
        context: &'a Context<'_, K>,
        selection: S,
    ) -> Remote<'a, I, F, K::Delivery>;
}

macro_rules! ranks {
    ($($rank:literal: $($axis:ident)*;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<O: Object<Item = I, Shape = ($($axis,)*)> + ?Sized, I: Item, $($axis: Dim),*>
            OfRank<$rank, I, ($($axis,)*)> for O
        {
            #[inline(always)]
            #[track_caller]
            fn remote<S: Selection<($($axis,)*), Form = F>, F>(
                &self,
                pe: Pe,
                selection: S,
            ) -> Remote<'_, I, F> {
                remote(self, pe.pe, selection)
            }

            #[inline(always)]
            #[track_caller]
            fn local<S: Selection<($($axis,)*), Form = F>, F>(&self, selection: S) -> Remote<'_, I, F> {
                remote(self, direct::my_pe(), selection)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<O: Object<Item = I, Shape = ($($axis,)*)> + ?Sized, I: Item, $($axis: Dim),*>
            OnContext<$rank, I, ($($axis,)*), HostMemory> for O
        {
            #[inline(always)]
            #[track_caller]
            fn remote_on<'a, K: Issuing<'a>, S: Selection<($($axis,)*), Form = F>, F>(
                &'a self,
                context: &'a Context<'_, K>,
                pe: Pe,
                selection: S,
            ) -> Remote<'a, I, F, K::Delivery> {
                remote_on(context, self, pe.pe, selection)
            }

            #[inline(always)]
            #[track_caller]
            fn local_on<'a, K: Issuing<'a>, S: Selection<($($axis,)*), Form = F>, F>(
                &'a self,
                context: &'a Context<'_, K>,
                selection: S,
            ) -> Remote<'a, I, F, K::Delivery> {
                remote(self, direct::my_pe(), selection).on(context.delivery(&HostMemory))
            }
        }
    )*};
}

/// Never implemented.
#[doc(hidden)]
pub trait Nothing {}

/// With one implementation for a rank, the compiler would take element and extents from it before
/// it finds that a static of [`Lock`](crate::Lock)s has no elements, and would show both. With
/// several it looks first.
macro_rules! undecided_ranks {
    ($($which:literal)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<const N: usize, O: Nothing + ?Sized, D: Shape> OfRank<N, buffers::NoElement<$which, ()>, D> for O {
            fn remote<S: Selection<D, Form = F>, F>(
                &self,
                _: Pe,
                _: S,
            ) -> Remote<'_, buffers::NoElement<$which, ()>, F> {
                unreachable!("it is nothing")
            }
            fn local<S: Selection<D, Form = F>, F>(
                &self,
                _: S,
            ) -> Remote<'_, buffers::NoElement<$which, ()>, F> {
                unreachable!("it is nothing")
            }
        }

        #[diagnostic::do_not_recommend]
        impl<const N: usize, O: Nothing + ?Sized, D: Shape>
            OnContext<N, buffers::NoElement<$which, ()>, D, HostMemory> for O
        {
            fn remote_on<'a, K: Issuing<'a>, S: Selection<D, Form = F>, F>(
                &'a self,
                _: &'a Context<'_, K>,
                _: Pe,
                _: S,
            ) -> Remote<'a, buffers::NoElement<$which, ()>, F, K::Delivery> {
                unreachable!("it is nothing")
            }
            fn local_on<'a, K: Issuing<'a>, S: Selection<D, Form = F>, F>(
                &'a self,
                _: &'a Context<'_, K>,
                _: S,
            ) -> Remote<'a, buffers::NoElement<$which, ()>, F, K::Delivery> {
                unreachable!("it is nothing")
            }
        }
    )*};
}

undecided_ranks!(false true);

ranks! {
    0: ;
    1: A;
    2: A B;
    3: A B C;
    4: A B C D;
}

/// `remote!(&object[pe, selection])`
///
/// # Panics
///
/// When the selection is out of bounds.
#[inline(always)]
#[track_caller]
fn remote<O: Object<Item = I, Shape = D> + ?Sized, S: Selection<D, Form = F>, I: Item, D: Shape, F>(
    object: &O,
    pe: usize,
    selection: S,
) -> Remote<'_, I, F> {
    let place = object.place();
    // SAFETY: `locate` checks the selection against the extents of an object that the reference
    // borrows.
    unsafe { Remote::new(pe, selection.locate::<I::Value>(&place, pe), place.info) }
}

/// `remote!(context; &object[pe, selection])`
///
/// # Panics
///
/// When the context's team has no PE `pe`, and when the selection is out of bounds.
#[inline(always)]
#[track_caller]
fn remote_on<
    'a,
    K: Issuing<'a>,
    O: Object<Item = I, Shape = D> + ?Sized,
    S: Selection<D, Form = F>,
    I: Item,
    D: Shape,
    F,
>(
    // Both live as long as the reference: its operations are the context's.
    context: &'a Context<'_, K>,
    object: &'a O,
    pe: usize,
    selection: S,
) -> Remote<'a, I, F, K::Delivery> {
    let team = context.members();
    if pe >= team.n_pes() {
        no_such_member(team, pe, object.place().info);
    }
    remote(object, team.members.pe(pe), selection).on(context.delivery(&HostMemory))
}

/// Ends the PE with a message.
#[cold]
#[inline(never)]
#[track_caller]
fn no_such_member(team: &Team, pe: usize, info: &ObjectInfo) -> ! {
    team.check_pe(pe, &format!("the PE of an access to {info} on a context"));
    unreachable!("the team has a PE {pe}")
}

impl<'a, T: Symmetric, F: Form, D> Remote<'a, T, F, D> {
    /// `remote!(object[pe, selection].field)`: the field of each element.
    ///
    /// `project` is only asked where in an element the field lies.
    #[doc(hidden)]
    #[inline(always)]
    pub fn field<U: Symmetric>(self, project: impl FnOnce(&T) -> &U) -> Remote<'a, U, F, D> {
        // SAFETY: zeros are a valid `T`, as is every bit pattern.
        let element: T = unsafe { std::mem::zeroed() };
        let start = (&raw const element).addr();
        let offset = std::ptr::from_ref(project(&element)).addr().wrapping_sub(start);
        // A field lies inside its struct, aligned as it is in every struct; what else `project`
        // could return (the macro writes `.field`, and a `Deref` of the user may answer) does not,
        // and this folds away.
        assert!(
            offset <= size_of::<T>() && size_of::<U>() <= size_of::<T>() - offset,
            "a field selection left its element"
        );
        assert!(
            align_of::<U>() <= align_of::<T>() && offset.is_multiple_of(align_of::<U>()),
            "a field selection is aligned in this element only"
        );
        // SAFETY: each field lies inside of its element, aligned, as was just asked.
        unsafe { Remote::new(self.pe, self.at.behind(offset), self.info) }.on(self.ctx)
    }
}

impl<I: Item, F: FormOf<I::Value>, D: AtOnce> Remote<'_, I, F, D> {
    /// `remote!(place)`, and `local!(place)`. The compiler says this name where such a call is
    /// assigned to.
    #[doc(hidden)]
    #[inline(always)]
    #[track_caller]
    #[must_use = "the value that is read is dropped: bind it with `let`, or write to the place with `=`"]
    pub fn to_assign_mark_the_function_with_shmem_kernel_or_write_the_operator_inside(self) -> F::Owned {
        // Here as well: the error names the function that it is in, and where that is called.
        const { check_value::<F::Owned>() };
        D::get(&self)
    }
}

impl<I: Item, F: FormOf<I::Value>> Remote<'_, I, F> {
    /// Reads the elements: `remote!(A[pe, sel])` (`shmem_get`, `shmem_iget`; element by element
    /// `shmem_atomic_fetch` on atomic cells). Not collective.
    ///
    /// Returns the value of one element, nested arrays if the lengths are constant, and a row-major
    /// `Vec` otherwise. The read is complete when the call returns.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static GRID: [[u32; 3]; 2] = [[1, 2, 3], [4, 5, 6]];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let right = (world.my_pe() + 1) % world.n_pes();
    ///     let element: u32 = remote!(&GRID[right, 1, 0]).get();
    ///     let block: [[u32; 2]; 2] = remote!(&GRID[right, .., 1..]).get();
    ///     let n = world.n_pes();
    ///     let row: Vec<u32> = remote!(&GRID[right, 0, ..n]).get();
    ///     assert_eq!((element, block, row), (4, [[2, 3], [5, 6]], vec![1, 2]));
    /// }
    /// ```
    ///
    /// An array is returned on the stack, and the compiler refuses an array of more than 64 KiB.
    /// Read a larger one with [`get_into`](Remote::get_into):
    ///
    /// ```compile_fail,E0080
    /// # use shmem::prelude::*;
    /// #[symmetric]
    /// static LARGE: [u8; 100_000] = [0; 100_000];
    ///
    /// #[shmem::main(npes = 1)]
    /// fn main() {
    ///     let large = remote!(&LARGE[0, ..]).get();
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "shmem_get")]
    #[doc(alias = "shmem_getmem")]
    #[doc(alias = "shmem_g")]
    #[doc(alias = "shmem_iget")]
    #[doc(alias = "shmem_ibget")]
    #[doc(alias = "shmem_atomic_fetch")]
    #[doc(alias = "shmem_fetch")]
    #[doc(alias = "shmem_signal_fetch")]
    #[must_use = "the value that is read is not used"]
    pub fn get(self) -> F::Owned {
        const { check_value::<F::Owned>() };
        F::get(self.target())
    }

    /// Reads the elements into `buffer`, in row-major order: `remote!(A[pe, sel] => &mut buffer)`
    /// (`shmem_get`, `shmem_iget`). Not collective.
    ///
    /// It allocates no memory. The read is complete when the call returns.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static GRID: [[u32; 3]; 2] = [[1, 2, 3], [4, 5, 6]];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let right = (world.my_pe() + 1) % world.n_pes();
    ///     let mut all = vec![0; 6];
    ///     remote!(&GRID[right, .., ..]).get_into(&mut all[..]);
    ///     assert_eq!(all, [1, 2, 3, 4, 5, 6]);
    ///     let mut column = [0; 2];
    ///     remote!(&GRID[right, .., 2]).get_into(&mut column);
    ///     assert_eq!(column, [3, 6]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such PE, and when a slice does not have the length of the selection.
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "shmem_get")]
    #[doc(alias = "shmem_iget")]
    pub fn get_into<B: Target<I::Value, F::Shape>>(self, buffer: B) {
        // SAFETY: blocking.
        unsafe { self.get_in(Mode::Blocking, buffer) }
    }

    /// [`get_into`](Remote::get_into), as `mode` says.
    ///
    /// # Safety
    ///
    /// Where the mode is non-blocking, what `B` borrows stays borrowed until a `quiet` of the
    /// context has returned.
    #[inline(always)]
    #[track_caller]
    pub(crate) unsafe fn get_in<B: Target<I::Value, F::Shape>>(self, mode: Mode, mut buffer: B) {
        let into = buffer.slots();
        let target = self.target();
        self.same_length(into.len(), "the buffer to read into");
        // SAFETY: the buffer has room for as many elements. They lie in what `B` borrows, as every
        // target promises, and so stay there until the `quiet`.
        unsafe { target.get(mode, into.as_mut_ptr()) }
    }

    /// Writes `source` to the elements: `remote!(A[pe, sel]) = source` (`shmem_put`, `shmem_iput`;
    /// element by element `shmem_atomic_set` on atomic cells). Not collective.
    ///
    /// A source is an array or nested arrays of the selection's shape, a slice or `Vec` of its
    /// length in row-major order, or one value for all elements. It may also be another reference,
    /// `remote!(&B[pe, sel])` or `local!(&B[sel])`: its elements move from symmetric memory to
    /// symmetric memory. You may reuse the source when the call returns. Other PEs see the elements after a [`quiet`](crate::World::quiet) or barrier.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static A: [u32; 8] = [0; 8];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let right = (world.my_pe() + 1) % world.n_pes();
    ///     remote!(&A[right, 0..2]).put([1, 2]); // an array
    ///     remote!(&A[right, 2..4]).put(&vec![3, 4][..]); // a slice
    ///     remote!(&A[right, 4..6]).put(5); // one element for all places
    ///     remote!(&A[right, 7]).put(8);
    ///     world.barrier_all();
    ///     assert_eq!(local!(A[..]), [1, 2, 3, 4, 5, 5, 0, 8]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such PE, and when a slice does not have the length of the selection.
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "shmem_put")]
    #[doc(alias = "shmem_putmem")]
    #[doc(alias = "shmem_p")]
    #[doc(alias = "shmem_iput")]
    #[doc(alias = "shmem_ibput")]
    #[doc(alias = "shmem_atomic_set")]
    #[doc(alias = "shmem_set")]
    #[doc(alias = "shmem_signal_set")]
    pub fn put<S: Source<I::Value, F::Shape>>(self, source: S) {
        // SAFETY: blocking.
        unsafe { source.put_to(self, Mode::Blocking) }
    }

    /// [`put`](Remote::put), of what a source holds, as `mode` says.
    ///
    /// # Safety
    ///
    /// Where the mode is non-blocking, the source stays borrowed until a `quiet` of the context has
    /// returned.
    #[inline(always)]
    #[track_caller]
    pub(crate) unsafe fn put_in<S: Source<I::Value, F::Shape> + ?Sized>(self, mode: Mode, source: &S) {
        // SAFETY: the caller's promise.
        unsafe { source.put_to(self, mode) }
    }

    /// [`put_in`](Remote::put_in), of values: `every` says whether it is one for all elements.
    ///
    /// # Safety
    ///
    /// As `put_in`.
    #[inline(always)]
    #[track_caller]
    unsafe fn put_values(self, mode: Mode, from: &[I::Value], every: bool) {
        let target = self.target();
        // SAFETY: the elements of the source lie in what it borrows or is, and so stay there until
        // the `quiet`.
        unsafe {
            if every {
                target.fill(mode, &from[0]);
            } else {
                target.put(mode, from);
            }
        }
    }

    /// Writes `value` to every element: `remote!(A[pe, sel]) = value` (`shmem_put`, `shmem_iput`).
    /// Not collective.
    ///
    /// Other PEs see the elements after a [`quiet`](crate::World::quiet) or barrier.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static A: [u32; 6] = [0; 6];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let right = (world.my_pe() + 1) % world.n_pes();
    ///     remote!(&A[right, 1..;2]).fill(7);
    ///     world.barrier_all();
    ///     assert_eq!(local!(A[..]), [0, 7, 0, 7, 0, 7]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    #[inline(always)]
    #[track_caller]
    pub fn fill(self, value: I::Value) {
        // SAFETY: blocking.
        unsafe { self.target().fill(Mode::Blocking, &value) }
    }
}

/// Ends the PE with a message. It gets no reference to the selection, which would keep that in
/// memory on the way past here.
#[cold]
#[inline(never)]
#[track_caller]
fn other_length(len: usize, what: &str, info: &ObjectInfo, pe: Option<usize>, selected: usize) -> ! {
    let on = pe.map(|pe| format!(" on PE {pe}")).unwrap_or_default();
    panic!("{what} has {len} elements, and the selection of {info}{on} has {selected}")
}

impl<I, F> Remote<'_, I, F> {
    /// Returns the number of the PE that holds the elements, among all PEs of the job. Not
    /// collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static A: [u32; 4] = [0; 4];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     assert_eq!(remote!(&A[1, ..]).pe(), 1);
    ///     assert_eq!(local!(&A[2]).pe(), world.my_pe());
    /// }
    /// ```
    #[must_use]
    pub fn pe(&self) -> usize
    where
        F: OnOnePe,
    {
        self.pe
    }
}

impl<I, F: Form> Remote<'_, I, F> {
    /// Returns the number of elements that are selected. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static GRID: [[u32; 8]; 4] = [[0; 8]; 4];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main() {
    ///     assert_eq!(remote!(&GRID[1, 2, 3]).len(), 1);
    ///     assert_eq!(remote!(&GRID[1, 1..3, 0..8;3]).len(), 2 * 3);
    /// }
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.at.count()
    }

    /// Returns whether no element is selected. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static A: [u32; 4] = [0; 4];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     // The elements before that of this PE: none on PE 0, one on PE 1.
    ///     let before = local!(&A[..world.my_pe()]);
    ///     assert_eq!(before.is_empty(), world.my_pe() == 0);
    /// }
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<I: Item, F: Form> Remote<'_, I, F> {
    /// Returns the address of the first selected element, if the PE is directly addressable
    /// (`shmem_ptr`). Not collective.
    ///
    /// Returns `None` if the PE is not directly addressable, and in runs with `SHMEM_DIRECT=0` or
    /// `SHMEM_STATS=1`. If PEs are on several hosts, it also returns `None` for
    /// [`Atomic`](crate::Atomic) cells. The address of a cell is that of its value, which only atomic
    /// operations may access. The elements of `..` are contiguous. The places of other elements follow
    /// from the extents and the steps. The address of an empty selection is not that of an element.
    ///
    /// `remote!(ctx; &A[pe, ..]).as_ptr()` numbers the PEs of the context's team
    /// (`shmem_team_ptr`).
    ///
    /// It is safe to make the address, and `unsafe` to use it. Other PEs may write there at any
    /// time. Access it only while the object exists and its PE is in no [local
    /// phase](crate::phase). Use atomic operations, or volatile ones while no PE writes.
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering};
    ///
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static COUNT: Atomic<u64> = Atomic::new(0);
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     if let Some(count) = remote!(&COUNT[0]).as_ptr() {
    ///         // SAFETY: the static lives as long as the process, and all access to its cells is atomic.
    ///         unsafe { AtomicU64::from_ptr(count) }.fetch_add(1, Ordering::AcqRel);
    ///     } else {
    ///         remote!(COUNT[0]) += 1;
    ///     }
    ///     world.barrier_all();
    ///     assert_eq!(remote!(COUNT[0]), 2);
    /// }
    /// ```
    #[must_use]
    #[track_caller]
    #[doc(alias = "shmem_ptr")]
    #[doc(alias = "shmem_team_ptr")]
    pub fn as_ptr(self) -> Option<*mut I::Value>
    where
        F: OnOnePe,
    {
        self.target().address().map(<*mut u8>::cast)
    }
}

impl<I, F> Remote<'_, I, F> {
    /// Returns whether operations reach the elements (`shmem_addr_accessible`), which means that
    /// there is such a PE. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static A: [u8; 4] = [0; 4];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     assert!(remote!(&A[1, 2..]).is_accessible());
    ///     assert!(!remote!(&A[world.n_pes(), 2..]).is_accessible());
    /// }
    /// ```
    #[must_use]
    #[doc(alias = "shmem_addr_accessible")]
    pub fn is_accessible(self) -> bool {
        self.pe < direct::n_pes()
    }
}

impl<'a, I, F> Remote<'a, I, F> {
    /// The elements at `at` in the copy of `pe` of an object, on the default context.
    ///
    /// # Safety
    ///
    /// They are elements of `I` inside of a symmetric object that is live for `'a`, as many as the
    /// form says.
    #[inline(always)]
    pub(crate) unsafe fn new(pe: usize, at: F, info: &'a ObjectInfo) -> Remote<'a, I, F> {
        Remote { pe, at, info, ctx: Ctx::DEFAULT, holds: PhantomData }
    }

    /// The same elements, with operations on another context, which outlives the reference.
    #[inline(always)]
    pub(crate) fn on_context(self, ctx: Ctx) -> Remote<'a, I, F> {
        self.on(ctx)
    }

    /// The context of its operations.
    #[inline(always)]
    pub(crate) fn ctx(&self) -> Ctx {
        self.ctx
    }

    /// The object.
    #[inline(always)]
    pub(crate) fn info(&self) -> &'a ObjectInfo {
        self.info
    }
}

impl<'a, I, F, D> Remote<'a, I, F, D> {
    /// The same elements, with operations that queue up at `ctx`.
    #[inline(always)]
    pub(crate) fn on<E>(self, ctx: E) -> Remote<'a, I, F, E> {
        let Remote { pe, at, info, holds, .. } = self;
        Remote { pe, at, info, ctx, holds }
    }
}

impl<'a, I, F: OnOnePe> Remote<'a, I, F> {
    /// The same elements, in the form that any selection on one PE has.
    #[inline]
    pub(crate) fn picked(self) -> Remote<'a, I, Picked<'a, Many>>
    where
        F: 'a,
    {
        Remote { pe: self.pe, at: Picked::of(self.at), info: self.info, ctx: self.ctx, holds: PhantomData }
    }

    /// Where the first element lies, if there is one.
    #[cfg(any(feature = "bench", feature = "openshmem", test))]
    pub(crate) fn first_offset(&self) -> usize {
        self.at.offset()
    }

    /// Where the elements lie, which are no list and do not descend.
    #[inline(always)]
    pub(crate) fn region(&self) -> Region {
        self.at.region()
    }

    /// Where the elements begin in the heap of this PE, and how many bytes they have, where they are this PE's and
    /// lie side by side, as is plain to see, and loads reach them.
    #[inline(always)]
    pub(crate) fn own_bytes(&self) -> Option<(*mut u8, usize)>
    where
        I: Symmetric,
    {
        if const { F::PICKED } || self.pe != direct::my_pe() {
            return None;
        }
        let (region, heap) = (self.at.region(), direct::reached(self.pe));
        let bytes = region.dense(size_of::<I>())?;
        (!heap.is_null()).then(|| (heap.wrapping_add(region.offset), bytes))
    }
}

impl<I, F: Form> Remote<'_, I, F> {
    /// Asks that `what` has as many elements as are selected.
    ///
    /// # Panics
    ///
    /// When it has not.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn same_length(&self, len: usize, what: &str) {
        let selected = match const { F::LEN } {
            Some(len) => len,
            None => self.at.count(),
        };
        if len != selected {
            other_length(len, what, self.info, (!F::SPREAD).then_some(self.pe), selected);
        }
    }
}

crate::remedies::methods! {
    [I, F] Remote<'_, I, F>, [for<'x> &'x Self: NonBlocking] => put_nbi(A) get_nbi(A);
    [I, F] Remote<'_, I, F>, [for<'x> &'x Self: Strided] => iput(A) iget();
    [T] Remote<'_, Atomic<T>, One>, [for<'x> &'x Self: AtomicName] => fetch_inc() inc() fetch() set(A) compare_swap(A B);
    [I: Symmetric, F] Remote<'_, I, F>, [I: AtomicElement] =>
        fetch_add(A) add(A) fetch_sub(A) sub(A) fetch_and(A) and(A) fetch_or(A) or(A) fetch_xor(A) xor(A)
        fetch_min(A) min(A) fetch_max(A) max(A) swap(A) compare_exchange(A B);
    [T, const N: usize, F] Remote<'_, Atomic<T>, Grid<N, F>>, [Grid<N, F>: OneElement] =>
        fetch_add(A) add(A) fetch_sub(A) sub(A) fetch_and(A) and(A) fetch_or(A) or(A) fetch_xor(A) xor(A)
        fetch_min(A) min(A) fetch_max(A) max(A) swap(A) compare_exchange(A B);
    [T] Remote<'_, Atomic<T>, Many>, [for<'x> &'x Many: OneElement] =>
        fetch_add(A) add(A) fetch_sub(A) sub(A) fetch_and(A) and(A) fetch_or(A) or(A) fetch_xor(A) xor(A)
        fetch_min(A) min(A) fetch_max(A) max(A) swap(A) compare_exchange(A B);
    ['i, T, F] Remote<'_, Atomic<T>, Picked<'i, F>>, [Picked<'i, F>: OneElement] =>
        fetch_add(A) add(A) fetch_sub(A) sub(A) fetch_and(A) and(A) fetch_or(A) or(A) fetch_xor(A) xor(A)
        fetch_min(A) min(A) fetch_max(A) max(A) swap(A) compare_exchange(A B);
    ['i, T, F] Remote<'_, Atomic<T>, Spread<'i, F>>, [Spread<'i, F>: OneElement] =>
        fetch_add(A) add(A) fetch_sub(A) sub(A) fetch_and(A) and(A) fetch_or(A) or(A) fetch_xor(A) xor(A)
        fetch_min(A) min(A) fetch_max(A) max(A) swap(A) compare_exchange(A B);
    [] Remote<'_, Atomic<f32>, One>, [for<'x> &'x f32: Integer] =>
        fetch_and(A) and(A) fetch_or(A) or(A) fetch_xor(A) xor(A) compare_exchange(A B);
    [] Remote<'_, Atomic<f64>, One>, [for<'x> &'x f64: Integer] =>
        fetch_and(A) and(A) fetch_or(A) or(A) fetch_xor(A) xor(A) compare_exchange(A B);
}
