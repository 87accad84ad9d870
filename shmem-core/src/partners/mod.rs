//! Synchronising with some PEs: each of them names the others.
//!
//! * `mod.rs`: [`Team::sync_with`] and [`Team::barrier_with`], and the same of the world;
//! * `pairs.rs`: the meetings of two PEs, which these are made of.
//!
//! A pair of PEs has one count of its meetings, whichever team names them: a meeting blocks, so the two
//! come to their meetings in one order, or a program waits for ever with separate counts, too.

mod pairs;

use std::panic::Location;
use std::sync::OnceLock;
use std::sync::atomic::{Ordering, fence};

#[cfg(any(feature = "bench", test))]
use self::pairs::VISIT;
use self::pairs::{Pair, PairMemory};
use crate::remote::Remote;
use crate::runtime;
use crate::runtime::backoff::{Awaited, Backoff};
use crate::runtime::direct;
use crate::runtime::observe::ObservedPartners;
use crate::runtime::team::Team;
use crate::select::{Form as _, One};
use crate::symmetric::{Atomic, ObjectInfo};
use crate::transport::closed;
use crate::transport::layout::{self, MOST_PARTNERS};
use crate::transport::{Amo, Ctx, Width, cell};
use crate::world::World;

impl World {
    /// Synchronises this PE with each PE of `pes`, and with no other (`sync images` of Coarray Fortran,
    /// without the completion of puts). Each of these PEs must name this one in a call of its own.
    ///
    /// The n-th call that names PE `q` meets the n-th call of `q` that names this PE, also where one of
    /// the two is a [`barrier_with`](World::barrier_with). The call returns when all PEs of `pes` have
    /// come to their calls. It does not wait for what these PEs wait for. A PE that is named twice
    /// counts once, and this PE itself not at all: so the two neighbours on a ring can be named on 1
    /// and on 2 PEs, too.
    ///
    /// It completes local stores only, as [`sync_all`](World::sync_all). So it is the call for *I have
    /// read your values, and you may overwrite them*. For *my puts have arrived* call
    /// [`barrier_with`](World::barrier_with).
    ///
    /// Its cost does not grow with the number of PEs: one flag goes to each PE of `pes`, and one comes.
    /// Different threads of a PE may synchronise with different PEs at the same time.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static MINE: usize = 0;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) {
    ///     let (me, n) = (world.my_pe(), world.n_pes());
    ///     let (left, right) = ((me + n - 1) % n, (me + 1) % n);
    ///     local!(MINE) = 10 * me;
    ///     world.sync_with(&[left, right]); // both have written to their own copies
    ///     assert_eq!(remote!(MINE[left]) + remote!(MINE[right]), 10 * (left + right));
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no PE of such a number, when another thread of this PE is in such a call with the
    /// same PE, in a [local phase](World::local_phase), and in a job of more than 65,536 PEs. When a
    /// PE that is named has returned from its function, the job ends with a report that names both. So
    /// does, on one machine, a job in which PEs wait for each other in a circle.
    #[inline]
    #[track_caller]
    #[doc(alias = "sync_images")]
    pub fn sync_with(&self, pes: &[usize]) {
        self.team().meet_partners("sync_with", pes, false);
    }

    /// Completes this PE's puts and atomic updates, and synchronises it with each PE of `pes` (`sync
    /// images` of Coarray Fortran).
    ///
    /// This is [`quiet`](World::quiet) and then [`sync_with`](World::sync_with), as
    /// [`barrier_all`](World::barrier_all) is `quiet` and `sync_all`. After it, each PE of `pes` sees
    /// everything that this PE has written before, on all PEs, and this PE sees what they have written.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static INBOX: [usize; 2] = [0; 2];
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) {
    ///     let (me, n) = (world.my_pe(), world.n_pes());
    ///     let (left, right) = ((me + n - 1) % n, (me + 1) % n);
    ///     remote!(INBOX[left, 1]) = me;
    ///     remote!(INBOX[right, 0]) = me;
    ///     world.barrier_with(&[left, right]); // the puts of both neighbours have arrived
    ///     assert_eq!(local!(INBOX[..]), [left, right]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`sync_with`](World::sync_with).
    #[inline]
    #[track_caller]
    #[doc(alias = "sync_images")]
    pub fn barrier_with(&self, pes: &[usize]) {
        self.team().meet_partners("barrier_with", pes, true);
    }
}

impl Team {
    /// Synchronises this PE with each PE of `pes`, which are numbers in the team, and with no other.
    /// Each of these PEs must name this one in a call of its own.
    ///
    /// It completes local stores only. Otherwise as [`World::sync_with`]. Two PEs have one count of
    /// their meetings, whichever team names them.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static MINE: usize = 0;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let (row, _) = world.team().split_2d(2)?;
    ///     local!(MINE) = world.my_pe() + 1;
    ///     let other = 1 - row.my_pe();
    ///     row.sync_with(&[other]);
    ///     assert_eq!(remote!(MINE[row.world_pe(other)]), row.world_pe(other) + 1);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the team has no PE of such a number, and as [`World::sync_with`].
    #[inline]
    #[track_caller]
    #[doc(alias = "sync_images")]
    pub fn sync_with(&self, pes: &[usize]) {
        self.meet_partners("sync_with", pes, false);
    }

    /// Completes this PE's puts and atomic updates, and synchronises it with each PE of `pes`, which are
    /// numbers in the team.
    ///
    /// This is [`quiet`](World::quiet) and then [`sync_with`](Team::sync_with).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static INBOX: usize = 0;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let (row, _) = world.team().split_2d(2)?;
    ///     let other = 1 - row.my_pe();
    ///     remote!(INBOX[row.world_pe(other)]) = world.my_pe();
    ///     row.barrier_with(&[other]);
    ///     assert_eq!(local!(INBOX), row.world_pe(other));
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`sync_with`](Team::sync_with).
    #[inline]
    #[track_caller]
    #[doc(alias = "sync_images")]
    pub fn barrier_with(&self, pes: &[usize]) {
        self.meet_partners("barrier_with", pes, true);
    }

    /// The call `what`, which completes this PE's operations first or not.
    #[track_caller]
    pub(crate) fn meet_partners(&self, what: &'static str, pes: &[usize], completes: bool) {
        let at = Location::caller();
        let runtime = runtime::get();
        if closed::is_closed() {
            closed::refuse_call(&format!("`{what}`"));
        }
        // All of them, before anything is done.
        let n_pes = self.n_pes();
        if let Some(&pe) = pes.iter().find(|pe| **pe >= n_pes) {
            self.no_such_partner(pe);
        }
        if runtime.is_watched() {
            return self.meet_watched((what, at), pes, completes);
        }
        self.meet_checked((what, at), pes, completes);
    }

    /// The same, where somebody watches synchronisations.
    #[cold]
    #[track_caller]
    fn meet_watched(&self, (what, at): NamedCall, pes: &[usize], completes: bool) {
        let others = pes.iter().map(|&pe| self.members.pe(pe));
        let _observed = ObservedPartners::begin(what, completes, others, at);
        self.meet_checked((what, at), pes, completes);
    }

    /// The same, with PEs that there are.
    #[inline(always)]
    #[track_caller]
    fn meet_checked(&self, (what, at): NamedCall, pes: &[usize], completes: bool) {
        if completes {
            runtime::get().transport().quiet(Ctx::DEFAULT);
        }
        let me = direct::my_pe();
        let partners = Partners {
            call: PartnerCall { what },
            at,
            pairs: all_pairs(),
            me,
            mine: layout::flag(me),
            here: direct::cells(me, &FLAGS),
        };
        if let Err(pe) = pairs::meet(&partners, pes.iter().map(|&pe| self.members.pe(pe))) {
            two_threads(what, pe);
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn no_such_partner(&self, pe: usize) -> ! {
        self.check_pe(pe, "a PE to synchronise with");
        unreachable!("the team has a PE {pe}")
    }
}

/// The name of a call, and its place in the program.
type NamedCall = (&'static str, &'static Location<'static>);

#[cold]
#[inline(never)]
#[track_caller]
fn two_threads(what: &str, pe: usize) -> ! {
    panic!(
        "a thread of this PE calls `{what}` with PE {pe}, and another one is in `sync_with` or `barrier_with` with the same PE; one \
         thread of a PE at a time synchronises with a PE"
    )
}

/// What this PE keeps of all others.
#[inline]
fn all_pairs() -> &'static [Pair] {
    static PAIRS: OnceLock<Box<[Pair]>> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let n_pes = direct::n_pes();
        assert!(
            n_pes <= MOST_PARTNERS,
            "`sync_with` and `barrier_with` are for jobs of at most {MOST_PARTNERS} PEs, and this one has {n_pes}: use signals"
        );
        (0..n_pes).map(|_| Pair::default()).collect()
    })
}

/// The flags, in messages.
static FLAGS: ObjectInfo =
    ObjectInfo::new("the flags of sync_with", module_path!(), file!(), line!(), column!(), "u32");

/// The flag of `of` on `pe`.
#[inline(always)]
fn flag(of: usize, pe: usize) -> Remote<'static, Atomic<u32>, One> {
    // SAFETY: a word of the runtime's part, which every heap has, is aligned to its size and is
    // accessed by these operations alone. `of` is a PE, and `all_pairs` has found that all PEs have
    // flags.
    unsafe { Remote::new(pe, One::one(layout::flag(of)), &FLAGS) }
}

/// Comes to so many meetings with PE `pe` at once, before the first. For the benchmarks: that PE never
/// waits for this one.
#[cfg(any(feature = "bench", test))]
pub(crate) fn come_early(pe: usize, times: u32) {
    flag(direct::my_pe(), pe).target().amo(Amo::Set(times.wrapping_mul(VISIT).into()));
}

/// A call that waits.
struct PartnerCall {
    what: &'static str,
}

impl Awaited for PartnerCall {
    fn text(&self) -> String {
        self.what.to_owned()
    }
}

/// The flags for one call.
struct Partners {
    call: PartnerCall,
    at: &'static Location<'static>,
    pairs: &'static [Pair],
    /// This PE, and where its flag is in each heap.
    me: usize,
    mine: usize,
    /// The start of this PE's heap, or null where its flags are read through the transport.
    here: *mut u8,
}

impl PairMemory for Partners {
    #[inline(always)]
    fn my_pe(&self) -> usize {
        self.me
    }

    #[inline(always)]
    fn pair(&self, pe: usize) -> &Pair {
        &self.pairs[pe]
    }

    #[inline(always)]
    fn post(&self, pe: usize, visit: u32) {
        let heap = direct::cells(pe, &FLAGS);
        if heap.is_null() {
            return post_far(self.me, pe, visit);
        }
        // SAFETY: the heap of a PE, whose part of the runtime has a flag for each PE, aligned to its
        // size, which only atomic operations access.
        unsafe { cell::amo(heap.add(self.mine), Width::W4, Amo::Set(visit.into())) };
    }

    #[inline(always)]
    fn look(&self, pe: usize) -> u32 {
        if self.here.is_null() {
            return look_far(self.me, pe);
        }
        // SAFETY: as in `post`, of this PE's own heap.
        unsafe { cell::amo(self.here.add(layout::flag(pe)), Width::W4, Amo::Fetch) as u32 }
    }

    fn pauses(&self, pe: usize) -> impl FnMut() {
        let mut backoff = Backoff::for_partner(runtime::get().endpoint(), &self.call, self.at, pe);
        move || backoff.pause()
    }
}

#[cold]
fn post_far(me: usize, pe: usize, visit: u32) {
    // The library knows nothing of this PE's stores to its own copies.
    fence(Ordering::SeqCst);
    // Complete when it returns: this PE may compute next, and drive nothing.
    flag(me, pe).target().amo(Amo::Set(visit.into()));
}

#[cold]
fn look_far(me: usize, pe: usize) -> u32 {
    flag(pe, me).watched().fetch(0)
}
