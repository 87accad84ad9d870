//! Which members of a team share the memory of a host.
//!
//! Messages between hosts take longer than those in the memory of one, so as few members as possible send them. The
//! members on one host meet in their memory, and each host takes part in the rounds between hosts as one.

use std::collections::HashMap;

use super::control::Locality;
use crate::transport::Members;

/// The members of one host, and the others.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TeamHosts {
    /// For each host, in the same order on all members, the lowest rank among the members there: its *lead*.
    pub(crate) leads: Vec<usize>,
    /// Which of the hosts is this PE's.
    pub(crate) mine: usize,
    /// How many members are on it.
    pub(crate) here: usize,
}

impl TeamHosts {
    /// The hosts of `members`, of which this PE is number `rank`, where any two of them share one. The result is the
    /// same on all members but for `mine` and `here`.
    pub(crate) fn of(members: &Members, rank: usize, localities: &[Locality]) -> Option<TeamHosts> {
        /// The PEs of a host: how many there are, and whether each of them addresses all.
        struct Host {
            size: usize,
            least: usize,
            most: usize,
            number: Option<usize>,
        }
        let mut hosts: HashMap<usize, Host> = HashMap::new();
        for pe in localities {
            let host =
                hosts.entry(pe.first).or_insert(Host { size: 0, least: usize::MAX, most: 0, number: None });
            host.size += 1;
            host.least = host.least.min(pe.reaches);
            host.most = host.most.max(pe.reaches);
        }
        let (mut leads, mut counts, mut mine) = (Vec::new(), Vec::new(), 0);
        for member in 0..members.len() {
            let host = hosts.get_mut(&localities[members.pe(member)].first).expect("it was just counted");
            // Where some PE of a host does not address all others, each is a host for itself.
            let shares = host.size == host.least && host.size == host.most;
            let number = match host.number.filter(|_| shares) {
                Some(number) => number,
                None => {
                    leads.push(member);
                    counts.push(0);
                    *host.number.insert(leads.len() - 1)
                }
            };
            counts[number] += 1;
            if member == rank {
                mine = number;
            }
        }
        (leads.len() < members.len()).then(|| TeamHosts { leads, mine, here: counts[mine] })
    }

    /// The lead of this PE's host.
    pub(crate) fn lead(&self) -> usize {
        self.leads[self.mine]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many PEs on each host, each of which addresses so many.
    fn localities(hosts: &[(usize, usize)]) -> Vec<Locality> {
        let mut all = Vec::new();
        for &(size, reaches) in hosts {
            let first = all.len();
            all.resize_with(first + size, || Locality::near(first, reaches));
        }
        all
    }

    #[test]
    fn each_host_is_led_by_its_lowest_rank() {
        let pes = localities(&[(2, 2), (1, 1), (3, 3)]);
        let of = |list: &[usize], rank| TeamHosts::of(&Members::of(list.to_vec()), rank, &pes);
        let all = [0, 1, 2, 3, 4, 5];
        for (rank, (mine, here)) in [(0, 2), (0, 2), (1, 1), (2, 3), (2, 3), (2, 3)].into_iter().enumerate() {
            assert_eq!(of(&all, rank), Some(TeamHosts { leads: vec![0, 2, 3], mine, here }));
        }
        // One on a host, three on another, and the order is that of the team.
        assert_eq!(of(&[5, 0, 4, 3], 2), Some(TeamHosts { leads: vec![0, 1], mine: 0, here: 3 }));
        assert_eq!(of(&[5, 0, 4, 3], 1), Some(TeamHosts { leads: vec![0, 1], mine: 1, here: 1 }));
        // Nobody shares a host.
        assert_eq!(of(&[5, 2, 0], 0), None);
    }

    #[test]
    fn who_does_not_address_all_others_of_a_host_is_alone() {
        let mut pes = localities(&[(2, 2), (3, 3)]);
        pes[3].reaches = 2;
        let of = |list: &[usize], rank| TeamHosts::of(&Members::of(list.to_vec()), rank, &pes);
        assert_eq!(of(&[2, 3, 4], 0), None);
        assert_eq!(of(&[2, 3, 4, 0, 1], 4), Some(TeamHosts { leads: vec![0, 1, 2, 3], mine: 3, here: 2 }));
    }
}
