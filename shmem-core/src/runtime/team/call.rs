//! One collective call of a team, from its beginning on this PE.
//!
//! In a checked run (`SHMEM_CHECK`, on in debug builds) each PE first writes a record of its call,
//! synchronises, and reads the records of the others. So when PEs disagree, the program gets a
//! message with the call and the place of each, instead of a hang or wrong results. That costs a
//! synchronisation for each call. In other runs nothing is compared.

use std::collections::HashSet;
use std::hash::Hash;
use std::ops::Range;
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Team;
use crate::runtime::agreement::{Call, ComparedCalls, SharedWords, hash};
use crate::runtime::bytes::{bytes, bytes_mut, get_bytes, put_bytes, with_scratch, words};
use crate::runtime::direct;
use crate::runtime::observe::{self, CollectiveScope, ObservedCall};
use crate::runtime::{self, Runtime};
use crate::system::place;
use crate::system::sync::AtomicU64;
use crate::system::tuning::eager::{self, with_cores};
use crate::transport::closed;
use crate::transport::layout::{EAGER, EAGER_ROOM, EAGER_SIZE};
use crate::transport::node::deadlock;
use crate::transport::{Ctx, HostsOfTeam, LanePart, Routines, Transport};

/// The collective calls that this PE has made on a team, one at a time.
pub(crate) struct Calls {
    compared: Mutex<Compared>,
    /// How often values were left in the slot. Outside of the lock, which only checked runs take.
    exchanged: AtomicUsize,
}

/// What is compared of them in checked runs.
struct Compared {
    calls: ComparedCalls,
    /// Pairs of places that were reported. Not of calls: in a loop, lengths may differ each time.
    warned: HashSet<(u64, u64)>,
}

impl Calls {
    /// Those on a team whose slot is at `offset`.
    pub(crate) fn new(offset: usize) -> Calls {
        let compared = Compared { calls: ComparedCalls::on_team(offset), warned: HashSet::new() };
        Calls { compared: Mutex::new(compared), exchanged: AtomicUsize::new(0) }
    }

    /// Values are left in the slot once more. Returns how often they were.
    pub(super) fn exchange(&self) -> usize {
        // Collective, so no other thread of this PE is here: a load and a store are enough.
        let number = self.exchanged.load(Ordering::Relaxed).wrapping_add(1);
        self.exchanged.store(number, Ordering::Relaxed);
        number
    }
}

/// A collective call under way on this PE; no other thread begins one on the same team before it
/// ends.
pub(crate) struct OngoingCall<'a> {
    pub(super) team: &'a Team,
    pub(super) runtime: &'static Runtime,
    _entered: deadlock::EnteredCall<'a>,
    /// Transfers in its lifetime belong to the call.
    inside: CollectiveScope,
}

impl Team {
    /// Begins a call that moves data.
    ///
    /// # Panics
    ///
    /// In a checked run, when another PE of the team calls something else; the message names both.
    #[track_caller]
    pub(crate) fn begin(&self, call: Call) -> OngoingCall<'_> {
        refuse_in_phase(call.what);
        let runtime = runtime::get();
        let entered = self.enter(call.what, call.place);
        // Before the PEs compare the call, which waits for all of them.
        let inside = CollectiveScope::begin(&call, self.slot_offset(), &self.members);
        if runtime.is_checked() {
            self.compare(runtime, call);
        }
        OngoingCall { team: self, runtime, _entered: entered, inside }
    }

    /// Makes the call `what` of a broadcast of words, where nothing is compared and no operation is
    /// observed: see [`Meeting::broadcast_words`](crate::transport::Meeting::broadcast_words).
    /// False, with nothing done, where the meeting has no such broadcast.
    #[inline]
    #[track_caller]
    pub(crate) fn broadcast_words(
        &self,
        what: &'static str,
        root: usize,
        from: &[AtomicU64],
        to: Option<&[AtomicU64]>,
    ) -> bool {
        let place = place::caller();
        refuse_in_phase(what);
        let _entered = self.enter(what, place);
        let _span = observe::unobserved(what, place, &self.members);
        self.meeting.broadcast_words(root, from, to)
    }

    /// Has pieces go from member to member: see [`Meeting::relay`](crate::transport::Meeting::relay).
    pub(crate) fn relay(
        &self,
        root: usize,
        pieces: usize,
        copy: &mut dyn FnMut(usize, usize, usize),
    ) -> bool {
        self.meeting.relay(root, pieces, copy)
    }

    /// See [`Meeting::sync_on_host`](crate::transport::Meeting::sync_on_host).
    pub(crate) fn sync_on_host(&self) {
        self.meeting.sync_on_host();
    }

    /// Whether all members reach each other by loads and stores.
    pub(crate) fn is_on_one_host(&self) -> bool {
        self.meeting.is_directly_addressable()
    }

    /// Whether eager beats in place for `len` bytes: up to `with_cores` where each PE has a core and all are
    /// directly addressable, and up to the room that there is where a synchronisation takes longer. The
    /// result is the same on all members.
    pub(crate) fn is_quick(&self, len: usize, with_cores: usize) -> bool {
        let meets_soon = self.is_on_one_host() && !runtime::get().endpoint().facts.oversubscribed;
        OngoingCall::is_small(len) && !(meets_soon && len > with_cores)
    }

    /// Whether eager beats in place in a broadcast of `len` bytes.
    pub(crate) fn is_quick_to_broadcast(&self, len: usize) -> bool {
        let most = match (self.is_on_one_host(), runtime::get().endpoint().facts.oversubscribed) {
            (false, _) => EAGER_SIZE,
            (true, true) => eager::BROADCAST_OVERSUBSCRIBED,
            (true, false) => with_cores::BROADCAST,
        };
        len <= most
    }

    /// Whether a broadcast of `len` bytes waits for nobody: see
    /// [`Meeting::broadcasts`](crate::transport::Meeting::broadcasts).
    pub(crate) fn broadcasts_by_cells(&self, len: usize) -> bool {
        self.meeting.broadcasts(len)
    }

    /// Takes this PE's part in a reduction that goes from host to host: see
    /// [`Meeting::pass_along`](crate::transport::Meeting::pass_along).
    pub(crate) fn pass_along(&self, pieces: usize, part: &mut dyn LanePart) {
        self.meeting.pass_along(pieces, part);
    }

    /// Which members share a host: see [`Meeting::hosts`](crate::transport::Meeting::hosts).
    pub(crate) fn hosts(&self) -> Option<HostsOfTeam<'_>> {
        self.meeting.hosts()
    }

    /// Checks a call that only synchronises, and tells of it. The result is to live as long as the
    /// call lasts.
    #[cold]
    #[track_caller]
    pub(crate) fn check(&self, what: &'static str) -> ObservedCall {
        self.check_at(what, place::caller())
    }

    /// As [`check`](Team::check), of a call at `place`.
    #[track_caller]
    pub(crate) fn check_at(&self, what: &'static str, place: &'static Location<'static>) -> ObservedCall {
        let runtime = runtime::get();
        // Before the PEs compare the call, which waits for all of them.
        let span = observe::synchronisation(what, self.slot_offset(), &self.members, place);
        // In a local phase a record cannot be written, and all PEs are in it.
        if runtime.is_checked() && !closed::is_closed() {
            self.compare(runtime, Call::new(what, place));
        }
        span
    }

    /// Begins a call on the symmetric heap, `what` at `place`. The heap itself compares such calls
    /// with each other; this function only tells them from calls that are not on the heap.
    #[track_caller]
    pub(crate) fn begin_on_heap(
        &self,
        runtime: &Runtime,
        what: &'static str,
        place: &'static Location<'static>,
    ) -> deadlock::EnteredCall<'_> {
        let inside = self.enter(what, place);
        if runtime.is_checked() {
            let call = Call::new("an allocation or a release of memory", place);
            self.compare(runtime, call);
        }
        inside
    }

    /// The offset in the heaps for the values that are left in the slot at present.
    pub(super) fn eager(&self) -> usize {
        self.slot_offset() + EAGER + self.calls.exchanged.load(Ordering::Relaxed) % 2 * EAGER_ROOM
    }

    /// Compares the calls of all PEs of the team. Collective.
    #[track_caller]
    fn compare(&self, runtime: &Runtime, call: Call) {
        let (transport, mine) = (runtime.transport(), call.statement());
        // The data is counts, which are right even after a panic.
        let mut compared = self.calls.compared.lock().unwrap_or_else(PoisonError::into_inner);
        compared.calls.begin();
        let agreed = match compared.calls.agree(transport, self, &mine, SharedWords::NOTHING) {
            Ok(agreed) => agreed,
            Err(reason) => panic!("the PEs disagree {reason}"),
        };
        // The same call from two places is legal, but mostly a mistake: a call that meets another
        // call's barrier. One PE reports it, once.
        if self.my_pe() != 0 || agreed.is_one_place {
            return;
        }
        for pe in 1..self.n_pes() {
            let record = compared.calls.record(transport, self.members.pe(pe));
            if record.place == mine.place || !compared.warned.insert((mine.place, record.place)) {
                continue;
            }
            let theirs = compared.calls.text(transport, self.members.pe(pe), &record);
            let mine = place::shown(&mine.text);
            // A compiler of another language may have made two calls of one line.
            if mine != theirs {
                eprintln!(
                    "shmem: warning: PE 0 {mine}, and PE {pe} {theirs}: the same collective call from two places of \
                     the program; if this is intended, SHMEM_CHECK=0 turns this warning off"
                );
            }
        }
    }
}

/// Refuses a call in a local phase.
#[inline]
#[track_caller]
fn refuse_in_phase(what: &str) {
    if closed::is_closed() {
        closed::refuse_named(what);
    }
}

/// Has `each` get the `len` bytes of one PE at a time, where those of several are passed side by side with the number
/// of the first.
fn one_by_one(len: usize, mut each: impl FnMut(usize, &[u8])) -> impl FnMut(usize, &[u8]) {
    move |first, several| {
        several.chunks_exact(len.max(1)).enumerate().for_each(|(i, bytes)| each(first + i, bytes));
    }
}

impl<'a> OngoingCall<'a> {
    /// The members meet once more, after what this call has found out about the others.
    pub(crate) fn meet_again(&mut self, call: &Call) {
        self.inside.meet_again(call, self.team.slot_offset(), &self.team.members);
    }

    /// What moves the bytes of the call.
    pub(crate) fn transport(&self) -> &'static dyn Transport {
        self.runtime.transport()
    }

    /// Whether the slot has room for values of `len` bytes.
    pub(crate) fn is_small(len: usize) -> bool {
        len <= EAGER_SIZE
    }

    /// Whether eager beats in place, where each PE gets the `len` bytes of every PE, and destinations
    /// may be `in_use` until their PE calls. The result is the same on all members.
    pub(crate) fn is_quick_for_all(&self, len: usize, in_use: bool) -> bool {
        // Where a get takes long, each PE rather writes its bytes where they belong.
        let is_near = self.team.is_on_one_host();
        let most = if in_use { with_cores::TO_ALL } else { with_cores::TO_ALL_READY };
        self.team.is_quick(if is_near { len } else { len.saturating_mul(self.team.n_pes()) }, most)
    }

    /// Whether eager beats in place where each PE sends `len` bytes to every PE. If destinations may be `in_use` until
    /// their PE calls, in place needs one meeting more. The result is the same on all members.
    pub(crate) fn is_quick_to_each(&self, len: usize, in_use: bool) -> bool {
        let all = len.saturating_mul(self.team.n_pes());
        // There, one copy more takes less time than a meeting. On more hosts, others may go another way.
        let beats_a_meeting = || match self.team.is_on_one_host() {
            true => self.runtime.endpoint().facts.oversubscribed,
            false => self.team.meets_at_once(),
        };
        let most = if in_use { with_cores::TO_EACH } else { with_cores::TO_EACH_READY };
        self.team.is_quick(all, most) || in_use && all <= EAGER_ROOM && beats_a_meeting()
    }

    /// Whether eager beats in place in a reduction of `len` bytes of each PE, in which each PE joins the
    /// values of all. The result is the same on all members.
    pub(crate) fn is_quick_to_reduce(&self, len: usize) -> bool {
        let n_pes = self.team.n_pes();
        let most = if self.team.meets_at_once() { EAGER_ROOM } else { eager::REDUCTION_TOTAL };
        self.may_join_all(len) && len.saturating_mul(n_pes) <= most.max(n_pes * eager::REDUCTION_OF_EACH)
    }

    /// As [`is_quick_to_reduce`](OngoingCall::is_quick_to_reduce), where one PE alone does that.
    pub(crate) fn is_quick_to_reduce_on_one(&self, len: usize) -> bool {
        self.may_join_all(len) && len.saturating_mul(self.team.n_pes()) <= eager::REDUCTION_TOTAL
    }

    /// Whether one PE joins `len` bytes of each PE sooner than each its part.
    fn may_join_all(&self, len: usize) -> bool {
        self.team.is_quick(len, with_cores::OF_EACH.max(with_cores::REDUCED / self.team.n_pes()))
    }

    /// Whether eager beats in place, where one PE gets `len` bytes from each PE, or gives them. The result is
    /// the same on all members.
    pub(crate) fn is_quick_with_root(&self, len: usize) -> bool {
        self.team.is_quick(len, with_cores::OF_EACH.max(with_cores::TO_EACH / self.team.n_pes()))
    }

    /// Leaves `mine` in the slot, waits for all PEs, and passes the bytes of each to `each`, in the
    /// order of the team. All PEs leave equally many bytes. No PE waits after it has read.
    pub(crate) fn exchange(&mut self, mine: &[u8], each: impl FnMut(usize, &[u8])) {
        self.exchange_runs(mine, one_by_one(mine.len(), each));
    }

    /// As [`exchange`](OngoingCall::exchange), and `each` gets the bytes of several PEs at once where they lie side
    /// by side, with the number of the first.
    pub(crate) fn exchange_runs(&mut self, mine: &[u8], mut each: impl FnMut(usize, &[u8])) {
        if !self.exchange_two(mine, &mut each) {
            self.exchange_among_more(mine, &mut each);
        }
    }

    /// As [`exchange_runs`](OngoingCall::exchange_runs), where [`exchange_two`](OngoingCall::exchange_two) has done nothing.
    /// Compiled once, whatever is done with the bytes.
    fn exchange_among_more(&mut self, mine: &[u8], each: &mut dyn FnMut(usize, &[u8])) {
        let (len, n_pes) = (mine.len(), self.team.n_pes());
        let is_far = !self.team.is_on_one_host();
        let fits = len * n_pes <= EAGER_ROOM;
        if fits && len > 0 && self.team.exchange_at_once(self.runtime.transport(), mine, each) {
            return;
        }
        if let Some(routines) = self.team.routines()
            && routines.exchange(mine, each)
        {
            return;
        }
        if n_pes == 2 || !fits || is_far {
            return self.exchange_parts(mine, 0..len, each);
        }
        self.team.calls.exchange();
        self.exchange_on_first(mine, each);
    }

    /// As [`exchange_runs`](OngoingCall::exchange_runs), in the slot of the first member, where all values lie side by
    /// side: each PE reads a few pages, instead of one from every other PE.
    pub(super) fn exchange_on_first(&self, mine: &[u8], each: &mut dyn FnMut(usize, &[u8])) {
        let (transport, first, at) = (self.runtime.transport(), self.team.members.pe(0), self.eager());
        put_bytes(transport, first, at + self.team.my_pe() * mine.len(), mine);
        self.team.barrier_unchecked();
        self.read_all(first, at, mine.len(), each);
    }

    /// As [`exchange_runs`](OngoingCall::exchange_runs), of a few bytes of two PEs, which send them with the word that
    /// synchronises them. Returns `false`, and does nothing, where the team does not do that.
    pub(super) fn exchange_two(&self, mine: &[u8], each: &mut impl FnMut(usize, &[u8])) -> bool {
        let (len, mut words) = (mine.len(), [0_u64; 2]);
        if self.team.n_pes() != 2 || len > size_of_val(&words) {
            return false;
        }
        bytes_mut(&mut words)[..len].copy_from_slice(mine);
        let Some(theirs) = self.team.exchange_pair(words) else { return false };
        let theirs = &bytes(&theirs)[..len];
        let both = if self.team.my_pe() == 0 { [mine, theirs] } else { [theirs, mine] };
        both.into_iter().enumerate().for_each(|(pe, bytes)| each(pe, bytes));
        true
    }

    /// Passes the `len` bytes of each PE, side by side at `at` in the heap of `pe`, to `each` at once.
    fn read_all(&self, pe: usize, at: usize, len: usize, each: &mut dyn FnMut(usize, &[u8])) {
        with_scratch(len * self.team.n_pes(), |all| {
            get_bytes(self.runtime.transport(), pe, at, all);
            each(0, all);
        });
    }

    /// Sends each PE its block of `blocks`, which are in the order of the team, waits for all PEs,
    /// and replaces the blocks by those that this PE has received. All blocks together fit into a
    /// place of the slot. No PE waits after it has read.
    pub(crate) fn alltoall(&mut self, blocks: &mut [u8]) {
        let (blocks, len) = (blocks.as_mut_ptr(), blocks.len() / self.team.n_pes());
        // SAFETY: a slice of so many bytes.
        unsafe { self.alltoall_bytes(blocks, blocks, len) }
    }

    /// As [`alltoall`](OngoingCall::alltoall), with blocks of `len` bytes from `from` on, which are received from `to`
    /// on. The two may overlap.
    ///
    /// # Safety
    ///
    /// `from` is readable, and `to` writable, for a block of each PE.
    pub(crate) unsafe fn alltoall_bytes(&mut self, to: *mut u8, from: *const u8, len: usize) {
        self.team.calls.exchange();
        let (transport, at) = (self.runtime.transport(), self.eager());
        let (me, n_pes) = (self.team.my_pe(), self.team.n_pes());
        assert!(len * n_pes <= EAGER_ROOM);
        // The values of the time before the last were read by all PEs before the last meeting.
        for rank in (me..n_pes).chain(0..me) {
            let pe = self.team.members.pe(rank);
            // SAFETY: the caller's promise, and the place in the slot has room for the blocks of all.
            unsafe { transport.put(Ctx::DEFAULT, pe, at + me * len, from.add(rank * len), len) };
        }
        self.team.deliver();
        // SAFETY: as above.
        unsafe { transport.get(Ctx::DEFAULT, direct::my_pe(), at, to, len * n_pes) };
    }

    /// Sends `mine` to member `root`, waits for all PEs, and passes the bytes of each to `each` there, in
    /// the order of the team. All PEs send equally many bytes. No PE waits after the root has read.
    pub(crate) fn gather(&mut self, root: usize, mine: &[u8], each: &mut dyn FnMut(usize, &[u8])) {
        let (len, me, n_pes) = (mine.len(), self.team.my_pe(), self.team.n_pes());
        if len * n_pes > EAGER_ROOM {
            self.leave(mine);
            self.team.sync_unchecked();
            if me == root {
                self.read(0..n_pes, 0..len, each);
            }
            return;
        }
        // All values lie side by side on the root.
        self.team.calls.exchange();
        let (transport, to, at) = (self.runtime.transport(), self.team.members.pe(root), self.eager());
        put_bytes(transport, to, at + me * len, mine);
        self.team.deliver();
        if me == root {
            self.read_all(to, at, len, &mut one_by_one(len, each));
        }
    }

    /// Sends `block(pe)` from member `root` to each PE, waits for all PEs, and reads to `mine` as many
    /// bytes of it as that has. No PE waits after it has read.
    pub(crate) fn scatter<'b>(&mut self, root: usize, block: impl Fn(usize) -> &'b [u8], mine: &mut [u8]) {
        assert!(OngoingCall::is_small(mine.len()));
        self.team.calls.exchange();
        let (transport, at) = (self.runtime.transport(), self.eager());
        if self.team.my_pe() == root {
            for pe in 0..self.team.n_pes() {
                let block = block(pe);
                assert!(OngoingCall::is_small(block.len()));
                put_bytes(transport, self.team.members.pe(pe), at, block);
            }
        }
        self.team.deliver();
        get_bytes(transport, direct::my_pe(), at, mine);
    }

    /// As [`exchange`](OngoingCall::exchange), but reads only the bytes in `part` of each PE's
    /// value.
    fn exchange_parts(&mut self, mine: &[u8], part: Range<usize>, each: &mut dyn FnMut(usize, &[u8])) {
        self.leave(mine);
        self.team.sync_unchecked();
        self.read(0..self.team.n_pes(), part, each);
    }

    /// Waits for all PEs of the team. Returns the team's routines for the call that `called`
    /// identifies, where it has any and all PEs make the same call.
    ///
    /// A routine writes to other PEs with this PE's arguments. So it is used only after all PEs
    /// have passed the same `called`, in every run: a program whose PEs disagree must not write to
    /// unexpected places.
    pub(crate) fn agreed_routines(&mut self, called: impl Hash) -> Option<&'a dyn Routines> {
        let Some(routines) = self.team.routines() else {
            self.team.sync_unchecked();
            return None;
        };
        self.team.are_alike(self.transport(), hash(called)).then_some(routines)
    }

    /// Collects the number `mine` of each PE, in the order of the team.
    pub(crate) fn lengths(&mut self, mine: usize) -> Vec<usize> {
        let mut all = Vec::with_capacity(self.team.n_pes());
        self.exchange(bytes(&[mine as u64]), |_, bytes| all.extend(words(bytes).map(|len| len as usize)));
        all
    }

    /// As [`collect`](OngoingCall::collect), where all PEs read.
    pub(crate) fn collect_for_all(
        &mut self,
        mine: &[u8],
        lens: &[usize],
        mut each: impl FnMut(usize, usize, &[u8]),
    ) {
        let longest = lens.iter().copied().max().unwrap_or(0);
        if !(1..=EAGER_SIZE).contains(&longest) || longest * lens.len() > EAGER_ROOM {
            return self.collect(mine, lens, true, each);
        }
        // Side by side, each with as much room as the longest.
        with_scratch(longest, |padded| {
            padded[..mine.len()].copy_from_slice(mine);
            padded[mine.len()..].fill(0);
            self.exchange(padded, |pe, bytes| {
                if lens[pe] > 0 {
                    each(pe, 0, &bytes[..lens[pe]]);
                }
            });
        });
    }

    /// Passes the value of each PE, `lens[pe]` bytes, to `each` in pieces: with the PE, and the
    /// number of bytes before the piece. A PE whose `read` is false only sends.
    pub(crate) fn collect(
        &mut self,
        mine: &[u8],
        lens: &[usize],
        read: bool,
        mut each: impl FnMut(usize, usize, &[u8]),
    ) {
        let longest = lens.iter().copied().max().unwrap_or(0);
        for start in (0..longest).step_by(EAGER_SIZE) {
            let piece = mine.chunks(EAGER_SIZE).nth(start / EAGER_SIZE).unwrap_or_default();
            let part = if read { 0..EAGER_SIZE.min(longest - start) } else { 0..0 };
            self.exchange_parts(piece, part, &mut |pe, bytes| {
                let left = lens[pe].saturating_sub(start).min(bytes.len());
                if left > 0 {
                    each(pe, start, &bytes[..left]);
                }
            });
        }
    }

    /// Broadcasts `mine` of PE `root` to all. The root may return before the others have come. If there are no bytes,
    /// each PE still learns that the root has come.
    #[track_caller]
    pub(crate) fn broadcast(&mut self, root: usize, mine: &mut [u8]) {
        let mine = if mine.is_empty() { &mut [0] } else { mine };
        if self.team.broadcasts_by_cells(mine.len()) {
            self.team.meeting.broadcast(root, mine);
        } else {
            let (len, values) = (mine.len(), mine.as_mut_ptr());
            // SAFETY: a slice of so many bytes.
            unsafe { self.broadcast_by_slot(root, values, values, len) }
        }
    }

    /// Has `len` bytes go through the slot of PE `root`: from `from` there to `to` of all others. Of more bytes
    /// than the slot has room for, the root writes a piece while the others read the one before.
    ///
    /// # Safety
    ///
    /// `from` is readable on the root, and `to` writable on the others, for so many bytes.
    #[track_caller]
    pub(crate) unsafe fn broadcast_by_slot(&mut self, root: usize, from: *const u8, to: *mut u8, len: usize) {
        let (transport, pe) = (self.runtime.transport(), self.team.members.pe(root));
        for start in (0..len).step_by(EAGER_ROOM) {
            let piece = EAGER_ROOM.min(len - start);
            self.team.calls.exchange();
            let at = self.eager();
            // The others have read the piece before the last when they come to the last: there are two places.
            // SAFETY: the caller's promise, and a place in the slot has room for a piece.
            unsafe {
                if self.team.my_pe() == root {
                    transport.put(Ctx::DEFAULT, pe, at, from.add(start), piece);
                    self.team.sync_unchecked();
                } else {
                    self.team.sync_unchecked();
                    transport.get(Ctx::DEFAULT, pe, at, to.add(start), piece);
                }
            }
        }
    }

    fn leave(&mut self, mine: &[u8]) {
        assert!(OngoingCall::is_small(mine.len()));
        self.team.calls.exchange();
        let transport = self.runtime.transport();
        put_bytes(transport, direct::my_pe(), self.eager(), mine);
    }

    fn read(&self, pes: Range<usize>, part: Range<usize>, each: &mut dyn FnMut(usize, &[u8])) {
        assert!(OngoingCall::is_small(part.end));
        with_scratch(part.len(), |bytes| {
            for pe in pes {
                let (transport, member) = (self.runtime.transport(), self.team.members.pe(pe));
                get_bytes(transport, member, self.eager() + part.start, bytes);
                each(pe, bytes);
            }
        });
    }

    /// The offset in the slot for this call's values.
    pub(super) fn eager(&self) -> usize {
        self.team.eager()
    }
}
