//! Meetings of PEs of several nodes: puts of the library.
//!
//! A few PEs signal all others at once, each by a word of its own. More signal each other in rounds: in round r each PE
//! signals the PE 2^r after it, and is signalled by the PE 2^r before it (dissemination). Each word is written from one
//! side: a put of the number of the meeting, which waits for nothing, and a load reads it, as in the library's own
//! waiting. Between two reads the waiter drives the library.
//!
//! Meetings write the halves of a word in turn, because a network may deliver two puts in another order. To one half it
//! cannot: who signals for the meeting after the next has been through the next, to which all have come. So all have
//! seen the signals of this one.
//!
//! At once takes more messages, and one flight instead of log2(n): the package `simulation` says where that pays on
//! networks. Where 8 PEs share 2 cores, both take about the same time.
//!
//! Where members share a host, the hosts signal each other. The members on a host count themselves in, in their memory,
//! and the last to come signals for all. The words of a host lie in the heap of its lead, the member of the lowest rank.
//! The lead signals in later rounds, after it has seen that all of its host are here. Where nothing comes with the
//! signals, each member reads the words for itself, so nobody has to tell the others. With 2 PEs on each of 2 hosts, a
//! meeting takes 2 messages between hosts. Among PEs it would take 8.
//!
//! What members combine goes with the signals: it is put before, and a fence of the library keeps the order for the PE
//! that is signalled. Members on its host could see the signal before what comes with it, and wait until the lead tells
//! them that it has seen both. A member on a host of several leaves its part in its own memory before it counts itself
//! in. So the last to come has all parts, and each of the others joins them for itself, in the order in which they were
//! sent.
//!
//! Where each member gives a few words, no signal goes with them. Each member of a host writes its words to the memory of
//! the lead, and the last to come puts the words of its host into that of each other lead, in one message. Each word has
//! the number of the exchange, so each member sees for itself when all are there. The words lie host by host, whatever the
//! ranks are.
//!
//! Small broadcasts need no meeting: see [`cells`](super::cells). Who does what, and in which order, is in
//! [`steps`](super::steps) for both.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};
use std::time::Instant;

use super::LibraryJob;
use super::arrivals::Arrivals;
use super::cells::{Broadcast, FarBroadcasts, Goods, LaneWord, copy_words};
use super::collectives::WorldRoutines;
use super::hosts::HostLane;
use super::steps::{BroadcastPlace, BroadcastStep, MeetingRounds, MeetingStep, RelayPart, SIGNALS, is_word};
use crate::system::sync::{Nap, look_for_a_message};
use crate::system::tuning::library::{FIRST_LOOK, LOOKED_AT};
use crate::system::tuning::wait::SHORT_LOOKS;
use crate::transport::Members;
use crate::transport::copy::is_tangled;
use crate::transport::node::counter::Counter;
use crate::transport::node::deadlock::{self, FarWait};
use crate::transport::node::record::Node as _;
use crate::transport::node::waits::LISTED;
use crate::transport::{Carried, Ctx, FEW_WORDS, HostsOfTeam, LanePart, Meeting, RoundMeeting, Routines};

/// A PE's words, in which other PEs say how often they have come: one for each round, or for each party, of two
/// halves. Zeros are the first state.
///
/// The last word of a lead says for which meeting it has seen the signals of all, and what has come with them. It
/// alone writes it.
pub(super) type SignalWords = [AtomicU64; SIGNALS + 1];

/// How often a PE has come to a meeting. Only the PE writes the word; others read it through the
/// library.
pub(super) struct Visits {
    /// This PE's word.
    pub(super) mine: &'static AtomicU32,
    /// The symmetric address of the word, which the library accepts for any PE.
    pub(super) at: AtomicPtr<u32>,
}

/// Which half of a word the signal with this number writes.
const fn half(number: u32) -> usize {
    (number % 2) as usize
}

/// Half of a word.
fn half_of(word: &AtomicU64, half: usize) -> u32 {
    // SAFETY: half of the word, which is aligned. The PEs of its host write it before the first meeting alone.
    unsafe { AtomicU32::from_ptr(word.as_ptr().cast::<u32>().add(half)) }.load(Ordering::Acquire)
}

/// One PE's handle of a meeting.
pub(super) struct FarMeeting {
    job: &'static LibraryJob,
    members: Members,
    rounds: MeetingRounds,
    /// Where the members on this host meet first, where there are several.
    host: Option<Arrivals>,
    /// This PE's words, or those of the lead of its host, and their symmetric address.
    mine: &'static SignalWords,
    at: AtomicPtr<SignalWords>,
    visits: Visits,
    /// Whether all PEs take part, and come to it in the same order as to all other meetings of all
    /// PEs.
    is_of_all: bool,
    rank: usize,
    /// The places of the members in an exchange of words, where some of them share a host.
    places: Box<[u32]>,
    /// How many of the visits were exchanges of words, in which nobody signals.
    exchanges: AtomicU32,
    /// What only collective calls have, not the meetings of the runtime itself.
    broadcasts: Option<FarBroadcasts>,
    routines: Option<&'static WorldRoutines>,
}

/// A wait for other PEs, which may be several waits one after the other.
struct Waiting<'a> {
    nap: Nap,
    /// When it began to last, and when it is looked after next.
    lasts: Option<(Instant, Instant)>,
    looks: Looks<'a>,
}

/// The looks of a wait at the others, and what is known by them.
struct Looks<'a> {
    wait: FarWait<'a>,
    /// Whether the wait is that after the end of the function of the program.
    at_end: bool,
    /// How many there have been.
    number: usize,
    /// The PEs that had not come when they were looked at.
    missing: BTreeSet<usize>,
}

/// What the members combine in a meeting.
struct CarriedRounds<'a> {
    carried: &'a mut dyn Carried,
    /// Whether it has the parts of the other members on this host.
    has_neighbours: bool,
}

impl FarMeeting {
    /// The handle of member `rank`, which takes these `rounds`. It waits for the words `mine`: its
    /// own, or where members share a host those of the lead, at whose `counter` they meet first.
    /// `at` is their symmetric address, the same on all members. All members must make their
    /// handles before any of them comes.
    pub(super) fn new(
        job: &'static LibraryJob,
        rounds: MeetingRounds,
        (mine, at): (&'static SignalWords, *mut SignalWords),
        counter: Option<&'static Counter>,
        visits: Visits,
        (members, rank): (&Members, usize),
        is_of_all: bool,
    ) -> FarMeeting {
        visits.mine.store(0, Ordering::Relaxed);
        // No signal of an earlier meeting is under way: each has ended a wait of its receiver.
        mine.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        FarMeeting {
            job,
            members: members.clone(),
            host: rounds.here().zip(counter).map(|(here, counter)| Arrivals::new(counter, here)),
            rounds,
            mine,
            at: AtomicPtr::new(at),
            visits,
            is_of_all,
            rank,
            places: Box::default(),
            exchanges: AtomicU32::new(0),
            broadcasts: None,
            routines: None,
        }
    }

    /// With what collective calls need.
    pub(super) fn with(
        self,
        broadcasts: FarBroadcasts,
        routines: Option<&'static WorldRoutines>,
    ) -> FarMeeting {
        let hosts = broadcasts.tree().hosts().filter(|_| self.rounds.gives_words(self.members.len(), 1));
        let places = hosts.map(|hosts| hosts.places(&self.members, &self.job.hosts)).unwrap_or_default();
        FarMeeting { broadcasts: Some(broadcasts), routines, places, ..self }
    }

    /// Tells `pe` by this word that those whom this PE stands for have come so many times.
    fn signal(&self, word: usize, pe: usize, number: u32) {
        // SAFETY: a word of symmetric memory that members of this meeting alone write; there are as many as
        // rounds or parties, and the PE is a member.
        unsafe {
            let word = self.at.load(Ordering::Relaxed).cast::<u64>().add(word);
            self.job.put_half(pe, word.cast::<u32>().add(half(number)), number);
        }
    }

    /// How many of the visits, up to `visit`, signal.
    fn number(&self, visit: u32) -> u32 {
        visit.wrapping_sub(self.exchanges.load(Ordering::Relaxed))
    }

    /// Waits until what the program has put is there, and writes down that it waits: a PE that does not call
    /// the library may have to help. The signals of the meetings before would take a round trip too, so where the
    /// program has put nothing since, it does not wait for them.
    fn complete_puts(&self) {
        let job = self.job;
        if job.is_complete() {
            return;
        }
        let _wait = job.is_observed().then(|| FarWait::in_library(&job.record(job.me).presence.wait, None));
        job.quiet(Ctx::DEFAULT);
    }

    /// Where members give so many words to each other, if they do.
    fn exchange_cells(&self, words: usize) -> Option<&FarBroadcasts> {
        self.broadcasts.as_ref().filter(|_| self.rounds.gives_words(self.members.len(), words))
    }

    /// Waits for all members in the meeting after all PEs have returned from their functions.
    pub(super) fn end(&self) {
        let visit = self.arrive();
        self.wait_for_all(visit, true, &mut None);
    }

    /// This PE comes, and signals if it is the last of its host. Returns the number of the visit.
    fn come(&self, carried: &mut Option<CarriedRounds<'_>>) -> u32 {
        let visit = self.count_visit();
        if self.is_last(visit) {
            self.join_neighbours(carried);
            self.signal_with(self.rounds.first_signals(), visit, carried);
        }
        visit
    }

    /// Counts that this PE comes. Returns the number of the visit.
    fn count_visit(&self) -> u32 {
        // What this PE has stored comes before the signals, which the library sends.
        fence(Ordering::Release);
        // The call is collective, so no other thread of this PE is here.
        let visit = self.visits.mine.load(Ordering::Relaxed).wrapping_add(1);
        self.visits.mine.store(visit, Ordering::Release);
        visit
    }

    /// This PE comes for a visit that it has counted. Returns whether it is the last of its host.
    fn is_last(&self, visit: u32) -> bool {
        self.host.as_ref().is_none_or(|host| host.arrive(self.job, visit))
    }

    /// Joins what the other members on this host carry, once.
    fn join_neighbours(&self, carried: &mut Option<CarriedRounds<'_>>) {
        if let Some(rounds) = carried.as_mut().filter(|rounds| !rounds.has_neighbours) {
            rounds.has_neighbours = true;
            self.rounds.neighbours().iter().for_each(|&pe| rounds.carried.join_left(pe));
        }
    }

    /// [Signals](FarMeeting::signal) PEs by words, after what the members carry.
    fn signal_with(
        &self,
        signals: impl Iterator<Item = (usize, usize)> + Clone,
        visit: u32,
        carried: &mut Option<CarriedRounds<'_>>,
    ) {
        if let Some(rounds) = carried {
            signals.clone().for_each(|(word, pe)| rounds.carried.send(word, pe));
            // It keeps the order for the PE that is signalled, which tells others on its host.
            self.job.fence();
        }
        let number = self.number(visit);
        signals.for_each(|(word, pe)| self.signal(word, pe, number));
    }

    fn wait_for_all(&self, visit: u32, at_end: bool, carried: &mut Option<CarriedRounds<'_>>) {
        let mut waiting = self.waiting(at_end);
        for step in self.rounds.until_all_have_come(carried.is_some()) {
            self.take(
                step,
                visit,
                &mut waiting,
                |looks, is_over| self.look_at_some(visit, 0, looks, is_over),
                carried,
            );
        }
    }

    /// Looks at some of those whom this PE waits for in this visit, an exchange of so many words or another call, and at
    /// others the next time. It stops when the wait `is_over`, after at most one PE more: to ask may take longer than the
    /// wait, and all wait for this one.
    #[cold]
    fn look_at_some(&self, visit: u32, words: usize, looks: &mut Looks<'_>, is_over: &dyn Fn() -> bool) {
        let (job, members) = (self.job, &self.members);
        let at = self.visits.at.load(Ordering::Relaxed);
        // How many visits more than this one.
        // SAFETY: a word of symmetric memory of every PE.
        let ahead = |pe| unsafe { job.read_word(at, pe) }.wrapping_sub(visit).cast_signed();
        let (mut missing, mut come) = (Vec::new(), Vec::new());
        let these = deadlock::looked_at(self.rank, members.len(), looks.number).map(|rank| members.pe(rank));
        // Where these are not all, those that the table names may have come since.
        let again = if members.len() > LOOKED_AT + 1 { LISTED } else { 0 };
        let named: Vec<usize> = looks.missing.iter().copied().take(again).collect();
        for pe in these.chain(named) {
            if is_over() {
                return;
            }
            if ahead(pe) < 0 {
                looks.missing.insert(pe);
                missing.push(pe);
            } else {
                looks.missing.remove(&pe);
                come.push(pe);
            }
        }
        looks.number += 1;
        if looks.wait.is_written() && looks.number * LOOKED_AT + 1 >= members.len() {
            looks.wait.write_down(members.len(), looks.missing.iter().copied().collect());
        }
        self.look(&missing, looks.at_end, is_over, |pe| ahead(pe) >= 0);
        if let Some(broadcasts) = self.exchange_cells(1) {
            // What a PE has written before it counted this visit is there.
            let exchanges = self.exchanges.load(Ordering::Relaxed);
            let differs = |pe| broadcasts.is_of_another(pe, visit, exchanges, words);
            deadlock::look_far_at_kinds(job.me, come.into_iter().take_while(|_| !is_over()), differs);
        }
    }

    /// Takes a step of the meeting for this visit. Calls `look` from time to time if it waits for long.
    fn take<'a>(
        &self,
        step: MeetingStep,
        visit: u32,
        waiting: &mut Waiting<'a>,
        look: impl Fn(&mut Looks<'a>, &dyn Fn() -> bool),
        carried: &mut Option<CarriedRounds<'_>>,
    ) {
        match step {
            MeetingStep::Signal { word, pe } => self.signal_with([(word, pe)].into_iter(), visit, carried),
            MeetingStep::AwaitHost => {
                let host = self.host.as_ref().expect("several members are on this host");
                self.wait_until(waiting, || host.are_here(visit), look);
                self.join_neighbours(carried);
            }
            MeetingStep::TellHost => {
                self.mine[SIGNALS].store(self.number(visit).into(), Ordering::Release);
            }
            MeetingStep::AwaitLead => {
                let number = u64::from(self.number(visit));
                self.wait_until(waiting, || self.mine[SIGNALS].load(Ordering::Acquire) == number, look);
            }
            MeetingStep::AwaitSignal { word } => {
                let number = self.number(visit);
                let reached = || half_of(&self.mine[word], half(number)) == number;
                self.wait_until(waiting, reached, look);
                if let Some(rounds) = carried {
                    rounds.carried.join_sent(word, self.rounds.sender(word), self.rounds.lead());
                }
            }
        }
    }

    fn waiting(&self, at_end: bool) -> Waiting<'_> {
        let wait = FarWait::new(&self.job.record(self.job.me).presence.wait);
        let looks = Looks { wait, at_end, number: 0, missing: BTreeSet::new() };
        Waiting { nap: Nap::new(), lasts: None, looks }
    }

    /// Waits until `reached`. If that takes long, calls `look` from time to time, which ends early when it is.
    fn wait_until<'a>(
        &self,
        waiting: &mut Waiting<'a>,
        reached: impl Fn() -> bool,
        look: impl Fn(&mut Looks<'a>, &dyn Fn() -> bool),
    ) {
        let Waiting { nap, lasts, looks } = waiting;
        let library = self.job.library;
        let spins = !self.job.is_oversubscribed();
        // What comes at once needs no help of this PE. The help takes as long as a look or two.
        let alone = Cell::new(if spins { SHORT_LOOKS } else { 0 });
        let is_here = || {
            let is_here = reached();
            match alone.get() {
                _ if is_here => {}
                0 => library.progress(),
                looks => alone.set(looks - 1),
            }
            is_here
        };
        if look_for_a_message(spins, is_here, || library.give_way()) {
            return;
        }
        while !reached() {
            library.progress();
            let now = Instant::now();
            match *lasts {
                None => {
                    looks.wait.begins();
                    *lasts = Some((now, now + nap.take()));
                }
                Some((since, at)) if now >= at => {
                    if self.job.is_observed() && !looks.at_end && !looks.wait.is_written() {
                        // Before a look: a PE that computes may not answer.
                        looks.wait.write_down(0, Vec::new());
                    }
                    if now - since >= FIRST_LOOK {
                        look(looks, &reached);
                    }
                    *lasts = Some((since, Instant::now() + nap.take()));
                }
                Some(_) => {}
            }
            library.give_way();
        }
    }

    /// Begins a broadcast of `len` bytes.
    fn begin_broadcast(&self, broadcasts: &FarBroadcasts, len: usize) -> Broadcast {
        let visit = || self.visits.mine.load(Ordering::Relaxed);
        if !broadcasts.has_room(visit(), len) {
            self.sync();
        }
        broadcasts.begin(visit(), len)
    }

    /// Waits for what these PEs do when they have come to a call of the team.
    fn wait_for_pes(
        &self,
        pes: impl Fn() -> Vec<usize>,
        has_come: impl Fn(usize) -> bool,
        is_here: impl Fn() -> bool,
    ) {
        self.wait_until(&mut self.waiting(false), is_here, |Looks { wait, .. }, is_over| {
            let mut pes = pes();
            pes.dedup();
            let missing: Vec<usize> = pes.iter().copied().filter(|&pe| !has_come(pe)).collect();
            if is_over() {
                return;
            }
            if wait.is_written() {
                // Others than those that were written down before, or none.
                let of = if missing.is_empty() { 0 } else { self.members.len() };
                wait.write_down(of, missing);
            }
            // Read after the look whether they have left.
            self.look(&pes, false, is_over, &has_come);
        });
    }

    /// Checks whether one of these PEs that has not come never can, until the wait `is_over`.
    #[cold]
    fn look(
        &self,
        pes: &[usize],
        at_end: bool,
        is_over: &dyn Fn() -> bool,
        has_come: impl Fn(usize) -> bool,
    ) {
        let job = self.job;
        // SAFETY: inside of the control block, at the same place on all PEs.
        let (world, changes): (*mut u32, *mut u32) = unsafe {
            let presence = &raw mut (*job.control()).record.presence;
            ((&raw mut (*presence).visits).cast(), (&raw mut (*presence).changes).cast())
        };
        let own = &job.record(job.me).presence;
        let is_ahead = |word: *const u32, pe, mine| {
            // SAFETY: words of symmetric memory of every PE.
            unsafe { job.read_word(word, pe) }.wrapping_sub(mine).cast_signed() > 0
        };
        deadlock::look_far(
            job.me,
            pes.iter().copied().take_while(|_| !is_over()),
            at_end,
            |pe| job.has_left(pe),
            has_come,
            // A call of all PEs that this PE has not come to, so `pe` cannot have left it.
            |pe| {
                if self.is_of_all && is_ahead(world, pe, own.visits.load(Ordering::Relaxed)) {
                    Some("a barrier or another collective call of all PEs")
                } else if self.is_of_all
                    && !at_end
                    && is_ahead(changes, pe, own.changes.load(Ordering::Relaxed))
                {
                    Some("`local_phase`")
                } else {
                    None
                }
            },
        );
    }
}

impl FarMeeting {
    /// Waits at this place for broadcast `number` in the cell of PE `at`, and reads it. A PE other than this
    /// one must tell of it, unless it is a word: what comes before the number is there first for `at` alone.
    fn read_broadcast(
        &self,
        broadcasts: &FarBroadcasts,
        place: BroadcastPlace<'_>,
        broadcast: Broadcast,
        at: usize,
        goods: &mut (impl Goods + ?Sized),
    ) {
        let (cells, len, number) = (broadcasts.of(at), goods.len(), broadcast.number);
        let is_told = at != self.job.me && !is_word(len);
        let is_here = || if is_told { cells.tell_of(number) } else { cells.have(broadcast, len) };
        let givers = || [place.root()].into_iter().chain(place.source()).collect();
        self.wait_for_pes(givers, |pe| broadcasts.has_come(pe, number), is_here);
        cells.read(broadcast, goods);
    }

    /// Broadcasts what member `root` has. There are cells for it.
    fn broadcast_goods(&self, root: usize, goods: &mut (impl Goods + ?Sized)) {
        let len = goods.len();
        if len == 0 || self.members.len() == 1 {
            return;
        }
        let broadcasts = self.broadcasts.as_ref().expect("`broadcasts` has said that there are cells");
        let broadcast = self.begin_broadcast(broadcasts, len);
        let place = broadcasts.tree().place(root, &self.job.hosts);
        for step in place.steps(is_word(len)) {
            match step {
                BroadcastStep::Await => {
                    self.read_broadcast(broadcasts, place, broadcast, self.job.me, goods);
                }
                BroadcastStep::AwaitNeighbour { at } => {
                    self.read_broadcast(broadcasts, place, broadcast, at, goods);
                }
                BroadcastStep::Put { pe } => broadcasts.put(broadcast, pe, goods),
                BroadcastStep::Order => self.job.fence(),
                BroadcastStep::Announce { pe } => broadcasts.announce(broadcast, pe),
                BroadcastStep::Leave if self.rank == root => broadcasts.leave(broadcast, goods),
                // In a cell for a word others see by themselves what another PE has put there.
                BroadcastStep::Leave if is_word(len) => {}
                BroadcastStep::Leave => broadcasts.tell(broadcast.number),
            }
        }
    }
}

impl Meeting for FarMeeting {
    fn sync(&self) {
        let visit = self.arrive();
        self.wait(visit);
    }

    fn barrier(&self) {
        self.complete_puts();
        self.sync();
    }

    fn deliver(&self) {
        if self.rounds.all_others().is_none() {
            return self.barrier();
        }
        // Each is signalled after what it got.
        self.job.fence();
        self.sync();
    }

    fn arrive(&self) -> u32 {
        self.come(&mut None)
    }

    fn wait(&self, visit: u32) {
        self.wait_for_all(visit, false, &mut None);
    }

    fn exchange_pair(&self, _value: [u64; 2]) -> Option<[u64; 2]> {
        None
    }

    fn broadcasts(&self, len: usize) -> bool {
        self.broadcasts.is_some() && FarBroadcasts::fits(len)
    }

    fn broadcast(&self, root: usize, bytes: &mut [u8]) {
        self.broadcast_goods(root, bytes);
    }

    fn broadcast_words(&self, root: usize, from: &[AtomicU64], to: Option<&[AtomicU64]>) -> bool {
        let len = size_of_val(from);
        let is_tangled =
            |to: &[AtomicU64]| is_tangled(to.as_ptr().cast_mut().cast(), from.as_ptr().cast(), len);
        debug_assert!(self.rank == root || to.is_some(), "only the root leaves it out");
        if !self.broadcasts(len) || to.is_some_and(is_tangled) {
            return false;
        }
        match to {
            Some(mut to) if self.rank != root => self.broadcast_goods(root, &mut to),
            _ => self.broadcast_goods(root, &mut { from }),
        }
        if let Some(to) = to.filter(|to| self.rank == root && !std::ptr::eq(*to, from)) {
            copy_words(from, to);
        }
        true
    }

    fn relay(&self, root: usize, pieces: usize, copy: &mut dyn FnMut(usize, usize, usize)) -> bool {
        let Some(broadcasts) = &self.broadcasts else { return false };
        let (me, place) = (self.job.me, broadcasts.tree().place(root, &self.job.hosts));
        let RelayPart { given_by, taken_from, given_to, is_taken } = place.relay();
        for piece in 0..pieces {
            let broadcast = self.begin_broadcast(broadcasts, 0);
            let number = broadcast.number;
            let has_come = |pe| broadcasts.has_come(pe, number);
            if let Some(giver) = given_by {
                if piece == 0 {
                    broadcasts.tell_ready(number, giver);
                }
                let is_here = || broadcasts.of(me).have(broadcast, 0);
                self.wait_for_pes(|| vec![place.root(), giver.1], has_come, is_here);
            }
            if let Some(holder) = taken_from {
                let is_here = || broadcasts.of(holder).tell_of(number);
                self.wait_for_pes(|| vec![place.root(), holder], has_come, is_here);
                copy(holder, me, piece);
            }
            if is_taken {
                broadcasts.tell(number);
            }
            for (word, &pe) in given_to.iter().enumerate() {
                if piece == 0 {
                    self.wait_for_pes(|| vec![pe], has_come, || broadcasts.is_ready(number, word));
                }
                copy(me, pe, piece);
                self.job.fence();
                broadcasts.put(broadcast, pe, &[][..]);
            }
        }
        true
    }

    fn hosts(&self) -> Option<HostsOfTeam<'_>> {
        let hosts = self.broadcasts.as_ref()?.tree().hosts()?;
        Some(HostsOfTeam { leads: &hosts.leads, mine: hosts.mine, here: &hosts.here, lanes: hosts.lanes })
    }

    fn pass_along(&self, pieces: usize, part: &mut dyn LanePart) {
        // Of a lane without elements nobody would wait for the word that this PE is ready.
        let Some(broadcasts) = self.broadcasts.as_ref().filter(|_| pieces > 0) else { return };
        let Some(HostLane { before, after }) =
            broadcasts.tree().hosts().and_then(|hosts| hosts.lane(self.rank))
        else {
            return;
        };
        let [before, after] = [before, after].map(|rank| rank.map(|rank| self.members.pe(rank)));
        let pieces = pieces as u64;
        let (first, meeting) = (broadcasts.begin_reduction(pieces), broadcasts.meetings_on_host());
        if let Some(before) = before {
            part.make_ready();
            broadcasts.tell_lane(before, LaneWord::Ready, first + pieces);
        }
        // What comes before the next piece of this host is here, and the next host takes it.
        let may_join = |joined| {
            let is_told = |word| broadcasts.lane(word) > first + joined;
            joined < pieces
                && (before.is_none() || is_told(LaneWord::Joined))
                && (after.is_none() || is_told(LaneWord::Ready))
        };
        let has_result = |joined, done| match after {
            Some(_) => broadcasts.lane(LaneWord::Results) > first + done,
            None => joined > done,
        };
        let (mut joined, mut done) = (0, 0);
        while done < pieces {
            if may_join(joined) {
                part.join(joined as usize, before.is_none(), after);
                joined += 1;
                if let Some(after) = after {
                    self.job.fence();
                    broadcasts.tell_lane(after, LaneWord::Joined, first + joined);
                }
            }
            if has_result(joined, done) {
                if let Some(before) = before {
                    part.hand_on(done as usize, before);
                    self.job.fence();
                    broadcasts.tell_lane(before, LaneWord::Results, first + done + 1);
                }
                if after.is_some() {
                    part.give(done as usize);
                }
                done += 1;
            } else if !may_join(joined) {
                let neighbours = || before.into_iter().chain(after).collect();
                let is_here = || may_join(joined) || has_result(joined, done);
                self.wait_for_pes(neighbours, |pe| broadcasts.has_met(pe, meeting), is_here);
            }
        }
    }

    fn sync_on_host(&self) {
        let Some(broadcasts) = self.broadcasts.as_ref() else { return };
        let (number, neighbours) = (broadcasts.meet_on_host(), self.rounds.neighbours());
        let has_come = |pe| broadcasts.of(pe).has_met(number);
        self.wait_for_pes(|| neighbours.to_vec(), has_come, || neighbours.iter().all(|&pe| has_come(pe)));
    }

    fn is_directly_addressable(&self) -> bool {
        false
    }

    fn rounds(&self) -> Option<&dyn RoundMeeting> {
        Some(self)
    }

    fn routines(&self) -> Option<&dyn Routines> {
        self.routines.map(|routines| routines as &dyn Routines)
    }
}

impl RoundMeeting for FarMeeting {
    fn gives_words(&self, words: usize) -> bool {
        self.exchange_cells(words).is_some()
    }

    fn exchange_words(&self, mine: &[u64], each: &mut dyn FnMut(usize, &[u64])) -> bool {
        let Some(broadcasts) = self.exchange_cells(mine.len()) else { return false };
        let (exchange, len) = (self.exchanges.load(Ordering::Relaxed).wrapping_add(1), mine.len());
        broadcasts.note_exchange(self.visits.mine.load(Ordering::Relaxed).wrapping_add(1), exchange, len);
        let visit = self.count_visit();
        self.exchanges.store(exchange, Ordering::Relaxed);
        // A cell that nobody has written has number 0. So this takes another even number, which has the same set.
        let number = u64::from(if exchange == 0 { 1 << 31 } else { exchange });
        let cells = broadcasts.of(self.rounds.lead());
        let place = |rank: usize| self.places.get(rank).map_or(rank, |&place| place as usize);
        let words_of = |rank| place(rank) * len..(place(rank) + 1) * len;
        cells.leave_words(number, words_of(self.rank), mine);
        if self.is_last(visit) {
            let hosts = broadcasts.tree().hosts();
            let (first, members) = hosts.map_or((self.rank, 1), |hosts| (hosts.lead(), hosts.here.len()));
            let of_host = || place(first) * len..(place(first) + members) * len;
            self.rounds.first_signals().for_each(|(_, pe)| broadcasts.give(cells, number, of_host(), pe));
        }
        let mut waiting = self.waiting(false);
        let look = |looks: &mut Looks<'_>, is_over: &dyn Fn() -> bool| {
            self.look_at_some(visit, len, looks, is_over);
        };
        if let Some(host) = &self.host {
            // A member writes its words before it counts itself in, so the words may be here while the count is not
            // complete. It must be, before anybody counts itself in for the next visit.
            self.wait_until(&mut waiting, || host.are_here(visit), look);
        }
        let mut words = [0; FEW_WORDS];
        let words = &mut words[..len];
        for rank in 0..self.members.len() {
            self.wait_until(&mut waiting, || cells.are_given(number, words_of(rank)), look);
            cells.read_given(number, words_of(rank), words);
            each(rank, words);
        }
        true
    }

    fn is_at_once(&self) -> bool {
        self.rounds.is_at_once()
    }

    fn combine(&self, completes: bool, carried: &mut dyn Carried) {
        if self.host.is_some() {
            // By stores, so it is there for those on this host when this member has counted itself in.
            carried.leave();
        }
        if completes {
            self.complete_puts();
        }
        let mut carried = Some(CarriedRounds { carried, has_neighbours: false });
        let visit = self.come(&mut carried);
        self.wait_for_all(visit, false, &mut carried);
    }
}
