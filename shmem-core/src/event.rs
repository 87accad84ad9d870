//! Events: a PE posts that something has happened, and another one waits for that.

use crate::remote::{OneElement, Remote};
use crate::runtime;
use crate::select::{OnOnePe, One};
use crate::symmetric::Item;
use crate::symmetric::Slot;
use crate::symmetric::sealed::{SealedItem, SealedSlot};
use crate::transport::Amo;
use crate::wait::{Comparison, Waitable};

/// An event: PEs post it, and the PE on which it lies waits for posts (`event_type` of Coarray
/// Fortran).
///
/// An event counts the posts that no wait has taken. [`post`](Remote::post) adds one, and
/// [`wait`](Remote::wait) waits until there is one and takes it. So an event needs no number of a round,
/// and nobody resets it. Declare it as a `#[symmetric] static`, in arrays and [`PerPe`](crate::PerPe) as
/// you like, or make a [symmetric array](crate::World::symmetric_array) of events.
///
/// | Coarray Fortran | here |
/// |---|---|
/// | `event post (READY[pe])` | `remote!(&READY[pe]).post()` |
/// | `event wait (READY)` | `local!(&READY).wait()` |
/// | `event wait (READY, until_count=3)` | `local!(&READY).wait_for(3)` |
/// | `call event_query (READY, count)` | `local!(&READY).count()` |
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static INBOX: [usize; 4] = [0; 4];
/// #[symmetric]
/// static FILLED: Event = Event::new();
///
/// #[shmem::main(npes = 4)]
/// fn main(world: &World) {
///     let me = world.my_pe();
///     if me > 0 {
///         remote!(INBOX[0, me]) = me;
///         remote!(&FILLED[0]).post(); // after my put
///     } else {
///         local!(&FILLED).wait_for(3);
///         assert_eq!(local!(INBOX[..]), [0, 1, 2, 3]);
///     }
/// }
/// ```
///
/// # What is seen
///
/// A post first completes the puts and atomic updates of this PE (`shmem_quiet`). So the PE that takes
/// the post sees everything that was written before it, on all PEs, and it sees what the posts before
/// that one have announced. Where only data for the same PE is announced, a
/// [`put_signal`](Remote::put_signal) waits for less.
///
/// # Cost
///
/// An event is a cell of 8 bytes. A post is a quiet and an atomic update without an answer; a wait reads
/// this PE's own copy, and takes a post by an atomic update of it. [`wait!`](crate::wait!) and
/// [`poll!`](crate::poll!) read an event as they read a cell, and take nothing.
#[doc(alias = "event_type")]
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub struct Event(#[allow(dead_code, reason = "read as bytes, when the event is laid out")] u64);

impl Event {
    /// Makes an event that nobody has posted: the initial value. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static SIDES: [Event; 2] = [Event::new(); 2]; // two events
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main() {
    ///     assert_eq!(local!(&SIDES[1]).count(), 0);
    /// }
    /// ```
    #[must_use]
    pub const fn new() -> Event {
        Event(0)
    }
}

// A word, which only atomic operations access.
impl SealedSlot for Event {}
#[diagnostic::do_not_recommend]
impl Slot for Event {}
impl SealedItem for Event {}
#[diagnostic::do_not_recommend]
impl Item for Event {
    type Value = u64;
    const ATOMIC: bool = true;
}
#[diagnostic::do_not_recommend]
impl Waitable for Event {}

/// The operations of an event.
impl<F: OnOnePe> Remote<'_, Event, F> {
    /// Completes this PE's puts and atomic updates, and posts the event: `remote!(&READY[pe]).post()`.
    /// Not collective; never waits for another PE's program.
    ///
    /// On a [context](crate::context::Context), as in `remote!(ctx; &READY[pe])`, it completes the
    /// operations of the context.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static ARRIVED: [Event; 2] = [Event::new(); 2]; // from the left, and from the right
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     let (me, n) = (world.my_pe(), world.n_pes());
    ///     remote!(&ARRIVED[(me + 1) % n, 0]).post();
    ///     remote!(&ARRIVED[(me + n - 1) % n, 1]).post();
    ///     local!(&ARRIVED[0]).wait();
    ///     local!(&ARRIVED[1]).wait();
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    #[inline]
    #[track_caller]
    #[doc(alias = "event_post")]
    pub fn post(self)
    where
        F: OneElement,
    {
        let event = OneElement::one(self);
        // First: a PE that there is not gets its message before anything is done.
        let event = event.target();
        runtime::get().transport().quiet(self.ctx());
        event.update(Amo::Add(1));
    }

    /// Waits until the event has a post, and takes it: `local!(&READY).wait()`. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static GO: Event = Event::new();
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     // One PE after the other.
    ///     if world.my_pe() > 0 {
    ///         local!(&GO).wait();
    ///     }
    ///     if world.my_pe() + 1 < world.n_pes() {
    ///         remote!(&GO[world.my_pe() + 1]).post();
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such PE, and when no PE is left that could post. If all PEs wait, and none has
    /// another thread, the job ends with a report of what each waits for (on one machine).
    #[inline]
    #[track_caller]
    #[doc(alias = "event_wait")]
    pub fn wait(self)
    where
        F: OneElement,
    {
        self.wait_for(1);
    }

    /// Waits until the event has `count` posts, and takes these at once. Not collective.
    ///
    /// Of several threads that wait for one event, each takes its own posts.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static DONE: Event = Event::new();
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) {
    ///     remote!(&DONE[0]).post();
    ///     if world.my_pe() == 0 {
    ///         local!(&DONE).wait_for(world.n_pes() as u64);
    ///         assert_eq!(local!(&DONE).count(), 0);
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`wait`](Remote::wait).
    #[track_caller]
    #[doc(alias = "event_wait")]
    pub fn wait_for(self, count: u64)
    where
        F: OneElement,
    {
        let event = OneElement::one(self);
        loop {
            let seen = event.wait_until(Comparison::Ge, count);
            if event.take(seen, count) {
                return;
            }
        }
    }

    /// Takes `count` posts if the event has as many, and returns whether it has. Not collective; never
    /// waits.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static READY: Event = Event::new();
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     remote!(&READY[1 - world.my_pe()]).post();
    ///     while !local!(&READY).try_wait(1) {
    ///         std::thread::yield_now(); // something useful
    ///     }
    ///     assert!(!local!(&READY).try_wait(1)); // it was taken
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    #[must_use = "it says whether posts were taken"]
    #[track_caller]
    pub fn try_wait(self, count: u64) -> bool
    where
        F: OneElement,
    {
        let event = OneElement::one(self);
        while event.test(Comparison::Ge, count) {
            let seen = event.get();
            if seen >= count && event.take(seen, count) {
                return true;
            }
        }
        false
    }

    /// Returns how many posts the event has that no wait has taken. Not collective; takes none.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static READY: Event = Event::new();
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     remote!(&READY[0]).post();
    ///     world.barrier_all();
    ///     if world.my_pe() == 0 {
    ///         assert_eq!(local!(&READY).count(), 3);
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    #[inline]
    #[must_use]
    #[track_caller]
    #[doc(alias = "event_query")]
    pub fn count(self) -> u64
    where
        F: OneElement,
    {
        OneElement::one(self).get()
    }
}

impl Remote<'_, Event, One> {
    /// Takes `count` of the posts, if there are still as many as were `seen`.
    #[inline]
    #[track_caller]
    fn take(self, seen: u64, count: u64) -> bool {
        self.target().amo(Amo::CompareSwap { expected: seen, new: seen - count }) == seen
    }
}
