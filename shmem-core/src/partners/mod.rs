//! Synchronising with some PEs: each of them names the others.
//!
//! * `mod.rs`: [`Team::sync_with`] and [`Team::barrier_with`], and the same of the world;
//! * `pairs.rs`: the meetings of two PEs, which these are made of.
//!
//! A pair of PEs has one count of its meetings, whichever team names them: a meeting blocks, so the two
//! come to their meetings in one order, or a program waits for ever with separate counts, too.

mod pairs;

use std::panic::Location;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU16};

use self::pairs::{Pair, PairMemory};
use crate::remote::Remote;
use crate::runtime::backoff::{Awaited, Backoff};
use crate::runtime::observe::ObservedPartners;
use crate::runtime::team::Team;
use crate::runtime::{self, Runtime, direct, far};
use crate::select::{Form as _, One};
use crate::symmetric::{Atomic, ObjectInfo};
use crate::system::sync::{AtomicU32, Ordering, fence, prepare_to_write};
use crate::transport::closed;
use crate::transport::layout::{self, MOST_PARTNERS};
use crate::transport::{Amo, Ctx, Width};
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
    /// Its cost does not grow with the number of PEs: it is one flag each way for each PE of `pes`, which is a
    /// store where stores reach that PE, as on one host, and otherwise a put. Different threads of a PE may
    /// synchronise with different PEs at the same time.
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
        self.team().meet_partners(&PartnerCall::SYNC_WITH, pes);
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
        self.team().meet_partners(&PartnerCall::BARRIER_WITH, pes);
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
        self.meet_partners(&PartnerCall::SYNC_WITH, pes);
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
        self.meet_partners(&PartnerCall::BARRIER_WITH, pes);
    }

    /// Meets the PEs of the team with these numbers.
    #[track_caller]
    pub(crate) fn meet_partners(&self, call: &'static PartnerCall, pes: &[usize]) {
        let at = Location::caller();
        let runtime = runtime::get();
        if closed::is_closed() {
            closed::refuse_named(call.what);
        }
        // Mostly it is one: that takes few instructions.
        if let [pe, others @ ..] = pes
            && others.iter().all(|other| other == pe)
            && *pe < self.n_pes()
            && !runtime.is_watched()
            && let pe = self.members.pe(*pe)
            && let partners = all_partners()
            && let Some(partner) = partners.list.get(pe)
        {
            let here = partners.flags.load(Ordering::Relaxed);
            if let Some(flag) = partner.flag {
                // SAFETY: this PE's heap, where this process sees its flags, as it reaches those of others.
                let own = unsafe { flag_at(here, partner.own_flag) };
                return if call.completes_before(runtime) {
                    OnePartner { call, at, partner, flags: NearFlags::<true> { flag, own } }.meet(pe)
                } else {
                    OnePartner { call, at, partner, flags: NearFlags::<false> { flag, own } }.meet(pe)
                };
            }
            if !here.is_null() && pe != direct::my_pe() {
                if call.completes {
                    runtime.transport().quiet(Ctx::DEFAULT);
                }
                // SAFETY: this PE's heap, which stays mapped, where loads see its flags. The library alone writes this
                // one, by aligned halves.
                let own = unsafe { &*here.add(partner.own_flag as usize).cast() };
                return OnePartner { call, at, partner, flags: FarFlags { own } }.meet(pe);
            }
        }
        self.meet_any(call, pes);
    }

    /// The same, of any PEs.
    #[inline(never)]
    #[track_caller]
    fn meet_any(&self, call: &'static PartnerCall, pes: &[usize]) {
        let runtime = runtime::get();
        // All of them, before anything is done.
        let n_pes = self.n_pes();
        if let Some(&pe) = pes.iter().find(|pe| **pe >= n_pes) {
            self.no_such_pe(pe, "a PE to synchronise with");
        }
        if runtime.is_watched() {
            return self.meet_watched(call, pes);
        }
        self.meet_checked(call, pes);
    }

    /// The same, where somebody watches synchronisations.
    #[cold]
    #[track_caller]
    fn meet_watched(&self, call: &'static PartnerCall, pes: &[usize]) {
        let others = pes.iter().map(|&pe| self.members.pe(pe));
        let _observed = ObservedPartners::begin(call.what, call.completes, others, Location::caller());
        self.meet_checked(call, pes);
    }

    /// The same, of PEs that there are.
    #[inline(always)]
    #[track_caller]
    fn meet_checked(&self, call: &'static PartnerCall, pes: &[usize]) {
        let completes_late = call.completes_before(runtime::get());
        let (at, me, all) = (Location::caller(), direct::my_pe(), all_partners());
        let flags = all.flags.load(Ordering::Relaxed);
        let partners = Partners { call, at, me, all: &all.list, flags, completes_late };
        let others = pes.iter().map(|&pe| self.members.pe(pe));
        if let Err(pe) = pairs::meet(&partners, others) {
            call.two_threads(pe);
        }
    }
}

/// A call of this file, which may wait.
pub(crate) struct PartnerCall {
    /// Its name.
    pub(crate) what: &'static str,
    /// Whether it completes this PE's operations first.
    pub(crate) completes: bool,
}

impl PartnerCall {
    const SYNC_WITH: PartnerCall = PartnerCall { what: "sync_with", completes: false };
    const BARRIER_WITH: PartnerCall = PartnerCall { what: "barrier_with", completes: true };

    /// Completes this PE's operations before it tells a partner, if the call does that. Returns true if that is left
    /// for when it has told all: if all operations are stores, the flags follow them to the partners, and both are on
    /// their way while this PE waits for its stores.
    #[inline(always)]
    fn completes_before(&self, runtime: &Runtime) -> bool {
        if !self.completes {
            return false;
        }
        let late = runtime.transport().has_stores_alone() && runtime.uses_loads_and_stores();
        if !late {
            runtime.transport().quiet(Ctx::DEFAULT);
        }
        late
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn two_threads(&self, pe: usize) -> ! {
        panic!(
            "a thread of this PE calls `{}` with PE {pe}, and another one is in `sync_with` or `barrier_with` with the same PE; one \
             thread of a PE at a time synchronises with a PE",
            self.what
        )
    }
}

impl Awaited for PartnerCall {
    fn text(&self) -> String {
        self.what.to_owned()
    }
}

/// What this PE keeps of another one.
struct Partner {
    pair: Pair,
    /// Where its flag is in this PE's heap.
    own_flag: u32,
    /// This PE's flag there, if both PEs reach their flags by loads and stores. Both find the same: the PEs of
    /// a host have agreed that each reaches all others.
    flag: Option<&'static AtomicU32>,
}

impl Partner {
    /// What this PE keeps of `pe` at the start.
    fn new(pe: usize) -> Partner {
        let own_flag = layout::flag(pe) as u32;
        Partner { pair: Pair::default(), own_flag, flag: flag_there(pe) }
    }
}

/// What this PE keeps of all others, and where it finds their flags.
struct AllPartners {
    list: Box<[Partner]>,
    /// The start of this PE's heap, where loads see its flags; null where an operation does.
    flags: AtomicPtr<u8>,
}

static PARTNERS: OnceLock<AllPartners> = OnceLock::new();

#[inline]
#[track_caller]
fn all_partners() -> &'static AllPartners {
    match PARTNERS.get() {
        Some(partners) => partners,
        None => make_partners(),
    }
}

#[cold]
#[track_caller]
fn make_partners() -> &'static AllPartners {
    let n_pes = direct::n_pes();
    assert!(
        n_pes <= MOST_PARTNERS,
        "`sync_with` and `barrier_with` are for jobs of at most {MOST_PARTNERS} PEs, and this one has {n_pes}: use signals"
    );
    PARTNERS.get_or_init(|| {
        let runtime = runtime::get();
        let flags = if runtime.uses_loads_and_stores() { runtime.own_heap() } else { ptr::null_mut() };
        AllPartners { list: (0..n_pes).map(Partner::new).collect(), flags: AtomicPtr::new(flags) }
    })
}

/// This PE's flag in the heap of `pe`, if both PEs reach their flags by loads and stores.
fn flag_there(pe: usize) -> Option<&'static AtomicU32> {
    let (runtime, me) = (runtime::get(), direct::my_pe());
    let endpoint = runtime.endpoint();
    // That this PE reaches the other one does not say that the other one reaches this PE.
    let is_agreed =
        endpoint.facts.groups.as_ref().is_none_or(|groups| groups.shared.binary_search(&pe).is_ok());
    if pe == me || !is_agreed || !runtime.uses_loads_and_stores() {
        return None;
    }
    // Over a C library too: no network updates this word, as the two PEs alone do.
    // SAFETY: the heap of a PE, which stays mapped.
    Some(unsafe { flag_at(endpoint.heaps.peer(pe)?, layout::flag(me) as u32) })
}

/// The flag at this place of a heap.
///
/// # Safety
///
/// The heap begins there, and stays mapped; it has a flag at the place. PEs reach it by loads and stores.
#[inline(always)]
unsafe fn flag_at(heap: *mut u8, at: u32) -> &'static AtomicU32 {
    // SAFETY: a flag is aligned to its size, and only atomic operations of this width access it where loads and
    // stores reach it.
    unsafe { AtomicU32::from_ptr(heap.add(at as usize).cast()) }
}

/// The flags, in messages.
static FLAGS: ObjectInfo =
    ObjectInfo::new("the flags of sync_with", module_path!(), file!(), line!(), column!(), "u16");

/// Comes to so many meetings with PE `pe` at once, before the first. For the benchmarks: that PE never
/// waits for this one.
#[cfg(any(feature = "bench", test))]
pub(crate) fn come_early(pe: usize, times: u32) {
    match all_partners().list[pe].flag {
        Some(flag) => pairs::tell(flag, pairs::VISIT.wrapping_mul(times)),
        None => panic!("PE {pe} comes by visits alone: its memory is not reached by loads and stores"),
    }
}

/// The pauses of a wait for `pe` in a call at this place.
fn pauses(call: &'static PartnerCall, at: &'static Location<'static>, pe: usize) -> impl FnMut() {
    let mut backoff = Backoff::for_partner(runtime::get().endpoint(), call, at, pe);
    move || backoff.pause()
}

/// A call with one partner.
struct OnePartner<F> {
    call: &'static PartnerCall,
    at: &'static Location<'static>,
    partner: &'static Partner,
    flags: F,
}

/// How the flags of this PE there and of that one here are reached: see [`PairMemory`].
trait PartnerFlags {
    fn prepare(&self) {}
    fn come(&self, pe: usize, visit: u32);
    fn has_come(&self) {}
    fn look(&self, visit: u32) -> u32;
}

impl<F: PartnerFlags> OnePartner<F> {
    #[inline(always)]
    #[track_caller]
    fn meet(&self, pe: usize) {
        if pairs::meet_one(self, pe).is_err() {
            self.call.two_threads(pe);
        }
    }
}

impl<F: PartnerFlags> PairMemory for OnePartner<F> {
    #[inline(always)]
    fn my_pe(&self) -> usize {
        direct::my_pe()
    }

    #[inline(always)]
    fn pair(&self, _: usize) -> &Pair {
        &self.partner.pair
    }

    #[inline(always)]
    fn prepare(&self, _: usize) {
        self.flags.prepare();
    }

    #[inline(always)]
    fn come(&self, pe: usize, visit: u32) {
        self.flags.come(pe, visit);
    }

    #[inline(always)]
    fn has_come(&self) {
        self.flags.has_come();
    }

    #[inline(always)]
    fn look(&self, _: usize, visit: u32) -> u32 {
        self.flags.look(visit)
    }

    fn pauses(&self, pe: usize, _: u32) -> impl FnMut() {
        pauses(self.call, self.at, pe)
    }
}

/// Flags that both PEs reach by loads and stores. For `COMPLETES_LATE`, see [`PartnerCall::completes_before`].
struct NearFlags<const COMPLETES_LATE: bool> {
    /// This PE's flag there, and that one's flag here.
    flag: &'static AtomicU32,
    own: &'static AtomicU32,
}

impl<const COMPLETES_LATE: bool> PartnerFlags for NearFlags<COMPLETES_LATE> {
    #[inline(always)]
    fn prepare(&self) {
        prepare_to_write(self.flag, size_of::<AtomicU32>());
    }

    #[inline(always)]
    fn come(&self, _: usize, visit: u32) {
        pairs::tell(self.flag, visit);
    }

    #[inline(always)]
    fn has_come(&self) {
        if COMPLETES_LATE {
            fence(Ordering::SeqCst);
        }
    }

    #[inline(always)]
    fn look(&self, _: u32) -> u32 {
        pairs::seen(self.own)
    }
}

/// Flags that are put, where this PE loads its own.
struct FarFlags {
    /// The halves of that PE's flag here.
    own: &'static [AtomicU16; 2],
}

impl PartnerFlags for FarFlags {
    #[inline(always)]
    fn come(&self, pe: usize, visit: u32) {
        // SAFETY: there is such a PE, and stores do not reach its flag.
        unsafe { put_half(pe, visit) };
    }

    #[inline(always)]
    fn look(&self, visit: u32) -> u32 {
        pairs::seen_by(self.own[pairs::mark(visit).0].load(Ordering::Acquire), visit)
    }
}

/// Tells PE `pe` of a visit by a put. Not by an atomic update, for which a PE would wait longer: only this PE writes the
/// half. The library delivers it though this PE may not call it again for long: OpenSHMEM promises progress.
///
/// # Safety
///
/// There is such a PE, and only the library reaches its flags.
#[inline(always)]
unsafe fn put_half(pe: usize, visit: u32) {
    // The library knows nothing of this PE's stores to its own copies.
    fence(Ordering::Release);
    let (half, number) = pairs::mark(visit);
    let at = layout::flag(direct::my_pe()) + half * size_of::<u16>();
    // SAFETY: the PE exists, and its heap has a flag of each PE; the default context lives as long as the job, and the
    // number until the put returns.
    unsafe { far::put_word(Ctx::DEFAULT, pe, at, Width::W2, number.into()) };
}

/// The partners of one call.
struct Partners {
    call: &'static PartnerCall,
    at: &'static Location<'static>,
    me: usize,
    all: &'static [Partner],
    /// See [`AllPartners::flags`].
    flags: *mut u8,
    /// See [`PartnerCall::completes_before`].
    completes_late: bool,
}

impl PairMemory for Partners {
    #[inline(always)]
    fn my_pe(&self) -> usize {
        self.me
    }

    #[inline(always)]
    fn pair(&self, pe: usize) -> &Pair {
        &self.all[pe].pair
    }

    #[inline(always)]
    fn prepare(&self, pe: usize) {
        if let Some(flag) = self.all[pe].flag {
            prepare_to_write(flag, size_of::<AtomicU32>());
        }
    }

    #[inline(always)]
    fn come(&self, pe: usize, visit: u32) {
        match self.all[pe].flag {
            Some(flag) => pairs::tell(flag, visit),
            None => self.come_far(pe, visit),
        }
    }

    #[inline(always)]
    fn has_come(&self) {
        if self.completes_late {
            fence(Ordering::SeqCst);
        }
    }

    #[inline(always)]
    fn look(&self, pe: usize, visit: u32) -> u32 {
        match self.all[pe].flag {
            // SAFETY: this PE's heap, where this process sees its flags, as it reaches those of others.
            Some(_) => pairs::seen(unsafe { flag_at(self.flags, self.all[pe].own_flag) }),
            None => pairs::seen_by(self.own_half(pe, visit), visit),
        }
    }

    fn pauses(&self, pe: usize, _: u32) -> impl FnMut() {
        pauses(self.call, self.at, pe)
    }
}

impl Partners {
    /// Tells a PE whose heap loads and stores do not reach.
    fn come_far(&self, pe: usize, visit: u32) {
        if self.flags.is_null() {
            fence(Ordering::Release);
            let (half, number) = pairs::mark(visit);
            self.half(self.me, pe, half).target().amo(Amo::Set(number.into()));
        } else {
            // SAFETY: `meet` names a PE that there is; what is near was told by a store.
            unsafe { put_half(pe, visit) };
        }
    }

    /// The half of the flag of `pe` on this PE that `visit` writes.
    #[inline(always)]
    fn own_half(&self, pe: usize, visit: u32) -> u16 {
        let (half, _) = pairs::mark(visit);
        if self.flags.is_null() {
            return self.half(pe, self.me, half).watched().fetch(0);
        }
        // As the library's own waits, and those of a program.
        // SAFETY: this PE's heap, which stays mapped, has a flag of each PE, aligned to its size. This process
        // does not write it.
        unsafe { AtomicU16::from_ptr(self.flags.add(layout::flag(pe)).cast::<u16>().add(half)) }
            .load(Ordering::Acquire)
    }

    /// Half of the flag of `of` on `pe`.
    #[cold]
    #[inline(never)]
    fn half(&self, of: usize, pe: usize, half: usize) -> Remote<'static, Atomic<u16>, One> {
        let at = layout::flag(of) + half * size_of::<u16>();
        // SAFETY: a word of the runtime's part, which every heap has, is aligned to its size, and its halves
        // are accessed by these operations alone where loads and stores are not used. `of` is a PE, and
        // `all_partners` has found that all PEs have flags.
        unsafe { Remote::new(pe, One::one(at), &FLAGS) }
    }
}
