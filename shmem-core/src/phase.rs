//! Local phases: slices of this PE's own copies of symmetric objects, in safe code.
//!
//! A program starts in the *shared* phase: any PE may read and write any copy at any time. So a PE
//! accesses its own copy by value ([`local!`](crate::local!)), and never by reference.
//! [`World::local_phase`] changes this for the duration of a closure. In a *local* phase, only its
//! own PE may access a copy, remote access is refused, and `as_slice` and `as_mut_slice` borrow
//! ordinary slices.
//!
//! ```
//! use shmem::prelude::*;
//!
//! #[symmetric]
//! static ROW: [f64; 8] = [0.0; 8];
//!
//! #[shmem::main(npes = 2)]
//! fn main(world: &World) {
//!     let me = world.my_pe();
//!     let right = (me + 1) % world.n_pes();
//!     remote!(ROW[right, 0..4]) = [4.0, 3.0, 2.0, 1.0];
//!     let largest = world.local_phase(|p| {
//!         let mut row = ROW.as_mut_slice(p); // what the left neighbour has put is there
//!         row.sort_by(f64::total_cmp);
//!         row[7]
//!     });
//!     assert_eq!(largest, 4.0);
//!     assert_eq!(remote!(ROW[right, 4..8]), [1.0, 2.0, 3.0, 4.0]); // what the right one has sorted
//! }
//! ```
//!
//! A closure can borrow:
//!
//! | | on | derefs to |
//! |---|---|---|
//! | [`as_slice`](crate::Static::as_slice), [`as_mut_slice`](crate::Static::as_mut_slice) | statics, [arrays](crate::SymmetricArray::as_slice) | `[T]`, row-major |
//! | [`as_array`](crate::Static::as_array), [`as_mut_array`](crate::Static::as_mut_array) | statics of constant extents | `[[T; M]; N]` |
//! | [`as_slice`](crate::GlobalArray::as_slice), [`as_mut_slice`](crate::GlobalArray::as_mut_slice), [`mine_mut`](crate::GlobalArray::mine_mut) | the part of a global array | `[T]`, row-major; elements with their indices |
//! | `as_ndarray`, `as_ndarray_mut` (feature `ndarray`) | both | by `view()` and `view_mut()`, an `ndarray` view of the object's rank |
//!
//! In a phase, a program may call everything that does not access symmetric memory, and also
//! [`barrier_all`](World::barrier_all) and [`sync_all`](World::sync_all). Remote access, `local!`,
//! collectives, allocation and release end the job with a panic that names the place, and so does a
//! second phase inside the first. OpenSHMEM has no routine for this.
//!
//! Threads can share the work, because the slices are ordinary slices: scoped threads that are
//! started in the phase, and the threads of a pool. Threads that were started before may continue
//! as long as they do not access symmetric memory. A thread that accesses it ends the job.
//!
//! # What it costs
//!
//! Entering and leaving a phase take a barrier each. On Linux, the PE also reads the number of
//! threads of its process. With more than one thread, including idle ones, the system changes the
//! protection of the pages that this process has touched, twice. The slices are then in a second
//! mapping, whose pages are mapped one by one when they are first touched. So a phase of a PE with
//! threads costs several times as much as one without, and more with every page that the PE has
//! touched in its own and other heaps. Outside of phases there is no cost: the null that refuses an
//! access in a phase is also the one that sends an access through the transport.
//!
//! # Why it is sound
//!
//! A `&mut [T]` promises that nobody else reads or writes those bytes while it lives, and a `&[T]`
//! that nobody writes them. Others are: the other PEs, the other threads of this PE, and this very
//! thread by another way. Safe code must not be able to break the promise on any PE, whatever the
//! others run.
//!
//! 1. *All PEs are in the same kind of phase.* To enter, a PE closes its own way to all symmetric
//!    memory (2, 3), completes what it has put (`quiet`), and waits until every PE has done the
//!    same. To leave, it gives its slices up (5), waits until every PE has done so, and only then
//!    opens the way. The waiting has counters of its own, that nothing else advances, and one
//!    thread of a PE at a time can be in a change of phase. So the k-th change on one PE can only
//!    meet the k-th on every other: while a slice lives on some PE, *every* PE is between the two
//!    meetings of the same phase, and has closed its way. PEs that disagree on their phases wait
//!    for each other, or are told that one has left; they are never undefined.
//! 2. *No access begins in a phase.* An access starts by reading an address from one table (see
//!    `direct`). Its entries are null in a phase, and what finds a null finds out why, and is
//!    refused. Where the transport moves the data itself, it refuses too. The runtime's own words
//!    in symmetric memory (for allocation, reductions, and leaving the job) are behind the same
//!    refusal.
//! 3. *No access goes on in a phase.* A thread that has read an address before may be about to use
//!    it, or be in the middle of a copy; a null in the table does not stop it. If the process has
//!    one thread, then it is the one that enters, and it is in no access: no code of the user runs
//!    between an address and its use. (A batch keeps addresses between its operations, so a phase does
//!    not begin inside of one.) A thread that is started later sees the nulls. If there are
//!    several threads, or their number is not known, the system takes this process's access to the
//!    pages of all heaps away before the meeting, and gives it back after the last; the slices are
//!    in a second mapping, of this PE's heap alone, that no other code of the program has the
//!    address of. What any thread accessed before that is done when the call returns. Who tries
//!    later is ended by the processor, with an explanation, and the job with it.
//!
//!    Over a C library a transfer may go on without its thread. So the PE first refuses the
//!    transfers that begin, then waits for the threads that are inside of one, then completes all
//!    contexts, and then closes the heaps as above; the library's own threads, which are known from
//!    before, touch nothing when nothing is under way.
//! 4. *Two slices in one PE do not conflict.* Each borrow is entered in a list by the object's
//!    place: any number of shared ones, or one mutable one. The objects that a program can name do
//!    not overlap: statics have places of their own, and memory of an array is given to another one
//!    in collective calls only, which are refused in a phase, also when the handle is dropped in
//!    it. A guard that is leaked keeps its entry until the phase ends, and its slice does not live
//!    longer than that.
//! 5. *No slice outlives the phase.* A guard borrows from the `&Phase`, whose lifetime is chosen by
//!    this module, for the call of the closure; so neither can be returned, stored outside, or
//!    moved to a thread that may outlive the call. A panic that leaves the closure ends the
//!    process, and is not unwound past it, since the others would wait for this PE.
//! 6. *What a slice shows is valid.* Elements are [`Symmetric`]: every bit pattern is a value. The
//!    address is checked for alignment, the length against the heap. Atomic cells have no slices.
//!
//! What remains `unsafe`, and up to who writes it: raw pointers into symmetric memory, `fork`,
//! signal handlers that access symmetric memory, and taking file descriptors or mappings away from
//! the library.

mod parts;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::array::SymmetricArray;
use crate::runtime;
use crate::runtime::races::MeetingScope;
use crate::runtime::team::slots;
use crate::runtime::{batch, context, direct, observe};
use crate::symmetric::shape::Shape;
use crate::symmetric::{Item, Object, ObjectInfo, ObjectPlace, Slot, Static, StaticType, Symmetric};
use crate::system::process::end_by_panic;
use crate::transport::closed::end;
use crate::transport::layout;
use crate::transport::node::deadlock;
use crate::world::World;

/// Whether a thread of this PE is in a phase, or in a change of phase.
static TAKEN: AtomicBool = AtomicBool::new(false);

impl World {
    /// Runs `body` in a local phase, in which this PE borrows its copies of symmetric objects as
    /// slices. Collective: every PE enters the same number of phases.
    ///
    /// The slices hold what any PE wrote to this PE's copies before it entered, and after the phase
    /// every PE sees what was written to the slices. Inside, remote access and `local!` are
    /// refused; see [`phase`](crate::phase), where the soundness is argued too. OpenSHMEM has no
    /// such routine.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static GRID: [[f64; 4]; 3] = [[1.0; 4]; 3];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let sums = world.symmetric_array::<f64, 1>([3], 0.0)?;
    ///     world.local_phase(|p| {
    ///         let grid = GRID.as_array(p); // [[f64; 4]; 3]
    ///         let mut sums = sums.as_mut_slice(p);
    ///         for (sum, row) in sums.iter_mut().zip(grid.iter()) {
    ///             *sum = row.iter().sum();
    ///         }
    ///     });
    ///     assert_eq!(local!(sums[..]), [4.0; 3]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// A panic in `body` ends the job, even if a caller would catch it: the other PEs wait for this
    /// one, and cannot continue. The same happens when this PE is in a phase already, when a PE has
    /// returned from its function and so cannot enter, when another thread is in an access to
    /// symmetric memory, and when the system refuses a call that a phase needs.
    #[track_caller]
    pub fn local_phase<R>(&self, body: impl for<'p> FnOnce(&'p Phase) -> R) -> R {
        self.phase_of("local_phase", Location::caller(), body)
    }

    /// A local phase that the call `what` at `place` needs.
    #[track_caller]
    pub(crate) fn phase_of<R>(
        &self,
        what: &'static str,
        place: &'static Location<'static>,
        body: impl for<'p> FnOnce(&'p Phase) -> R,
    ) -> R {
        let runtime = runtime::get();
        let endpoint = runtime.endpoint();
        let _span = observe::phase(what, place);
        if TAKEN.swap(true, Ordering::Acquire) {
            end(format_args!(
                "this PE is in a local phase already: end it before you begin the next one, and enter from \
                 one thread only"
            ));
        }
        // The operations that wait there hold addresses, and would be done in the phase.
        if batch::is_open() {
            end(format_args!("a local phase cannot begin inside of a batch: end the batch first"));
        }
        direct::close();
        endpoint.heaps.refuse_transfers();
        context::quiet_all(endpoint.transport);
        let heap = match endpoint.heaps.close() {
            Ok(heap) => heap,
            Err(error) => end(format_args!("cannot enter a local phase for `{what}`: {error}")),
        };
        deadlock::begin_at(what, place);
        let meeting = MeetingScope::of_phase(what, place);
        endpoint.meetings.sync_phase();
        drop(meeting);
        let phase = Phase { heap, size: endpoint.facts.heap_size, borrows: Mutex::new(BTreeMap::new()) };
        let inside = observe::inside_phase(place);
        let result = match catch_unwind(AssertUnwindSafe(|| body(&phase))) {
            Ok(result) => result,
            Err(payload) => end_by_panic(Some(&*payload)),
        };
        drop(inside);
        deadlock::begin_at(what, place);
        let meeting = MeetingScope::of_phase(what, place);
        endpoint.meetings.sync_phase();
        drop(meeting);
        if let Err(error) = endpoint.heaps.open() {
            end(format_args!("cannot leave a local phase after `{what}`: {error}"));
        }
        direct::reopen(endpoint);
        slots::settle(runtime);
        TAKEN.store(false, Ordering::Release);
        result
    }
}

/// A local phase that this PE is in; [`World::local_phase`] passes it to its closure, and slices
/// borrow from it.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::phase::Phase;
///
/// #[symmetric]
/// static ROW: [u64; 4] = [1; 4];
///
/// /// Called in a phase.
/// fn total(phase: &Phase) -> u64 {
///     ROW.as_slice(phase).iter().sum()
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     let sum = world.local_phase(|p| total(p));
///     assert_eq!(sum, 4);
/// }
/// ```
pub struct Phase {
    /// This PE's heap, in the view that belongs to the phase.
    heap: NonNull<u8>,
    size: usize,
    borrows: Mutex<Borrows>,
}

// SAFETY: through a shared `Phase` a thread can only borrow slices. The list of borrows is behind a
// lock, and the guards that it hands out say themselves which threads they can go to.
unsafe impl Sync for Phase {}

impl fmt::Debug for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Phase").finish_non_exhaustive()
    }
}

/// The borrowed objects, by the offsets at which they lie. Objects of no size are not in the list.
type Borrows = BTreeMap<usize, Borrow>;

struct Borrow {
    /// How many shared borrows there are; none stands for one mutable one.
    shared: usize,
    /// Where the first of them was made.
    at: &'static Location<'static>,
}

/// An entry in the list of borrows, until it is dropped.
struct BorrowEntry<'a> {
    borrows: &'a Mutex<Borrows>,
    /// The object's offset; none for an object of no size.
    object: Option<usize>,
}

impl Drop for BorrowEntry<'_> {
    fn drop(&mut self) {
        let Some(object) = self.object else { return };
        let mut borrows = self.borrows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut entry) = borrows.entry(object) {
            match entry.get().shared {
                0 | 1 => {
                    entry.remove();
                }
                _ => entry.get_mut().shared -= 1,
            }
        }
    }
}

/// What is borrowed as a whole: a symmetric object of its own, of whatever rank.
pub(crate) trait Whole {
    /// What a slot holds.
    type Item: Item;
    /// Where it begins in a heap, how many slots it has, and how to speak of it.
    fn whole(&self) -> (usize, usize, &ObjectInfo);
}

impl<T: StaticType<Item: Item>> Whole for Static<T> {
    type Item = T::Item;
    fn whole(&self) -> (usize, usize, &ObjectInfo) {
        let ObjectPlace { offset, shape, info } = self.place();
        (offset, shape.extents().iter().product(), info)
    }
}

impl<I: Item, const R: usize> Whole for SymmetricArray<I, R> {
    type Item = I;
    fn whole(&self) -> (usize, usize, &ObjectInfo) {
        let (offset, info) = self.lies_at();
        (offset, self.len(), info)
    }
}

impl Phase {
    /// The bytes of this PE's heap in `range`, which must be those of objects.
    ///
    /// # Safety
    ///
    /// While the result lives, nothing of it is borrowed mutably from this phase.
    pub(crate) unsafe fn bytes(&self, range: Range<usize>) -> &[u8] {
        assert!(layout::END <= range.start && range.start <= range.end && range.end <= self.size);
        // SAFETY:
        // * in bounds: the range is inside of the heap and after the runtime's own part, by the
        //   assertion; it stays mapped;
        // * initialised: memory of the heap is zeros or what was written to it;
        // * not written meanwhile: by points 1 to 3 of the module's argument nobody but a borrower
        //   of this phase writes in it, and the caller promises that there is none.
        unsafe { std::slice::from_raw_parts(self.heap.add(range.start).as_ptr(), range.len()) }
    }

    /// As [`bytes`](Phase::bytes), to be overwritten: elements are valid for every bit pattern.
    ///
    /// # Safety
    ///
    /// While the result lives, nothing of it is borrowed from this phase.
    #[expect(
        clippy::mut_from_ref,
        reason = "the phase stands for the heap, of which the caller says what is borrowed"
    )]
    pub(crate) unsafe fn bytes_mut(&self, range: Range<usize>) -> &mut [u8] {
        assert!(layout::END <= range.start && range.start <= range.end && range.end <= self.size);
        // SAFETY: as in `bytes`; and by the caller's promise there is no other borrow of these
        // bytes.
        unsafe { std::slice::from_raw_parts_mut(self.heap.add(range.start).as_ptr(), range.len()) }
    }

    /// Borrows what this PE has of an object: its first element, how many there are, and the entry in
    /// the list. The object is where it begins, how many slots it has, and how to speak of it.
    #[track_caller]
    fn borrow<T: Symmetric>(
        &self,
        (offset, len, info): (usize, usize, &ObjectInfo),
        mutable: bool,
    ) -> (NonNull<T>, usize, BorrowEntry<'_>) {
        let bytes = len.checked_mul(size_of::<T>());
        let end = bytes.and_then(|bytes| offset.checked_add(bytes));
        let (Some(bytes), true) = (bytes, end.is_some_and(|end| end <= self.size)) else {
            panic!(
                "{info} is not laid out in symmetric memory: it belongs to a part of the program that was loaded later"
            )
        };
        // SAFETY: the offset is inside the heap, or just after its end, as was just asked.
        let start = unsafe { self.heap.add(offset) }.cast::<T>();
        assert!(
            start.is_aligned(),
            "{info} cannot be borrowed as a slice: its elements have an alignment of {} bytes, which is more than symmetric memory has",
            align_of::<T>()
        );
        let object = (bytes > 0).then_some(offset);
        if let Some(object) = object {
            let at = Location::caller();
            let mut borrows = self.borrows.lock().unwrap_or_else(PoisonError::into_inner);
            match borrows.entry(object) {
                Entry::Vacant(entry) => {
                    entry.insert(Borrow { shared: usize::from(!mutable), at });
                }
                Entry::Occupied(mut entry) if !mutable && entry.get().shared > 0 => {
                    entry.get_mut().shared += 1
                }
                Entry::Occupied(entry) => {
                    let Borrow { shared, at } = *entry.get();
                    drop(borrows);
                    panic!(
                        "{info} is borrowed {} since {at}, and cannot be borrowed {}: one mutable borrow \
                         excludes all others; drop the first borrow, or use it for both",
                        if shared > 0 { "as shared" } else { "as mutable" },
                        if mutable { "as mutable" } else { "as shared" },
                    )
                }
            }
        }
        (start, len, BorrowEntry { borrows: &self.borrows, object })
    }

    #[track_caller]
    pub(crate) fn slice<'a, T: Symmetric, O: Whole<Item = I>, I: Item<Value = T>>(
        &'a self,
        object: &'a O,
    ) -> LocalRef<'a, [T]> {
        let (start, len, held) = self.borrow(object.whole(), false);
        LocalRef { to: NonNull::slice_from_raw_parts(start, len), _held: held, holds: PhantomData }
    }

    #[track_caller]
    pub(crate) fn slice_mut<'a, T: Symmetric, O: Whole<Item = I>, I: Item<Value = T>>(
        &'a self,
        object: &'a O,
    ) -> LocalMut<'a, [T]> {
        let (start, len, held) = self.borrow(object.whole(), true);
        LocalMut { to: NonNull::slice_from_raw_parts(start, len), _held: held, holds: PhantomData }
    }
}

/// A shared borrow of this PE's copy of a symmetric object: derefs to `X`, a slice or an array.
///
/// Other shared borrows of the object may exist at the same time. A mutable one is possible after
/// all of them are dropped.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::phase::LocalRef;
///
/// #[symmetric]
/// static ROW: [u64; 4] = [1; 4];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     world.local_phase(|p| {
///         let row: LocalRef<'_, [u64]> = ROW.as_slice(p);
///         let again = ROW.as_slice(p);
///         assert_eq!(row.iter().sum::<u64>(), again.iter().sum());
///     });
/// }
/// ```
pub struct LocalRef<'a, X: ?Sized> {
    // Not a reference: the guard may be dropped, and the object borrowed anew, in a function that
    // got the guard as an argument.
    to: NonNull<X>,
    _held: BorrowEntry<'a>,
    holds: PhantomData<&'a X>,
}

/// The mutable borrow of this PE's copy of a symmetric object: derefs to `X`, a slice or an array.
///
/// No other borrow of the object exists at the same time.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::phase::LocalMut;
///
/// #[symmetric]
/// static ROW: [u64; 4] = [1; 4];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     world.local_phase(|p| {
///         let mut row: LocalMut<'_, [u64]> = ROW.as_mut_slice(p);
///         row.reverse();
///         row[0] = 5;
///     });
///     assert_eq!(local!(ROW[..]), [5, 1, 1, 1]);
/// }
/// ```
pub struct LocalMut<'a, X: ?Sized> {
    to: NonNull<X>,
    _held: BorrowEntry<'a>,
    holds: PhantomData<&'a mut X>,
}

// SAFETY: a `LocalRef` gives what a `&X` gives, which can go to another thread if `X` is `Sync`;
// its entry in the list of borrows is behind a lock.
unsafe impl<X: ?Sized + Sync> Send for LocalRef<'_, X> {}
// SAFETY: as above.
unsafe impl<X: ?Sized + Sync> Sync for LocalRef<'_, X> {}
// SAFETY: a `LocalMut` gives what a `&mut X` gives, which can go to another thread if `X` is
// `Send`; the entry as above.
unsafe impl<X: ?Sized + Send> Send for LocalMut<'_, X> {}
// SAFETY: a shared `LocalMut` gives a `&X`.
unsafe impl<X: ?Sized + Sync> Sync for LocalMut<'_, X> {}

impl<'a, X: ?Sized> LocalMut<'a, X> {
    /// What is borrowed, which stays borrowed until the phase ends.
    fn leak(self) -> &'a mut X {
        let mut to = self.to;
        std::mem::forget(self);
        // SAFETY: as for `deref_mut`; the entry of a guard that is leaked stays in the list until the
        // phase ends, which `'a` does not outlive (points 4 and 5 of the module's argument).
        unsafe { to.as_mut() }
    }
}

impl<X: ?Sized> Deref for LocalRef<'_, X> {
    type Target = X;
    #[inline(always)]
    fn deref(&self) -> &X {
        // SAFETY:
        // * in bounds, aligned, valid: `Phase::borrow` checked the place, and made the guard for
        //   what lies there;
        // * nobody writes there while the result lives, which is not longer than the guard: points
        //   1 to 5 of the module's argument; the guard's entry in the list excludes the mutable
        //   borrows of this PE.
        unsafe { self.to.as_ref() }
    }
}

impl<X: ?Sized> Deref for LocalMut<'_, X> {
    type Target = X;
    #[inline(always)]
    fn deref(&self) -> &X {
        // SAFETY: as for `LocalRef`; the guard's entry excludes all other borrows, and this one is
        // shared.
        unsafe { self.to.as_ref() }
    }
}

impl<X: ?Sized> DerefMut for LocalMut<'_, X> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut X {
        // SAFETY: as for `LocalRef`; the guard's entry excludes all other borrows, and the guard is
        // borrowed mutably for as long as the result lives.
        unsafe { self.to.as_mut() }
    }
}

impl<X: ?Sized + fmt::Debug> fmt::Debug for LocalRef<'_, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<X: ?Sized + fmt::Debug> fmt::Debug for LocalMut<'_, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Elements that can be borrowed: plain ones, not atomic cells.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a symmetric object of `{Self}` cannot be borrowed",
    label = "its cells are accessed by atomic operations only",
    note = "read and write the cells with `local!` and `remote!` outside of a local phase, or declare the object with plain elements"
)]
pub trait Plain: Symmetric + Item<Value = Self> {}

#[diagnostic::do_not_recommend]
impl<T: Symmetric> Plain for T {}

/// The types of statics that lie in memory as declared: every extent is constant.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a `PerPe` object has no array type: its first extent is the number of PEs",
    label = "the extents are not all constant",
    note = "borrow it with `as_slice` or `as_mut_slice`"
)]
pub trait AllConstant: StaticType {
    /// The type itself.
    type Array;
}

// Not sealed: nobody else can implement it for a `PerPe` of a type of theirs, and whatever else is
// a `StaticType` has it.
#[diagnostic::do_not_recommend]
impl<I: Slot> AllConstant for I {
    type Array = I;
}
#[diagnostic::do_not_recommend]
impl<T, const N: usize> AllConstant for [T; N]
where
    [T; N]: StaticType,
{
    type Array = [T; N];
}

macro_rules! slices {
    () => {
        /// Borrows this PE's copy as a slice, row-major, in a [local phase](crate::phase). Not
        /// collective.
        ///
        /// Other shared borrows may exist at the same time. OpenSHMEM has no routine for this: a C
        /// program casts the pointer, and must make sure that no other PE writes.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static DATA: [u32; 4] = [1, 2, 3, 4];
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) {
        ///     let sum = world.local_phase(|p| DATA.as_slice(p).iter().sum::<u32>());
        ///     assert_eq!(sum, 10);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When the object is borrowed mutably, and when the elements need an alignment that
        /// symmetric memory does not have.
        #[track_caller]
        pub fn as_slice<'a>(&'a self, phase: &'a Phase) -> LocalRef<'a, [I]>
        where
            I: Plain,
        {
            phase.slice(self)
        }

        /// Borrows this PE's copy as a mutable slice, row-major, in a [local phase](crate::phase).
        /// Not collective.
        ///
        /// It is an ordinary slice: scoped threads and thread pools can take chunks of it.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static DATA: [u32; 4] = [0; 4];
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) {
        ///     world.local_phase(|p| {
        ///         let mut data = DATA.as_mut_slice(p);
        ///         std::thread::scope(|scope| {
        ///             for (chunk, value) in data.chunks_mut(2).zip([7, 8]) {
        ///                 scope.spawn(move || chunk.fill(value));
        ///             }
        ///         });
        ///     });
        ///     assert_eq!(local!(DATA[..]), [7, 7, 8, 8]);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When the object is borrowed already, and when the elements need an alignment that
        /// symmetric memory does not have.
        #[track_caller]
        pub fn as_mut_slice<'a>(&'a self, phase: &'a Phase) -> LocalMut<'a, [I]>
        where
            I: Plain,
        {
            phase.slice_mut(self)
        }
    };
}

impl<T: StaticType<Item = I>, I: Item> Static<T> {
    slices!();

    /// Borrows this PE's copy as what it was declared: nested arrays, or the one element of a
    /// scalar. Not collective.
    ///
    /// As [`as_slice`](Static::as_slice), for a static whose extents are all constant.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static GRID: [[u32; 3]; 2] = [[1, 2, 3], [4, 5, 6]];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let column = world.local_phase(|p| GRID.as_array(p).map(|row| row[1]));
    ///     assert_eq!(column, [2, 5]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`as_slice`](Static::as_slice).
    #[track_caller]
    pub fn as_array<'a, A>(&'a self, phase: &'a Phase) -> LocalRef<'a, A>
    where
        I: Plain,
        T: AllConstant<Array = A>,
    {
        let LocalRef { to, _held, .. } = phase.slice(self);
        LocalRef { to: to.cast(), _held, holds: PhantomData }
    }

    /// Borrows this PE's copy as what it was declared, mutably. Not collective.
    ///
    /// As [`as_mut_slice`](Static::as_mut_slice), for a static whose extents are all constant.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static GRID: [[f64; 8]; 4] = [[0.0; 8]; 4];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     world.local_phase(|p| GRID.as_mut_array(p)[3][7] = 1.0);
    ///     assert_eq!(local!(GRID[3, 7]), 1.0);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`as_mut_slice`](Static::as_mut_slice).
    #[track_caller]
    pub fn as_mut_array<'a, A>(&'a self, phase: &'a Phase) -> LocalMut<'a, A>
    where
        I: Plain,
        T: AllConstant<Array = A>,
    {
        let LocalMut { to, _held, .. } = phase.slice_mut(self);
        LocalMut { to: to.cast(), _held, holds: PhantomData }
    }
}

impl<I: Item, const R: usize> SymmetricArray<I, R> {
    slices!();
}

#[cfg(feature = "ndarray")]
mod views {
    use ndarray::{ArrayView, ArrayViewMut, Dim, Dimension, Ix};

    use super::{Item, LocalMut, LocalRef, Object, Phase, Plain, Shape, Static, StaticType, SymmetricArray};
    use crate::symmetric::shape::{Dim as Axis, MAX_RANK, Rank, Ranked};

    /// Extents as `ndarray` has them.
    #[doc(hidden)]
    pub trait NdShape: Shape {
        /// `Ix0` to `Ix4`.
        type Dim: Dimension;
        /// From the first extents.
        fn dim(self) -> Self::Dim;
    }

    macro_rules! shapes {
        ($($rank:literal: $($axis:ident $at:literal)*;)*) => {$(
            impl<$($axis: Axis),*> NdShape for ($($axis,)*) {
                type Dim = Dim<[Ix; $rank]>;
                fn dim(self) -> Self::Dim {
                    let _extents: [usize; MAX_RANK] = self.extents();
                    Dim([$(_extents[$at]),*])
                }
            }
        )*};
    }

    shapes! {
        0: ;
        1: A 0;
        2: A 0 B 1;
        3: A 0 B 1 C 2;
        4: A 0 B 1 C 2 D 3;
    }

    /// A shared borrow that gives `ndarray` views of the object's rank.
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::phase::NdRef;
    ///
    /// #[symmetric]
    /// static GRID: [[f64; 2]; 2] = [[1.0, 2.0], [3.0, 4.0]];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     world.local_phase(|p| {
    ///         let grid: NdRef<'_, _, _> = GRID.as_ndarray(p);
    ///         assert_eq!(grid.view().row(1).sum(), 7.0);
    ///     });
    /// }
    /// ```
    #[derive(Debug)]
    pub struct NdRef<'a, T, D> {
        slice: LocalRef<'a, [T]>,
        dim: D,
    }

    /// The mutable borrow that gives `ndarray` views of the object's rank.
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::phase::NdMut;
    ///
    /// #[symmetric]
    /// static GRID: [[f64; 2]; 2] = [[1.0, 2.0], [3.0, 4.0]];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     world.local_phase(|p| {
    ///         let mut grid: NdMut<'_, _, _> = GRID.as_ndarray_mut(p);
    ///         grid.view_mut().row_mut(0).fill(0.5);
    ///     });
    ///     assert_eq!(local!(GRID[0, ..]), [0.5; 2]);
    /// }
    /// ```
    #[derive(Debug)]
    pub struct NdMut<'a, T, D> {
        slice: LocalMut<'a, [T]>,
        dim: D,
    }

    const COUNTABLE: &str =
        "ndarray counts the indices of this object: the product of its extents fits isize";

    impl<T, D: Dimension> NdRef<'_, T, D> {
        /// The object, as an `ndarray` view of its rank. Not collective.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) -> Result<(), shmem::Error> {
        ///     let grid = world.array_from_fn([2, 3], |[i, j]| (10 * i + j) as f64)?;
        ///     world.local_phase(|p| {
        ///         let grid = grid.as_ndarray(p);
        ///         assert_eq!(grid.view().t().shape(), [3, 2]);
        ///         assert_eq!(grid.view().t()[[2, 1]], 12.0);
        ///     });
        ///     Ok(())
        /// }
        /// ```
        #[must_use]
        pub fn view(&self) -> ArrayView<'_, T, D> {
            ArrayView::from_shape(self.dim.clone(), &self.slice).expect(COUNTABLE)
        }
    }

    impl<T, D: Dimension> NdMut<'_, T, D> {
        /// The object, as an `ndarray` view of its rank that reads. Not collective.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static GRID: [[f64; 3]; 2] = [[1.0; 3]; 2];
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) {
        ///     world.local_phase(|p| {
        ///         let mut grid = GRID.as_ndarray_mut(p);
        ///         let sum = grid.view().sum();
        ///         grid.view_mut()[[1, 2]] = sum;
        ///         assert_eq!(grid.view()[[1, 2]], 6.0);
        ///     });
        /// }
        /// ```
        #[must_use]
        pub fn view(&self) -> ArrayView<'_, T, D> {
            ArrayView::from_shape(self.dim.clone(), &self.slice).expect(COUNTABLE)
        }

        /// The object, as an `ndarray` view of its rank that writes. Not collective.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static GRID: [[f64; 3]; 2] = [[0.0; 3]; 2];
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) {
        ///     world.local_phase(|p| GRID.as_ndarray_mut(p).view_mut().column_mut(1).fill(7.0));
        ///     assert_eq!(local!(GRID[..,..]), [[0.0, 7.0, 0.0]; 2]);
        /// }
        /// ```
        #[must_use]
        pub fn view_mut(&mut self) -> ArrayViewMut<'_, T, D> {
            ArrayViewMut::from_shape(self.dim.clone(), &mut self.slice).expect(COUNTABLE)
        }
    }

    macro_rules! ndarrays {
        ($shape:ty) => {
            /// Borrows this PE's copy for [`ndarray`] views of its rank. Not collective.
            ///
            /// As `as_slice`, with the feature `ndarray`.
            ///
            /// ```
            /// use shmem::prelude::*;
            ///
            /// #[symmetric]
            /// static GRID: [[f64; 3]; 2] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
            ///
            /// #[shmem::main(npes = 2)]
            /// fn main(world: &World) {
            ///     world.local_phase(|p| {
            ///         let grid = GRID.as_ndarray(p);
            ///         assert_eq!(grid.view().column(1).sum(), 7.0);
            ///     });
            /// }
            /// ```
            ///
            /// # Panics
            ///
            /// As `as_slice`.
            #[track_caller]
            pub fn as_ndarray<'a>(&'a self, phase: &'a Phase) -> NdRef<'a, I, <$shape as NdShape>::Dim>
            where
                I: Plain,
                $shape: NdShape,
            {
                NdRef { slice: phase.slice(self), dim: self.place().shape.dim() }
            }

            /// Borrows this PE's copy mutably for [`ndarray`] views of its rank. Not collective.
            ///
            /// As `as_mut_slice`, with the feature `ndarray`.
            ///
            /// ```
            /// use shmem::prelude::*;
            ///
            /// #[symmetric]
            /// static GRID: [[f64; 2]; 2] = [[1.0, 2.0], [3.0, 4.0]];
            ///
            /// #[shmem::main(npes = 2)]
            /// fn main(world: &World) {
            ///     world.local_phase(|p| *GRID.as_ndarray_mut(p).view_mut() *= 10.0);
            ///     assert_eq!(local!(GRID[1, ..]), [30.0, 40.0]);
            /// }
            /// ```
            ///
            /// # Panics
            ///
            /// As `as_mut_slice`.
            #[track_caller]
            pub fn as_ndarray_mut<'a>(&'a self, phase: &'a Phase) -> NdMut<'a, I, <$shape as NdShape>::Dim>
            where
                I: Plain,
                $shape: NdShape,
            {
                NdMut { slice: phase.slice_mut(self), dim: self.place().shape.dim() }
            }
        };
    }

    impl<T: StaticType<Item = I>, I: Item> Static<T> {
        ndarrays!(T::Shape);
    }

    impl<I: Item, const R: usize> SymmetricArray<I, R>
    where
        Rank<R>: Ranked,
    {
        ndarrays!(<Rank<R> as Ranked>::Shape);
    }
}

pub use self::parts::MineMut;
#[cfg(feature = "ndarray")]
pub use views::{NdMut, NdRef};
