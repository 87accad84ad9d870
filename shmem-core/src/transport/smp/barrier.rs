//! The barrier of all PEs, in two forms.
//!
//! *One counter*: everyone counts itself in and waits until all are. With 2 PEs this is little more
//! than one hand-over of one cache line. With more PEs than cores, where PEs run one after the
//! other anyway, nothing needs fewer switches between processes.
//!
//! *Mail*: with a core for each of many PEs, updates of one word would queue up, PE by PE. So they
//! tell each other in rounds (dissemination): in round r, each PE tells the one 2^r after it and
//! hears from the one 2^r before it; after log2(n) rounds each has heard, directly or not, from
//! all. This form has been tested, but its speed has not been measured: that takes more than two
//! cores.
//!
//! Two processes on 2 cores, in one-way hand-overs (half the round trip of one cache line, 31 to
//! 280 ns by where the host puts the two cores) of the same run, barriers back to back:
//!
//! | form | hand-overs |
//! |---|---|
//! | one counter, waiters pause between looks (what is here) | 0.35 to 0.65 |
//! | one counter, waiters look without pause | 0.7 to 1.7 |
//! | a flag for each, in one cache line | 0.9 to 2.5 |
//! | a flag for each, on lines of their own | 0.8 to 2.1 |
//! | a counter and an episode, on lines of their own | 1.0 to 2.7 |
//!
//! It is less than one because the PE that takes the line completes one barrier and enters the next
//! with it. Barriers far apart, from the last to come to the last to go, show the same order: the
//! first line of the table takes half the time of the others.
//!
//! With 3 to 256 PEs on 2 cores the barrier takes 1.0 to 1.1 times a counter over plain memory whose
//! waiters only yield, which is the limit: about 1 µs for each PE.

use std::sync::atomic::{AtomicU32, Ordering};

use super::segment::Segment;
use super::system::System;
use super::wait::Counter;

/// Rounds of mail that suffice for 2^16 PEs.
const ROUNDS: usize = 16;

/// Something alone on its cache lines: two of 64 bytes, because processors fetch them in pairs.
#[repr(C, align(128))]
pub(crate) struct Apart<T>(T);

/// Where PEs count themselves in. Zeros are its first state.
pub(crate) type Centre = Apart<Counter>;

/// Where one PE is told that another has arrived, round by round. Zeros are its first state.
pub(crate) type Mailbox = Apart<[Apart<Counter>; ROUNDS]>;

/// How the PEs of a job meet. All decide alike: the number of cores is the segment's word.
enum Form {
    Alone,
    OneCounter { crowded: bool },
    Mail,
}

/// One PE's place in the barrier of its job. What a visit needs is here, and not behind the segment.
pub(crate) struct Barrier {
    segment: &'static Segment,
    system: System,
    counter: &'static Counter,
    form: Form,
    n_pes: u32,
    pe: usize,
    /// How often this PE has come here, modulo 2^32.
    visits: AtomicU32,
}

impl Barrier {
    /// The place of `pe` in the barrier of the job whose memory is `segment`.
    pub(crate) fn new(segment: &'static Segment, pe: usize) -> Barrier {
        let n_pes = segment.n_pes();
        let crowded = n_pes > segment.cores();
        let form = match n_pes {
            1 => Form::Alone,
            2 => Form::OneCounter { crowded },
            _ if crowded => Form::OneCounter { crowded },
            _ => Form::Mail,
        };
        Barrier {
            segment,
            system: segment.system(),
            counter: &segment.centre().0,
            form,
            n_pes: n_pes as u32,
            pe,
            visits: AtomicU32::new(0),
        }
    }

    /// Returns when every PE has come here. What any PE stored before is visible to every PE after.
    #[inline]
    pub(crate) fn wait(&self) {
        // Collective, so no other thread of this PE is here: a load and a store are enough.
        let visit = self.visits.load(Ordering::Relaxed).wrapping_add(1);
        self.visits.store(visit, Ordering::Relaxed);
        match self.form {
            Form::Alone => {}
            Form::OneCounter { crowded } => self.count_in(visit, crowded),
            Form::Mail => self.tell_round(visit, self.segment.n_pes()),
        }
    }

    /// How often this PE has come here, modulo 2^32.
    pub(crate) fn visits(&self) -> u32 {
        self.visits.load(Ordering::Relaxed)
    }

    /// One counter. Nobody is counted in for the next visit before it has seen this one complete,
    /// so between two complete visits each PE adds one.
    #[inline]
    fn count_in(&self, visit: u32, crowded: bool) {
        let all = visit.wrapping_mul(self.n_pes);
        if !self.counter.advance(self.system, all) {
            self.counter.wait_for(self.system, all, crowded);
        }
    }

    /// Mail. Each box has one sender, which may be one visit ahead of its reader, never two: to
    /// finish the next visit it needs to have heard, directly or not, from the reader.
    fn tell_round(&self, visit: u32, n_pes: usize) {
        let system = self.segment.system();
        let mut distance = 1;
        for round in 0.. {
            if distance >= n_pes {
                break;
            }
            let other = (self.pe + distance) % n_pes;
            self.segment.mailbox(other).0[round].0.advance(system, visit);
            self.segment.mailbox(self.pe).0[round].0.wait_for(system, visit, false);
            distance *= 2;
        }
    }

    /// Lets a test begin shortly before the counters wrap around. On every PE, before the first
    /// visit of any.
    #[cfg(test)]
    pub(super) fn near_wrap_around(&self) {
        let n_pes = self.segment.n_pes() as u32;
        let visit = u32::MAX - 20;
        self.visits.store(visit, Ordering::Relaxed);
        self.segment.centre().0.set(visit.wrapping_mul(n_pes));
        for round in &self.segment.mailbox(self.pe).0 {
            round.0.set(visit);
        }
    }
}
