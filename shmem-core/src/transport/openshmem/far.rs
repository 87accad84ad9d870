//! Where PEs of several nodes meet: by atomic updates of the library, in rounds.
//!
//! In round r each PE tells the one 2^r after it, and hears from the one 2^r before it (dissemination). A word has one author and one reader, is
//! updated by the library and read by a load, as the library's own waiting does; between two looks the library is driven.

use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::thread;

use super::Job;
use super::collectives::WorldRoutines;
use crate::sync::look_for_a_while;
use crate::team::Members;
use crate::transport::smp::barrier::Shared as _;
use crate::transport::{Amo, Ctx, Gone, Meeting, Routines, Width};

/// Rounds that suffice for 2^32 PEs.
pub(super) const ROUNDS: usize = 32;

/// Where one PE is told, round by round, how often others have come. Zeros are its first state.
pub(super) type Mail = [AtomicU64; ROUNDS];

/// One PE's place in a meeting.
pub(super) struct FarMeeting {
    job: &'static Job,
    /// Who is told in each round.
    told: Box<[usize]>,
    /// This PE's mail, and the same as the library knows it.
    mine: &'static Mail,
    at: AtomicPtr<Mail>,
    /// What each word held when the meeting began.
    base: [u64; ROUNDS],
    visits: AtomicU32,
    routines: Option<&'static WorldRoutines>,
}

impl FarMeeting {
    /// The place of member `rank`, whose mail is `mine`, and `at` this place for the library, the same one on all members. To be made by all
    /// members before any of them comes.
    pub(super) fn new(
        job: &'static Job,
        mine: &'static Mail,
        at: *mut Mail,
        members: &Members,
        rank: usize,
        routines: Option<&'static WorldRoutines>,
    ) -> FarMeeting {
        let n = members.len();
        let distances = (0..).map(|round| 1 << round).take_while(|&distance| distance < n);
        let told = distances.map(|distance| members.pe((rank + distance) % n)).collect();
        let base = std::array::from_fn(|round| mine[round].load(Ordering::Acquire));
        let (at, visits) = (AtomicPtr::new(at), AtomicU32::new(0));
        FarMeeting { job, told, mine, at, base, visits, routines }
    }

    /// How often this PE has come.
    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Ordering::Relaxed)
    }

    fn tell(&self, round: usize) {
        // SAFETY: a word of symmetric memory that is updated by the library alone; there are as many as rounds, and the PE is a member.
        unsafe {
            let word = self.at.load(Ordering::Relaxed).cast::<u64>().add(round).cast();
            self.job.update(Ctx::DEFAULT, self.told[round], word, Width::W8, Amo::Add(1));
        }
    }

    /// Waits for all members; `while_waiting` is called now and then, and an error ends the wait.
    pub(super) fn depart_unless<E>(
        &self,
        visit: u32,
        mut while_waiting: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        for round in 0..self.told.len() {
            if round > 0 {
                self.tell(round);
            }
            // Fewer than 2^31 visits apart, so the low halves tell before from after.
            let reached = || {
                let now = self.mine[round].load(Ordering::Acquire).wrapping_sub(self.base[round]) as u32;
                now.wrapping_sub(visit).cast_signed() >= 0
            };
            if look_for_a_while(!self.job.is_crowded(), || {
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
                while_waiting()?;
                thread::yield_now();
            }
        }
        Ok(())
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
        let visit = self.visits.load(Ordering::Relaxed).wrapping_add(1);
        self.visits.store(visit, Ordering::Relaxed);
        if !self.told.is_empty() {
            self.tell(0);
        }
        visit
    }

    fn depart(&self, visit: u32) {
        let never: Result<(), std::convert::Infallible> = self.depart_unless(visit, || Ok(()));
        let Ok(()) = never;
    }

    fn swap(&self, _value: [u64; 2]) -> Option<[u64; 2]> {
        None
    }

    fn say(&self, _speaker: usize, _bytes: &mut [u8]) -> Result<bool, Gone> {
        Ok(false)
    }

    fn leave(&self) {}

    fn is_near(&self) -> bool {
        false
    }

    fn routines(&self) -> Option<&dyn Routines> {
        self.routines.map(|routines| routines as &dyn Routines)
    }
}
