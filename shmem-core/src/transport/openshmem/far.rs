//! Where PEs of several nodes meet: by atomic updates of the library, in rounds.
//!
//! In round r each PE tells the one 2^r after it, and hears from the one 2^r before it
//! (dissemination). A word has one author and one reader, is updated by the library and read by a
//! load, as the library's own waiting does; between two looks the library is driven.

use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use super::Job;
use super::collectives::WorldRoutines;
use crate::system::sync::{Nap, look_for_a_while};
use crate::transport::Members;
use crate::transport::node::deadlock;
use crate::transport::node::record::Node as _;
use crate::transport::{Amo, Ctx, Meeting, Routines, Width};

/// Rounds that suffice for 2^32 PEs.
pub(super) const ROUNDS: usize = 32;

/// Where one PE is signalled, round by round, how often others have come. Zeros are its first
/// state.
pub(super) type RoundWords = [AtomicU64; ROUNDS];

/// How often a PE has come to a meeting: a word that it alone writes, and that others read by the
/// library.
pub(super) struct Visits {
    /// This PE's.
    pub(super) mine: &'static AtomicU32,
    /// The same as the library knows it, on any PE.
    pub(super) at: AtomicPtr<u32>,
}

/// One PE's place in a meeting.
pub(super) struct FarMeeting {
    job: &'static Job,
    members: Members,
    /// Who is signalled in each round.
    signalled: Box<[usize]>,
    /// This PE's words, and the same as the library knows it.
    mine: &'static RoundWords,
    at: AtomicPtr<RoundWords>,
    /// What each word held when the meeting began.
    base: [u64; ROUNDS],
    visits: Visits,
    /// Whether this is a meeting of all PEs, to which they come in the same order as to all others
    /// of that kind.
    is_of_all: bool,
    routines: Option<&'static WorldRoutines>,
}

impl FarMeeting {
    /// The place of member `rank`, whose words is `mine`, and `at` this place for the library, the
    /// same one on all members. To be made by all members before any of them comes.
    pub(super) fn new(
        job: &'static Job,
        (mine, at): (&'static RoundWords, *mut RoundWords),
        visits: Visits,
        members: &Members,
        rank: usize,
        is_of_all: bool,
        routines: Option<&'static WorldRoutines>,
    ) -> FarMeeting {
        let n = members.len();
        let distances = (0..).map(|round| 1 << round).take_while(|&distance| distance < n);
        let signalled = distances.map(|distance| members.pe((rank + distance) % n)).collect();
        let base = std::array::from_fn(|round| mine[round].load(Ordering::Acquire));
        visits.mine.store(0, Ordering::Relaxed);
        FarMeeting {
            job,
            members: members.clone(),
            signalled,
            mine,
            at: AtomicPtr::new(at),
            base,
            visits,
            is_of_all,
            routines,
        }
    }

    fn signal(&self, round: usize) {
        // SAFETY: a word of symmetric memory that is updated by the library alone; there are as
        // many as rounds, and the PE is a member.
        unsafe {
            let word = self.at.load(Ordering::Relaxed).cast::<u64>().add(round).cast();
            self.job.update(Ctx::DEFAULT, self.signalled[round], word, Width::W8, Amo::Add(1));
        }
    }

    /// Waits for all members, where they meet when they have returned from their functions.
    pub(super) fn end(&self) {
        let visit = self.arrive();
        self.wait_for_all(visit, true);
    }

    fn wait_for_all(&self, visit: u32, at_end: bool) {
        let mut nap = Nap::new();
        let mut look_at = None;
        for round in 0..self.signalled.len() {
            if round > 0 {
                self.signal(round);
            }
            // Fewer than 2^31 visits apart, so the low halves tell before from after.
            let reached = || {
                let now = self.mine[round].load(Ordering::Acquire).wrapping_sub(self.base[round]) as u32;
                now.wrapping_sub(visit).cast_signed() >= 0
            };
            if look_for_a_while(!self.job.is_oversubscribed(), || {
                let there = reached();
                if !there {
                    self.job.library.progress();
                }
                there
            }) {
                continue;
            }
            while !reached() {
                self.job.library.progress();
                let now = Instant::now();
                match look_at {
                    None => look_at = Some(now + nap.take()),
                    Some(at) if now >= at => {
                        self.look(visit, at_end);
                        look_at = Some(Instant::now() + nap.take());
                    }
                    Some(_) => {}
                }
                thread::yield_now();
            }
        }
    }

    /// Looks whether a member never comes.
    #[cold]
    fn look(&self, visit: u32, at_end: bool) {
        let job = self.job;
        let at = self.visits.at.load(Ordering::Relaxed);
        // SAFETY: inside of the board, at the same place on all PEs.
        let (world, changes): (*mut u32, *mut u32) = unsafe {
            let presence = &raw mut (*job.board()).record.presence;
            ((&raw mut (*presence).visits).cast(), (&raw mut (*presence).changes).cast())
        };
        let own = &job.record(job.me).presence;
        // SAFETY: words of symmetric memory of every PE.
        let is_ahead =
            |word, pe, mine: u32| unsafe { job.read_word(word, pe) }.wrapping_sub(mine).cast_signed() > 0;
        deadlock::look_far(
            job.me,
            &self.members,
            at_end,
            |pe| job.has_left(pe),
            |pe| is_ahead(at, pe, visit.wrapping_sub(1)),
            // A call of all PEs that this one has not come to, and so has not left.
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

impl Meeting for FarMeeting {
    fn sync(&self) {
        let visit = self.arrive();
        self.depart(visit);
    }

    fn barrier(&self) {
        self.job.quiet(Ctx::DEFAULT);
        self.sync();
    }

    fn arrive(&self) -> u32 {
        // Collective: no other thread of this PE is here.
        let visit = self.visits.mine.load(Ordering::Relaxed).wrapping_add(1);
        self.visits.mine.store(visit, Ordering::Release);
        if !self.signalled.is_empty() {
            self.signal(0);
        }
        visit
    }

    fn depart(&self, visit: u32) {
        self.wait_for_all(visit, false);
    }

    fn exchange_pair(&self, _value: [u64; 2]) -> Option<[u64; 2]> {
        None
    }

    fn broadcast(&self, _root: usize, _bytes: &mut [u8]) -> bool {
        false
    }

    fn is_directly_addressable(&self) -> bool {
        false
    }

    fn routines(&self) -> Option<&dyn Routines> {
        self.routines.map(|routines| routines as &dyn Routines)
    }
}
