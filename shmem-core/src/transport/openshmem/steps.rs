//! What each member of a team of several nodes does in a meeting and in a small broadcast, step by
//! step: whom it signals, what it sends, what it waits for, and in which order.
//!
//! Nothing here moves anything. [`far`](super::far) takes these steps over the library. The package
//! `simulation` compiles this file too, and takes them on as many virtual PEs as a cluster has.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::hosts::TeamHosts;
use crate::transport::Members;

/// How many cells a team has on each member.
pub(crate) const CELLS: usize = 16;
/// The number of rounds that suffices for 2^32 PEs.
pub(crate) const ROUNDS: usize = 32;
/// How many members a member passes a broadcast on to.
const BRANCHES: usize = 4;

/// What a member does in a meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeetingStep {
    /// Signals this PE in this round.
    Signal { round: usize, pe: usize },
    /// Waits until all members on its host have come.
    AwaitHost,
    /// Waits until it, or the lead of its host, was signalled in this round.
    AwaitSignal { round: usize },
}

/// One member's part in the meetings of its team.
pub(crate) struct MeetingRounds {
    /// The PE that this member, or the lead of its host, signals in each round.
    signalled: Box<[usize]>,
    /// How many hosts, or members where none of them share one, signal each other.
    parties: usize,
    /// Whether the parties are hosts.
    are_hosts: bool,
    /// The other members on its host.
    neighbours: Box<[usize]>,
    /// The PE that others signal: this one, or the lead of its host.
    lead: usize,
    /// Whether it is that PE, which also signals in rounds after the first.
    leads: bool,
}

impl MeetingRounds {
    /// The part of member `rank` where each member takes part by itself.
    pub(crate) fn among_members(members: &Members, rank: usize) -> MeetingRounds {
        let signalled = members.signalled(rank).map(|rank| members.pe(rank)).collect();
        MeetingRounds {
            signalled,
            parties: members.len(),
            are_hosts: false,
            neighbours: Box::default(),
            lead: members.pe(rank),
            leads: true,
        }
    }

    /// The part of member `rank` where each of these hosts takes part as one.
    pub(crate) fn among_hosts(members: &Members, rank: usize, hosts: &TeamHosts) -> MeetingRounds {
        let numbers = Members::Strided { start: 0, stride: 1, len: hosts.leads.len() };
        let signalled = numbers.signalled(hosts.mine).map(|host| members.pe(hosts.leads[host])).collect();
        let others = hosts.here.iter().filter(|&&other| other != rank);
        MeetingRounds {
            signalled,
            parties: hosts.leads.len(),
            are_hosts: true,
            neighbours: others.map(|&rank| members.pe(rank)).collect(),
            lead: members.pe(hosts.lead()),
            leads: hosts.lead() == rank,
        }
    }

    /// How many parties signal each other: hosts, or members where each takes part by itself.
    pub(crate) fn parties(&self) -> usize {
        self.parties
    }

    /// Whether what is put before a signal must be complete before it. A fence is enough for the PE that
    /// is signalled. Where the parties are hosts, others wait for the same word.
    pub(crate) fn completes_puts(&self) -> bool {
        self.are_hosts
    }

    /// The other members on this host.
    pub(crate) fn neighbours(&self) -> &[usize] {
        &self.neighbours
    }

    /// The PE whose memory has the words of the party of this member.
    pub(crate) fn lead(&self) -> usize {
        self.lead
    }

    /// How many members count themselves in on this host; `None` where this member is alone.
    pub(crate) fn here(&self) -> Option<usize> {
        (!self.neighbours.is_empty()).then(|| 1 + self.neighbours.len())
    }

    /// The PE that the last member of a host to come signals, in round 0. A member that is alone on
    /// its host is the last.
    pub(crate) fn first_signal(&self) -> Option<usize> {
        self.signalled.first().copied()
    }

    /// What a member does from then on until all have come.
    pub(crate) fn until_all_have_come(&self) -> impl Iterator<Item = MeetingStep> {
        let host = self.here().map(|_| MeetingStep::AwaitHost);
        let rounds = self.signalled.iter().enumerate().flat_map(|(round, &pe)| {
            let signal = (round > 0 && self.leads).then_some(MeetingStep::Signal { round, pe });
            signal.into_iter().chain([MeetingStep::AwaitSignal { round }])
        });
        host.into_iter().chain(rounds)
    }
}

/// What a member does in a broadcast. Distances are from the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BroadcastStep {
    /// Waits until the broadcast is here.
    Await,
    /// Puts the bytes into the cell of the member at this distance.
    Put { distance: usize },
    /// Has what it has put arrive before what it puts later.
    Fence,
    /// Puts the number of the broadcast into the cell of the member at this distance.
    Announce { distance: usize },
}

/// What the member does that is so far from the root of a broadcast among `len`.
pub(crate) fn broadcast_steps(distance: usize, len: usize) -> impl Iterator<Item = BroadcastStep> {
    let arrival = (distance > 0).then_some(BroadcastStep::Await);
    let others = passed_on(distance, len);
    let fence = (!others.is_empty()).then_some(BroadcastStep::Fence);
    let puts = others.clone().map(|distance| BroadcastStep::Put { distance });
    let announcements = others.map(|distance| BroadcastStep::Announce { distance });
    arrival.into_iter().chain(puts).chain(fence).chain(announcements)
}

/// Whom a member passes a broadcast on to, as distances from the root. Every member but the root
/// gets it from one other.
fn passed_on(distance: usize, len: usize) -> Range<usize> {
    let first = distance * BRANCHES + 1;
    first.min(len)..(first + BRANCHES).min(len)
}

/// How many cells of a team were written since its members met for the time `visit`. All members
/// count the same, so all know when they must meet again.
#[derive(Default)]
pub(crate) struct CellUse {
    used: AtomicU32,
    visit: AtomicU32,
}

impl CellUse {
    /// Whether a cell may be written, after the members have met for the time `visit`.
    pub(crate) fn has_cell(&self, visit: u32) -> bool {
        visit != self.visit.load(Ordering::Relaxed) || self.used.load(Ordering::Relaxed) < CELLS as u32
    }

    /// Takes a cell.
    pub(crate) fn take(&self, visit: u32) {
        if self.visit.swap(visit, Ordering::Relaxed) != visit {
            self.used.store(0, Ordering::Relaxed);
        }
        self.used.store(self.used.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

/// The cell of broadcast `number`.
pub(crate) fn cell_of(number: u64) -> usize {
    number as usize % CELLS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_gets_a_broadcast_once() {
        for len in 1..200 {
            let mut got = vec![0; len];
            got[0] = 1;
            let mut next = vec![0];
            while let Some(distance) = next.pop() {
                for child in passed_on(distance, len) {
                    got[child] += 1;
                    next.push(child);
                }
            }
            assert_eq!(got, vec![1; len]);
        }
    }

    #[test]
    fn bytes_are_put_before_they_are_announced() {
        use BroadcastStep::{Announce, Await, Fence, Put};
        let steps: Vec<_> = broadcast_steps(1, 7).collect();
        let distances = [5, 6];
        let puts = distances.map(|distance| Put { distance });
        assert_eq!(
            steps,
            [&[Await][..], &puts, &[Fence], &distances.map(|distance| Announce { distance })].concat()
        );
        assert_eq!(broadcast_steps(2, 7).collect::<Vec<_>>(), [Await]);
    }

    #[test]
    fn the_last_of_a_host_signals_first_and_its_lead_later() {
        use MeetingStep::{AwaitHost, AwaitSignal, Signal};
        // Three hosts, which PEs 0, 2 and 5 lead.
        let members = Members::of((0..6).collect());
        let part = |rank: usize, mine: usize, here: Vec<usize>| {
            MeetingRounds::among_hosts(&members, rank, &TeamHosts { leads: vec![0, 2, 5], mine, here })
        };
        for (rank, leads) in [(2, true), (3, false)] {
            let rounds = part(rank, 1, vec![2, 3, 4]);
            assert_eq!(rounds.first_signal(), Some(5));
            let later = leads.then_some(Signal { round: 1, pe: 0 });
            let before = [AwaitHost, AwaitSignal { round: 0 }].into_iter();
            let expected: Vec<_> = before.chain(later).chain([AwaitSignal { round: 1 }]).collect();
            assert_eq!(rounds.until_all_have_come().collect::<Vec<_>>(), expected);
        }
        assert_eq!(part(5, 2, vec![5]).here(), None);
        let alone = MeetingRounds::among_members(&Members::of(vec![4]), 0);
        assert_eq!((alone.first_signal(), alone.until_all_have_come().next()), (None, None));
    }

    #[test]
    fn members_meet_when_all_cells_are_written() {
        let uses = CellUse::default();
        for visit in [0, 3] {
            for _ in 0..CELLS {
                assert!(uses.has_cell(visit));
                uses.take(visit);
            }
            assert!(!uses.has_cell(visit) && uses.has_cell(visit + 1));
        }
    }
}
