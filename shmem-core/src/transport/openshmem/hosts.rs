//! Which PEs share the memory of a host.
//!
//! Messages between hosts take longer than those in the memory of one, so as few members as possible send them. The
//! members on one host meet in their memory, and each host takes part in the rounds between hosts as one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::start::Introduction;
use crate::transport::Members;

/// What names a host: the number of its first PE. It is all that each PE keeps of every other.
pub(crate) type HostNumber = u32;

/// The host of each PE of the job. A PE that does not address all others
/// of its host, or that one of them does not address, has a host of its own.
pub(crate) struct PeHosts(Box<[HostNumber]>);

impl PeHosts {
    /// The hosts of the PEs, from what these have told.
    pub(crate) fn of(told: &[Introduction]) -> PeHosts {
        /// The PEs with the same first one: how many there are, and how many of them each addresses.
        struct Group {
            size: u32,
            least: u32,
            most: u32,
        }
        let mut groups: HashMap<u32, Group> = HashMap::new();
        for pe in told {
            let group = groups.entry(pe.first).or_insert(Group { size: 0, least: u32::MAX, most: 0 });
            group.size += 1;
            group.least = group.least.min(pe.reaches);
            group.most = group.most.max(pe.reaches);
        }
        let host = |(pe, told): (usize, &Introduction)| {
            let group = &groups[&told.first];
            if group.size == group.least && group.size == group.most { told.first } else { pe as u32 }
        };
        PeHosts(told.iter().enumerate().map(host).collect())
    }

    /// How many PEs there are.
    pub(crate) fn n_pes(&self) -> usize {
        self.0.len()
    }

    /// The host of this PE.
    #[inline]
    pub(crate) fn host(&self, pe: usize) -> usize {
        self.0[pe] as usize
    }

    /// The PEs on the host of this one, in ascending order.
    pub(crate) fn on_host_of(&self, pe: usize) -> impl Iterator<Item = usize> {
        let host = self.0[pe];
        (host as usize..self.0.len()).filter(move |&other| self.0[other] == host)
    }

    /// Whether all PEs share a host.
    pub(crate) fn are_one(&self) -> bool {
        self.0.iter().all(|host| *host == self.0[0])
    }

    /// Whether these PEs share a host.
    pub(crate) fn share(&self, members: &Members) -> bool {
        let host = self.host(members.pe(0));
        (0..members.len()).all(|rank| self.host(members.pe(rank)) == host)
    }
}

/// The members of one host, and the others.
#[derive(Clone, Debug)]
pub(crate) struct TeamHosts {
    /// For each host, in the order of their numbers, the lowest rank among the members there: its *lead*. It is all
    /// that a team keeps of other hosts.
    pub(crate) leads: Arc<[usize]>,
    /// Which of the hosts is this PE's.
    pub(crate) mine: usize,
    /// The ranks of the members that are on it.
    pub(crate) here: Vec<usize>,
    /// How many members each host has at the least, if the members of each one follow those of the host before.
    /// Otherwise 0.
    pub(crate) lanes: usize,
}

impl TeamHosts {
    /// The hosts of `members`, of which this PE is number `rank`, where any two of them share one. The result is the
    /// same on all members but for `mine` and `here`.
    pub(crate) fn of(members: &Members, rank: usize, hosts: &PeHosts) -> Option<TeamHosts> {
        let own = hosts.host(members.pe(rank));
        let (mut leads, mut here) = (BTreeMap::new(), Vec::new());
        let (mut last, mut follow) = (0, true);
        for member in 0..members.len() {
            let host = hosts.host(members.pe(member));
            leads.entry(host).or_insert(member);
            if host == own {
                here.push(member);
            }
            follow &= last <= host;
            last = host;
        }
        (leads.len() < members.len()).then(|| {
            let mine = leads.range(..own).count();
            let leads: Arc<[usize]> = leads.into_values().collect();
            let ends = leads[1..].iter().copied().chain([members.len()]);
            let fewest = ends.zip(&*leads).map(|(end, lead)| end.saturating_sub(*lead)).min();
            let lanes = fewest.filter(|_| follow).unwrap_or(0);
            TeamHosts { leads, mine, here, lanes }
        })
    }

    /// This member's lane in reductions that go from host to host, if it has one.
    pub(crate) fn lane(&self, rank: usize) -> Option<HostLane> {
        let lane = rank.checked_sub(self.lead()).filter(|&lane| lane < self.lanes)?;
        let of_host = |host: Option<usize>| Some(self.leads.get(host?)? + lane);
        let (before, after) = (of_host(self.mine.checked_sub(1)), of_host(Some(self.mine + 1)));
        Some(HostLane { before, after })
    }

    /// Which of these hosts this member is on, of `members`, whose hosts are these.
    pub(crate) fn of_member(&self, member: usize, members: &Members, hosts: &PeHosts) -> usize {
        let host = |member| hosts.host(members.pe(member));
        let own = host(member);
        self.leads.partition_point(|&lead| host(lead) < own)
    }

    /// The place of each of these members, whose hosts are these, where the members of a host follow one another.
    pub(crate) fn places(&self, members: &Members, hosts: &PeHosts) -> Box<[u32]> {
        let mut ranks: Vec<usize> = (0..members.len()).collect();
        ranks.sort_by_cached_key(|&rank| (self.of_member(rank, members, hosts), rank));
        let mut places = vec![0; ranks.len()];
        ranks.into_iter().enumerate().for_each(|(place, rank)| places[rank] = place as u32);
        places.into()
    }

    /// Hosts with these leads.
    #[cfg(test)]
    pub(crate) fn for_tests(leads: Vec<usize>, mine: usize, here: Vec<usize>) -> TeamHosts {
        TeamHosts { leads: leads.into(), mine, here, lanes: 0 }
    }

    /// The lead of this PE's host.
    pub(crate) fn lead(&self) -> usize {
        self.leads[self.mine]
    }
}

/// A member's neighbours in its lane, in reductions that go from host to host, in the order of the members. A lane is a
/// part of the elements, which one member of each host has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostLane {
    /// The members of the lane on the hosts before and after this one, by their ranks.
    pub(crate) before: Option<usize>,
    pub(crate) after: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many PEs on each host, each of which addresses so many.
    fn told(hosts: &[(u32, u32)]) -> Vec<Introduction> {
        let mut all = Vec::new();
        for &(size, reaches) in hosts {
            let first = all.len() as u32;
            all.resize_with(all.len() + size as usize, || Introduction::near(first, reaches));
        }
        all
    }

    #[test]
    fn each_host_is_led_by_its_lowest_rank() {
        let pes = PeHosts::of(&told(&[(2, 2), (1, 1), (3, 3)]));
        let of = |list: &[usize], rank| {
            let hosts = TeamHosts::of(&Members::of(list.to_vec()), rank, &pes)?;
            Some((hosts.leads.to_vec(), hosts.mine, hosts.here))
        };
        let all = [0, 1, 2, 3, 4, 5];
        for rank in all {
            let (mine, here) =
                [(0, vec![0, 1]), (1, vec![2]), (2, vec![3, 4, 5])][[0, 0, 1, 2, 2, 2][rank]].clone();
            assert_eq!(of(&all, rank), Some((vec![0, 2, 3], mine, here)));
        }
        // One on a host, three on another, which the team begins with.
        let hosts = of(&[5, 0, 4, 3], 2);
        assert_eq!(hosts, Some((vec![1, 0], 1, vec![0, 2, 3])));
        assert_eq!(of(&[5, 0, 4, 3], 1), Some((vec![1, 0], 0, vec![1])));
        // Each finds the host of each other.
        let members = Members::of(vec![5, 0, 4, 2, 3]);
        let hosts = TeamHosts::of(&members, 3, &pes).expect("some share a host");
        assert_eq!(
            (0..5).map(|member| hosts.of_member(member, &members, &pes)).collect::<Vec<_>>(),
            [2, 0, 2, 1, 2]
        );
        // PE 0, PE 2, then PEs 5, 4 and 3 of the third host, in the order of their ranks.
        assert_eq!(*hosts.places(&members, &pes), [2, 0, 3, 1, 4]);
        // Nobody shares a host.
        assert_eq!(of(&[5, 2, 0], 0), None);
        for (list, share) in [(vec![0, 1], true), (vec![4, 3], true), (vec![2], true), (vec![1, 2], false)] {
            assert_eq!(pes.share(&Members::of(list)), share);
        }
        assert_eq!(pes.on_host_of(4).collect::<Vec<_>>(), [3, 4, 5]);
        assert!(!pes.are_one() && PeHosts::of(&told(&[(3, 3)])).are_one());
    }

    #[test]
    fn lanes_go_from_host_to_host_in_the_order_of_the_members() {
        let pes = PeHosts::of(&told(&[(3, 3), (2, 2), (4, 4)]));
        let lanes = |list: &[usize]| {
            let of =
                |rank| TeamHosts::of(&Members::of(list.to_vec()), rank, &pes).expect("some share a host");
            let part = |rank| of(rank).lane(rank).map(|HostLane { before, after }| (before, after));
            (of(0).lanes, (0..list.len()).map(part).collect::<Vec<_>>())
        };
        let all = lanes(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let first = [Some((None, Some(3))), Some((None, Some(4))), None];
        let second = [Some((Some(0), Some(5))), Some((Some(1), Some(6)))];
        let third = [Some((Some(3), None)), Some((Some(4), None)), None, None];
        assert_eq!(all, (2, [&first[..], &second, &third].concat()));
        // Of the second host there is none, of the third one.
        let some = lanes(&[1, 2, 8]);
        assert_eq!(some, (1, vec![Some((None, Some(2))), None, Some((Some(0), None))]));
        // The members of a host do not follow one another, or not those of the host before.
        assert_eq!(lanes(&[0, 3, 1, 4]), (0, vec![None; 4]));
        assert_eq!(lanes(&[3, 4, 0, 1]), (0, vec![None; 4]));
    }

    #[test]
    fn who_does_not_address_all_others_of_a_host_is_alone() {
        let mut all = told(&[(2, 2), (3, 3)]);
        all[3].reaches = 2;
        let pes = PeHosts::of(&all);
        let of = |list: &[usize], rank| {
            let hosts = TeamHosts::of(&Members::of(list.to_vec()), rank, &pes)?;
            Some((hosts.leads.to_vec(), hosts.mine, hosts.here))
        };
        assert_eq!(of(&[2, 3, 4], 0), None);
        let hosts = of(&[2, 3, 4, 0, 1], 4);
        assert_eq!(hosts, Some((vec![3, 0, 1, 2], 0, vec![3, 4])));
        assert!(!pes.share(&Members::of(vec![3, 4])) && pes.share(&Members::of(vec![3])));
        assert_eq!(pes.on_host_of(3).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn a_million_pes_have_four_bytes_each() {
        const PES: usize = 1_000_000;
        let hosts = PeHosts::of(&told(&[(100, 100); PES / 100]));
        assert_eq!((hosts.n_pes(), size_of_val(&*hosts.0)), (PES, 4 * PES));
        for pe in [0, 99, 100, 65_535, 65_536, 654_321, PES - 1] {
            let host = pe / 100 * 100;
            assert_eq!(hosts.host(pe), host);
            assert!(hosts.on_host_of(pe).eq(host..host + 100));
        }
        // A team of every third PE: each host has members.
        let members = Members::Strided { start: 2, stride: 3, len: PES / 3 };
        let team = TeamHosts::of(&members, 300_000, &hosts).expect("some share a host");
        assert_eq!((team.leads.len(), team.here.len()), (PES / 100, 33));
        assert!(team.here.contains(&300_000) && members.pe(team.lead()) / 100 == members.pe(300_000) / 100);
    }
}
