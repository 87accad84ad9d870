//! Locks: mutual exclusion among PEs.
//!
//! * `mod.rs`: [`Lock`], which a program declares, and [`LockGuard`], which it holds;
//! * `queue.rs`: the queue of the PEs that have a lock or wait for it;
//! * `packed.rs`: a lock of 8 bytes, for C.

mod packed;
mod queue;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::MutexGuard;

pub(crate) use self::packed::PackedLock;
use self::queue::{LockMemory, LockWord};
use crate::remedies::Unlock;
use crate::remote::Remote;
use crate::runtime;
use crate::runtime::backoff::{Awaited, Backoff};
use crate::runtime::direct;
use crate::select::{Form as _, One};
use crate::symmetric::shape::{MAX_RANK, PerPe, Shape, StaticShape};
use crate::symmetric::statics::ends_below_nowhere;
use crate::symmetric::{Atomic, ObjectInfo, Slot, Static, StaticType, sealed::SealedSlot};
use crate::transport::closed;
use crate::transport::{Amo, Ctx};

/// A lock that all PEs share: one PE has it at a time, and PEs get it in the order in which they
/// asked for it.
///
/// A lock is a `#[symmetric] static` of its own, an array of locks, or [`PerPe`](crate::PerPe) of
/// either. Take it with [`lock`](Static::lock) or [`try_lock`](Static::try_lock).
/// [`at`](Static::at) chooses one of several locks. Dropping the [guard](LockGuard) releases the
/// lock. A lock is not data: [`remote!`](crate::remote!) and [`local!`](crate::local!) do not read
/// it.
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static LOCK: Lock = Lock::new();
/// #[symmetric]
/// static TOTAL: f64 = 0.0; // on PE 0, and no atomic cell: the lock orders the updates
///
/// #[shmem::main(npes = 3)]
/// fn main(world: &World) {
///     {
///         let _guard = LOCK.lock();
///         let total = remote!(TOTAL[0]);
///         remote!(TOTAL[0]) = total + 1.5;
///     }
///     world.barrier_all();
///     assert_eq!(remote!(TOTAL[0]), 1.5 * world.n_pes() as f64);
/// }
/// ```
///
/// Several locks, one for each part of the data:
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static BUCKETS: [Lock; 16] = [Lock::new(); 16];
/// #[symmetric]
/// static MINE: PerPe<Lock> = PerPe::new(Lock::new()); // number k is for what lies on PE k
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     let bucket = BUCKETS.at(7).lock();
///     let theirs = MINE.at((world.my_pe() + 1) % world.n_pes()).try_lock();
///     drop(bucket);
///     drop(theirs);
/// }
/// ```
///
/// # Order
///
/// First come, first served. PEs get a lock in the order in which they joined its queue. A PE is in
/// the queue only once: its threads take turns, in the order in which they asked, and the second
/// thread joins the queue when the first has released the lock. A `try_lock` that fails does not
/// join the queue.
///
/// # What is seen
///
/// Releasing a lock first completes the puts and atomic updates of this PE (`shmem_quiet`). So the
/// PE that gets the lock next sees everything that was written before the release, on all PEs.
///
/// # Panics and forgotten guards
///
/// A guard that is dropped while a panic unwinds releases the lock: there is no poisoning. A panic
/// that is not caught ends the job. Until the job has ended, another PE may get the lock and see
/// incomplete changes. `std::mem::forget` of a guard keeps the lock taken. This is safe: a PE that
/// waits for the lock waits for ever.
///
/// # Cost
///
/// Each lock has a cache line in every PE's copy. Taking a lock that no other PE wants takes two
/// atomic updates, on this PE or on the lock's home, and releasing it takes one. A PE that waits
/// reads only its own copy. The home of lock `k` of a `PerPe` is PE `k`. The homes of the locks of
/// an array and of different statics are spread over the PEs.
#[doc(alias = "shmem_set_lock")]
#[doc(alias = "shmem_test_lock")]
#[doc(alias = "shmem_clear_lock")]
#[derive(Clone, Copy)]
// A cache line for each lock, so that neighbouring locks do not slow each other down.
#[repr(C, align(64))]
pub struct Lock {
    words: [u64; 8],
}

// Words without padding, which nothing but the operations of a lock reads or writes.
impl SealedSlot for Lock {
    const IS_LOCK: bool = true;
}

#[diagnostic::do_not_recommend]
impl Slot for Lock {}

impl Lock {
    /// Makes a lock that no PE has: the initial value of a static. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static LOCKS: [Lock; 4] = [Lock::new(); 4]; // four locks
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     if world.my_pe() == 0 {
    ///         assert!(LOCKS.at(3).try_lock().is_some());
    ///     }
    /// }
    /// ```
    #[must_use]
    pub const fn new() -> Lock {
        Lock { words: [0; 8] }
    }
}

/// Never implemented: a bound that exists for its error message, on locks without the attribute.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this `Lock` is not symmetric: it is a value of this process alone",
    label = "not a symmetric lock",
    note = "write `#[symmetric]` above the static"
)]
pub trait Declared {}

#[doc(hidden)]
impl Lock {
    // With a lifetime, because the compiler refuses a bound without one that can never hold.
    pub fn lock(&self)
    where
        for<'a> &'a Lock: Declared,
    {
    }

    pub fn try_lock(&self)
    where
        for<'a> &'a Lock: Declared,
    {
    }
}

impl Default for Lock {
    fn default() -> Lock {
        Lock::new()
    }
}

impl fmt::Debug for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_assert_eq!(self.words, [0; 8], "a lock outside of symmetric memory is an initial value");
        f.write_str("Lock")
    }
}

/// Takes a lock that is a static of its own.
// For every type, so that a call of `lock` on several locks, or on data, gets the message of
// `OneLock`.
impl<T> Static<T> {
    /// Waits until this PE has the lock (`shmem_set_lock`). Not collective.
    ///
    /// For one of several locks, call [`at`](Static::at) first.
    ///
    /// Dropping the guard releases the lock, so give the guard a name, as in `let _guard =
    /// LOCK.lock();`. `let _ = LOCK.lock();` releases the lock at once. The compiler warns about
    /// this with `#![warn(let_underscore_drop)]`.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static LOCK: Lock = Lock::new();
    ///
    /// #[shmem::main(npes = 1)]
    /// fn main() {
    ///     let _ = LOCK.lock(); // nobody has it now
    ///     assert!(LOCK.try_lock().is_some());
    ///     let _guard = LOCK.lock();
    ///     assert!(LOCK.try_lock().is_none());
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When this thread has the lock already: it would wait for ever. The message says where the
    /// lock was taken. Also outside of a job.
    ///
    /// If the PE that has the lock has returned from its function and still has it, the job ends
    /// with a report that names both PEs. On one machine, so does a job in which PEs wait for each
    /// other's locks in a circle.
    #[track_caller]
    #[doc(alias = "shmem_set_lock")]
    pub fn lock(&self) -> LockGuard<'_>
    where
        T: OneLock,
    {
        self.the_one().lock()
    }

    /// Takes the lock if no PE has it or waits for it (`shmem_test_lock`). Not collective; never
    /// waits.
    ///
    /// Also returns `None` if another thread of this PE tries at the same time. At most one of two
    /// such tries succeeds.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static LOCK: Lock = Lock::new();
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     let guard = LOCK.try_lock();
    ///     let winners = collective!(sum u64::from(guard.is_some()));
    ///     assert_eq!(winners, 1); // the first one has the lock until it drops its guard
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// Outside of a job.
    #[track_caller]
    #[doc(alias = "shmem_test_lock")]
    pub fn try_lock(&self) -> Option<LockGuard<'_>>
    where
        T: OneLock,
    {
        self.the_one().try_lock()
    }

    /// The lock of a static that is one lock.
    #[inline]
    #[track_caller]
    fn the_one(&self) -> LockRef<'_>
    where
        T: OneLock,
    {
        let (offset, info) = self.located();
        LockRef { offset, home: spread(offset), number: None, info }
    }
}

/// The type of a static that is one lock.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not one `Lock`",
    label = "not one lock",
    note = "`.at(index)` chooses one of several locks, as in `LOCKS.at(3).lock()`",
    note = "to guard data, declare a lock beside them: `#[symmetric] static LOCK: Lock = Lock::new();`"
)]
pub trait OneLock: StaticType<Item = Lock> {}

#[diagnostic::do_not_recommend]
impl OneLock for Lock {}

/// Chooses one of several locks.
impl<T: StaticType<Item = Lock>> Static<T> {
    /// Chooses the lock at `index`, which is a number, or an array with a number for each axis. Not
    /// collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static LOCKS: PerPe<[Lock; 8]> = PerPe::new([Lock::new(); 8]);
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let last = world.n_pes() - 1;
    ///     let _guard = LOCKS.at([last, 3]).lock();
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the index is out of bounds, and outside of a job.
    #[inline]
    #[track_caller]
    pub fn at<X: LockIndex<T>>(&self, index: X) -> LockRef<'_> {
        const { assert!(ends_below_nowhere::<T>(), "these are more locks than any symmetric memory holds") };
        let (offset, info) = self.located();
        let extents = T::Shape::VALUE.extents();
        let index = index.axes();
        let mut number = 0;
        for (axis, (&at, &extent)) in index.iter().zip(&extents).enumerate().take(T::Shape::RANK) {
            if at >= extent {
                no_such_lock(info, &index[..T::Shape::RANK], axis, extent);
            }
            number = number * extent + at;
        }
        let offset = offset + number * size_of::<Lock>();
        let home = if T::Shape::EXTENTS[0].is_none() { index[0] } else { spread(offset) };
        LockRef { offset, home, number: Some(number), info }
    }
}

/// Ends the PE with a message.
#[cold]
#[inline(never)]
#[track_caller]
fn no_such_lock(info: &ObjectInfo, index: &[usize], axis: usize, extent: usize) -> ! {
    let list: Vec<String> = index.iter().map(ToString::to_string).collect();
    panic!(
        "there is no lock `{}[{}]`: index {} on axis {axis}, which has extent {extent}; the locks are {info}",
        info.name,
        list.join(", "),
        index[axis],
    )
}

/// The home of a lock that belongs to no PE: neighbouring locks have different homes.
#[inline]
fn spread(offset: usize) -> usize {
    offset / size_of::<Lock>() % direct::n_pes()
}

/// An index of one of several locks: a `usize` if there is one axis, an array of `usize` if there
/// are more.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an index of these locks",
    label = "not a valid index",
    note = "`at` takes a `usize` where the locks have one axis, and `[usize; 2]` to `[usize; 4]` where they have more; a single lock has no `at`: call its `lock` or `try_lock`"
)]
pub trait LockIndex<T>: sealed::Index {
    /// The index on each axis, 0 on axes that do not exist.
    #[doc(hidden)]
    fn axes(self) -> [usize; MAX_RANK];
}

macro_rules! lock_indices {
    ($([$($n:ident)*] $locks:ty, $index:ty, $self:ident => $axes:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$(const $n: usize),*> LockIndex<$locks> for $index {
            #[inline]
            fn axes($self) -> [usize; MAX_RANK] {
                $axes
            }
        }
    )*};
}

lock_indices! {
    [A] [Lock; A], usize, self => [self, 0, 0, 0];
    [A B] [[Lock; B]; A], [usize; 2], self => [self[0], self[1], 0, 0];
    [A B C] [[[Lock; C]; B]; A], [usize; 3], self => [self[0], self[1], self[2], 0];
    [A B C D] [[[[Lock; D]; C]; B]; A], [usize; 4], self => self;
    [] PerPe<Lock>, usize, self => [self, 0, 0, 0];
    [A] PerPe<[Lock; A]>, [usize; 2], self => [self[0], self[1], 0, 0];
    [A B] PerPe<[[Lock; B]; A]>, [usize; 3], self => [self[0], self[1], self[2], 0];
    [A B C] PerPe<[[[Lock; C]; B]; A]>, [usize; 4], self => self;
}

mod sealed {
    pub trait Index {}
    impl Index for usize {}
    impl<const R: usize> Index for [usize; R] {}
}

/// A reference to one lock; [`at`](Static::at) makes it, and so does [`From`] a static that is one
/// lock.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::LockRef;
///
/// #[symmetric]
/// static LOCKS: [Lock; 4] = [Lock::new(); 4];
/// #[symmetric]
/// static TOTAL: u64 = 0;
///
/// /// Under the lock that the caller chooses.
/// fn add(lock: LockRef<'_>, value: u64) {
///     let _guard = lock.lock();
///     let total: u64 = remote!(TOTAL[0]);
///     remote!(TOTAL[0] = total + value);
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     add(LOCKS.at(3), 5);
///     world.barrier_all();
///     assert_eq!(remote!(TOTAL[0]), 10);
/// }
/// ```
#[derive(Clone, Copy)]
pub struct LockRef<'a> {
    offset: usize,
    home: usize,
    /// Its number among several locks.
    number: Option<usize>,
    info: &'a ObjectInfo,
}

impl<'a> From<&'a Static<Lock>> for LockRef<'a> {
    /// # Panics
    ///
    /// Outside of a job.
    #[inline]
    #[track_caller]
    fn from(lock: &'a Static<Lock>) -> LockRef<'a> {
        lock.the_one()
    }
}

impl<T: StaticType<Item = Lock>> Static<T> {
    /// The place of the locks. Only in a job, because the home depends on the number of PEs.
    #[inline]
    #[track_caller]
    fn located(&self) -> (usize, &ObjectInfo) {
        let (offset, info) = self.lies_at();
        direct::assert_accessible(info);
        (offset, info)
    }
}

impl fmt::Debug for LockRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            Some(number) => write!(f, "lock {number} of {}", self.info),
            None => write!(f, "the lock {}", self.info),
        }
    }
}

/// A lock that a thread has, and the place in the program where it took the lock.
struct HeldLock {
    offset: usize,
    since: &'static Location<'static>,
}

thread_local! {
    /// The locks that this thread has.
    static HELD: RefCell<Vec<HeldLock>> = const { RefCell::new(Vec::new()) };
}

/// The first lock of the static `info` that a thread of this PE has or waits for, in words: the
/// static's `count` locks begin at `offset`.
pub(crate) fn taken_here(info: &ObjectInfo, offset: usize, count: usize) -> Option<String> {
    (0..count).find_map(|number| {
        let offset = offset + number * size_of::<Lock>();
        let lock = LockRef { offset, home: 0, number: (count > 1).then_some(number), info };
        let me = direct::my_pe();
        if lock.amo(me, LockWord::Ticket, Amo::Fetch) == lock.amo(me, LockWord::Serving, Amo::Fetch) {
            return None;
        }
        let since =
            HELD.with_borrow(|held| held.iter().find(|held| held.offset == offset).map(|held| held.since));
        Some(match since {
            Some(since) => format!("has {lock:?}, taken at {since}"),
            None => format!("has {lock:?}, or waits for it, on another thread"),
        })
    })
}

impl<'a> LockRef<'a> {
    /// Waits until this PE has the lock (`shmem_set_lock`). Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static LOCKS: PerPe<Lock> = PerPe::new(Lock::new());
    /// #[symmetric]
    /// static TOTAL: usize = 0;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     for pe in 0..world.n_pes() {
    ///         let _guard = LOCKS.at(pe).lock(); // for what lies on `pe`
    ///         remote!(TOTAL[pe]) = remote!(TOTAL[pe]) + world.my_pe();
    ///     } // the guard is dropped here: the next PE gets the lock, and sees the new total
    ///     world.barrier_all();
    ///     assert_eq!(local!(TOTAL), 3);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When this thread has the lock already: it would wait for ever. The message says where the
    /// lock was taken.
    #[track_caller]
    #[doc(alias = "shmem_set_lock")]
    pub fn lock(self) -> LockGuard<'a> {
        // While the thread ends, its list may no longer exist, and then there is no check.
        let taken = HELD.try_with(|held| {
            held.borrow().iter().find(|held| held.offset == self.offset).map(|held| held.since)
        });
        if let Ok(Some(since)) = taken {
            self.locked_twice(since);
        }
        let at = Location::caller();
        let ticket = queue::lock(&Access { lock: &self, at: Some(at) });
        LockGuard::new(self, ticket, at)
    }

    /// Takes the lock if no PE has it or waits for it (`shmem_test_lock`). Not collective; never
    /// waits.
    ///
    /// Also returns `None` if another thread of this PE tries at the same time. At most one of two
    /// such tries succeeds.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static LOCKS: [Lock; 8] = [Lock::new(); 8];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     // Any lock that is free. Each PE keeps one, so they have two different ones.
    ///     let guard = (0..8).find_map(|number| LOCKS.at(number).try_lock());
    ///     assert!(guard.is_some());
    ///     world.barrier_all();
    /// }
    /// ```
    #[track_caller]
    #[doc(alias = "shmem_test_lock")]
    pub fn try_lock(self) -> Option<LockGuard<'a>> {
        let at = Location::caller();
        let ticket = queue::try_lock(&Access { lock: &self, at: Some(at) })?;
        Some(LockGuard::new(self, ticket, at))
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn locked_twice(self, since: &Location<'_>) -> ! {
        panic!(
            "{self:?} is locked by this thread already, since {since}, and locking it again would wait for \
             ever: drop the guard first, or pass it to the code that needs the lock"
        )
    }

    #[cold]
    #[inline(never)]
    fn released_in_a_phase(self) {
        closed::refuse_call(&format!("the release of {self:?}, by dropping its guard,"));
    }

    /// The PE that joined the queue last, and how many threads of this PE have the lock or wait for
    /// it. Tests wait for these.
    #[doc(hidden)]
    #[must_use]
    pub fn queue(self) -> (Option<usize>, u64) {
        let load = |pe, word| self.amo(pe, word, Amo::Fetch);
        let (me, last) = (direct::my_pe(), load(self.home, LockWord::Last));
        let (serving, drawn) = (load(me, LockWord::Serving), load(me, LockWord::Ticket));
        (last.checked_sub(1).map(|pe| pe as usize), drawn.wrapping_sub(serving))
    }

    /// Performs `op` on a word of the copy of `pe`. Inlined, because it is short once the operation
    /// is known.
    #[inline(always)]
    fn amo(&self, pe: usize, word: LockWord, op: Amo) -> u64 {
        let at = One::one(self.offset + word as usize * size_of::<u64>());
        const { assert!(LockWord::Serving as usize * size_of::<u64>() < size_of::<Lock>()) };
        // SAFETY: the offset is that of a lock of a static, whose index was checked against the
        // extents. It is aligned to 64 bytes, and every word lies inside of it. Statics live as
        // long as the job, and only this function accesses the words of a lock.
        let cell = unsafe { Remote::<Atomic<u64>, One>::new(pe, at, self.info) };
        cell.target().amo(op)
    }
}

impl Awaited for LockRef<'_> {
    fn text(&self) -> String {
        match self.number {
            Some(number) => format!("lock {number} of {}", self.info.name),
            None => format!("the lock {}", self.info.name),
        }
    }

    fn lock(&self) -> Option<usize> {
        Some(self.offset)
    }
}

/// A lock, and the place in the program that takes it.
struct Access<'a> {
    lock: &'a LockRef<'a>,
    at: Option<&'static Location<'static>>,
}

impl LockMemory for Access<'_> {
    #[inline(always)]
    fn my_pe(&self) -> usize {
        direct::my_pe()
    }

    #[inline(always)]
    fn home(&self) -> usize {
        self.lock.home
    }

    #[inline(always)]
    fn load(&self, pe: usize, word: LockWord) -> u64 {
        self.lock.amo(pe, word, Amo::Fetch)
    }

    #[inline(always)]
    fn store(&self, pe: usize, word: LockWord, value: u64) {
        self.lock.amo(pe, word, Amo::Set(value));
    }

    #[inline(always)]
    fn swap(&self, pe: usize, word: LockWord, value: u64) -> u64 {
        self.lock.amo(pe, word, Amo::Swap(value))
    }

    #[inline(always)]
    fn compare_swap(&self, pe: usize, word: LockWord, expected: u64, new: u64) -> u64 {
        self.lock.amo(pe, word, Amo::CompareSwap { expected, new })
    }

    #[inline(always)]
    fn add(&self, pe: usize, word: LockWord, value: u64) -> u64 {
        self.lock.amo(pe, word, Amo::Add(value))
    }

    fn quiet(&self) {
        runtime::get().transport().quiet(Ctx::DEFAULT);
    }

    fn pauses(&self, before: Option<usize>) -> impl FnMut() {
        pauses(self.lock, self.at, before)
    }
}

/// The pauses of a wait for `lock`, at this place of the program, which the PE `before` has or waits
/// for before this one.
fn pauses(lock: &dyn Awaited, at: Option<&'static Location<'static>>, before: Option<usize>) -> impl FnMut() {
    let mut backoff = Backoff::for_lock(runtime::get().endpoint(), lock, at, before);
    move || backoff.pause()
}

/// A lock that this thread has; dropping the guard releases it (`shmem_clear_lock`).
///
/// [`lock`](Static::lock) and [`try_lock`](Static::try_lock) make it. Dropping it completes this
/// PE's puts and atomic updates, except those of [contexts](crate::context::Context), and gives the
/// lock to the next PE in the queue. It never waits for a PE that does not want the lock. You can
/// move a guard into a struct, but not to another thread.
///
/// ```compile_fail,E0277
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static LOCK: Lock = Lock::new();
///
/// #[shmem::main(npes = 2)]
/// fn main() {
///     let guard = LOCK.lock();
///     std::thread::spawn(move || drop(guard));
/// }
/// ```
#[must_use = "the lock is released when its guard is dropped: bind it, as in `let _guard = LOCK.lock();`; `let _ =` releases it at once"]
#[doc(alias = "shmem_clear_lock")]
pub struct LockGuard<'a> {
    lock: LockRef<'a>,
    ticket: u64,
    /// Tied to its thread, like the guards of the standard library: the list of the thread names
    /// it.
    thread: PhantomData<MutexGuard<'a, ()>>,
}

impl<'a> LockGuard<'a> {
    #[inline]
    fn new(lock: LockRef<'a>, ticket: u64, since: &'static Location<'static>) -> LockGuard<'a> {
        let guard = LockGuard { lock, ticket, thread: PhantomData };
        let _ = HELD.try_with(|held| held.borrow_mut().push(HeldLock { offset: lock.offset, since }));
        guard
    }
}

impl Drop for LockGuard<'_> {
    fn drop(&mut self) {
        let _ = HELD.try_with(|held| {
            let mut held = held.borrow_mut();
            if let Some(at) = held.iter().rposition(|held| held.offset == self.lock.offset) {
                held.swap_remove(at);
            }
        });
        if closed::is_closed() {
            self.lock.released_in_a_phase();
        }
        queue::unlock(&Access { lock: &self.lock, at: None }, self.ticket);
    }
}

impl fmt::Debug for LockGuard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "guard of {:?}", self.lock)
    }
}

crate::remedies::methods! {
    [] LockRef<'_>, [for<'x> &'x Self: Unlock] => unlock();
    [] LockGuard<'_>, [for<'x> &'x Self: Unlock] => unlock();
}
