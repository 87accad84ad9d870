//! Partial results of a reduction in pairs: which there are, and which of them a party knows.
//!
//! The order is a tree of the members: member 0 is joined with 1, and 2 with 3; then each pair with the next pair, and
//! so on. What is left at the end is joined last. With 7 members: `((0 + 1) + (2 + 3)) + ((4 + 5) + 6)`. A node of the
//! tree has `2^level` members from a multiple of that on, and its value depends on nothing but their values, so all who
//! compute it get the same bits.
//!
//! A party that knows the values of some members in a row therefore keeps no more than the largest nodes that they make
//! up, at most two of each level, or three where the last member is followed by the first. If it learns of members that
//! it knew already, it leaves them out. So parties may join in rounds: each sends what it knows to the one 2^r after it.
//!
//! Nothing here moves anything. The package `simulation` compiles this file too.

use std::cmp::Reverse;
use std::iter;
use std::ops::Range;

/// `2^level` members, from a multiple of that on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeNode {
    start: usize,
    level: u32,
}

impl TreeNode {
    /// One member.
    pub(crate) fn of(member: usize) -> TreeNode {
        TreeNode { start: member, level: 0 }
    }

    /// The member after the last.
    fn end(self) -> usize {
        self.start + (1 << self.level)
    }

    /// The node that this one and the next make up.
    fn with(self, next: TreeNode) -> Option<TreeNode> {
        let are_a_pair =
            self.level == next.level && self.end() == next.start && self.start >> self.level & 1 == 0;
        are_a_pair.then_some(TreeNode { start: self.start, level: self.level + 1 })
    }
}

/// The largest nodes that members in a row make up, in their order.
pub(crate) fn nodes(members: Range<usize>) -> impl Iterator<Item = TreeNode> {
    let mut start = members.start;
    iter::from_fn(move || {
        let left = members.end.checked_sub(start).filter(|left| *left > 0)?;
        let aligned = if start == 0 { usize::BITS } else { start.trailing_zeros() };
        let node = TreeNode { start, level: aligned.min(left.ilog2()) };
        start = node.end();
        Some(node)
    })
}

/// How many nodes members in a row of `n` make up at most, where a row begins and ends at a multiple of `2^least` or
/// after the last member. It may go on with the first after the last.
fn most_nodes(n: usize, least: u32) -> usize {
    let levels = (n.max(1).ilog2() + 1).saturating_sub(least);
    (2 * levels + n.count_ones()) as usize
}

/// Which members the parties of a team have that join in rounds: hosts, whose members follow one another, or members.
#[derive(Clone, Copy)]
pub(crate) struct Parties<'a> {
    /// The first member of each party; `None` where each member is one.
    pub(crate) leads: Option<&'a [usize]>,
    /// How many members there are.
    pub(crate) members: usize,
}

impl Parties<'_> {
    /// How many parties there are.
    pub(crate) fn len(&self) -> usize {
        self.leads.map_or(self.members, <[usize]>::len)
    }

    /// How many nodes one of them knows at most. Hosts that begin at multiples of a power of two need fewer.
    pub(crate) fn most_nodes(&self) -> usize {
        let all = self.leads.map_or(1, |leads| leads.iter().fold(0, |all, lead| all | lead));
        most_nodes(self.members, all.trailing_zeros())
    }

    /// How many rounds they take.
    pub(crate) fn rounds(&self) -> usize {
        self.len().next_power_of_two().ilog2() as usize
    }

    /// The first member of a party, or after all.
    fn lead(&self, party: usize) -> usize {
        match self.leads {
            Some(leads) => leads.get(party).copied().unwrap_or(self.members),
            None => party,
        }
    }

    /// What `party` receives in this round: the nodes that the one 2^round before it knows by then, those of 2^round parties.
    pub(crate) fn received(&self, party: usize, round: usize) -> impl Iterator<Item = TreeNode> {
        let (all, many) = (self.len(), 1 << round);
        let sender = (party + all - many) % all;
        let first = (sender + 1 + all - many) % all;
        let end = (first + many).min(all);
        let after_the_last = first + many - end;
        nodes(0..self.lead(after_the_last)).chain(nodes(self.lead(first)..self.lead(end)))
    }
}

/// What is known: nodes in their order, and the values of each.
pub(crate) struct Partials<T, J> {
    nodes: Vec<TreeNode>,
    /// `each` of every node.
    values: Vec<T>,
    each: usize,
    join: J,
}

impl<T: Copy, J: Fn(&mut [T], &[T])> Partials<T, J> {
    /// Nothing, of so many members with `each` values. `join` joins those of the second to those of the first.
    pub(crate) fn new(members: usize, each: usize, join: J) -> Partials<T, J> {
        let most = most_nodes(members, 0);
        Partials { nodes: Vec::with_capacity(most), values: Vec::with_capacity(most * each), each, join }
    }

    /// The values of the next node, which does not begin before the last one. Those of members that are known are left out.
    pub(crate) fn push(&mut self, node: TreeNode, values: &[T]) {
        if self.nodes.last().is_some_and(|last| node.start < last.end()) {
            return;
        }
        self.nodes.push(node);
        self.values.extend_from_slice(values);
        while let [.., before, last] = self.nodes[..]
            && let Some(both) = before.with(last)
        {
            self.nodes.pop();
            *self.nodes.last_mut().expect("the one before") = both;
            self.join_last();
        }
    }

    /// Joins the values of the last node to those of the one before.
    fn join_last(&mut self) {
        let last = self.values.len() - self.each;
        let (before, values) = self.values.split_at_mut(last);
        (self.join)(&mut before[last - self.each..], values);
        self.values.truncate(last);
    }

    /// The values of these nodes, which are in their order, one after the other.
    pub(crate) fn learn(&mut self, nodes: impl Iterator<Item = TreeNode>, values: &[T]) {
        let known = std::mem::take(&mut self.nodes);
        let own = std::mem::take(&mut self.values);
        let each = self.each;
        let mut all: Vec<(TreeNode, &[T])> = known
            .into_iter()
            .zip(own.chunks_exact(each))
            .chain(nodes.zip(values.chunks_exact(each)))
            .collect();
        all.sort_by_key(|(node, _)| (node.start, Reverse(node.level)));
        all.into_iter().for_each(|(node, values)| self.push(node, values));
    }

    /// All values, node by node.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// Joins what is known of all members, and returns the values of all. Some are known.
    pub(crate) fn joined(&mut self) -> &[T] {
        while self.nodes.len() > 1 {
            self.nodes.pop();
            self.join_last();
        }
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that show how they were joined.
    fn text(members: Range<usize>) -> String {
        let n = members.len();
        if n == 1 {
            return members.start.to_string();
        }
        let left = members.start + (1 << (n - 1).ilog2());
        format!("({}{})", text(members.start..left), text(left..members.end))
    }

    /// Texts in a table, so that a value is their number.
    struct Texts(std::cell::RefCell<Vec<String>>);

    impl Texts {
        fn number(&self, text: String) -> usize {
            self.0.borrow_mut().push(text);
            self.0.borrow().len() - 1
        }

        fn text(&self, number: usize) -> String {
            self.0.borrow()[number].clone()
        }

        fn join(&self, joined: &mut [usize], others: &[usize]) {
            for (joined, other) in joined.iter_mut().zip(others) {
                let both = format!("({}{})", self.text(*joined), self.text(*other));
                *joined = self.number(both);
            }
        }
    }

    #[test]
    fn members_are_joined_as_the_tree_says() {
        assert_eq!(text(0..7), "(((01)(23))((45)6))");
        let texts = Texts(Vec::new().into());
        for n in 1..70 {
            let mut all =
                Partials::new(n, 1, |joined: &mut [usize], other: &[usize]| texts.join(joined, other));
            (0..n).for_each(|member| all.push(TreeNode::of(member), &[texts.number(member.to_string())]));
            assert!(all.nodes.len() <= most_nodes(n, 0));
            assert_eq!(texts.text(all.joined()[0]), text(0..n));
        }
    }

    /// All parties join in rounds, as a meeting lets them.
    fn rounds(leads: Option<&[usize]>, members: usize) {
        let texts = Texts(Vec::new().into());
        let join = |joined: &mut [usize], other: &[usize]| texts.join(joined, other);
        let parties = Parties { leads, members };
        let n = parties.len();
        let mut all: Vec<_> = (0..n)
            .map(|party| {
                let mut known = Partials::new(members, 2, join);
                for member in parties.lead(party)..parties.lead(party + 1) {
                    let values =
                        [member.to_string(), (member + 1000).to_string()].map(|text| texts.number(text));
                    known.push(TreeNode::of(member), &values);
                }
                known
            })
            .collect();
        for round in 0..parties.rounds() {
            let sent: Vec<Vec<usize>> = all.iter().map(|known| known.values().to_vec()).collect();
            for (party, known) in all.iter_mut().enumerate() {
                let sent = &sent[(party + n - (1 << round)) % n];
                let nodes: Vec<TreeNode> = parties.received(party, round).collect();
                assert_eq!(nodes.len() * 2, sent.len(), "{n} parties, {members} members, round {round}");
                assert!(nodes.len() <= parties.most_nodes());
                known.learn(nodes.into_iter(), sent);
            }
        }
        for known in &mut all {
            let joined = known.joined().to_vec();
            assert_eq!(joined.len(), 2);
            assert_eq!(texts.text(joined[0]), text(0..members), "{n} parties");
        }
    }

    #[test]
    fn parties_of_one_member_join_in_rounds() {
        (1..90).for_each(|members| rounds(None, members));
    }

    #[test]
    fn hosts_of_any_sizes_join_in_rounds() {
        for seed in 1..60 {
            let mut leads = vec![0];
            let hosts = 1 + seed % 37;
            (1..hosts).for_each(|host| leads.push(leads[host - 1] + 1 + (host * seed * 7) % 13));
            let members = leads[hosts - 1] + 1 + seed % 5;
            rounds(Some(&leads), members);
        }
        // As clusters have them.
        for each in [2, 4, 7, 48, 64] {
            let leads: Vec<usize> = (0..21).map(|host| host * each).collect();
            rounds(Some(&leads), 21 * each);
        }
    }

    #[test]
    fn hosts_of_whole_nodes_know_fewer() {
        let most = |hosts: usize, each: usize| {
            let leads: Vec<usize> = (0..hosts).map(|host| host * each).collect();
            let parties = Parties { leads: Some(&leads), members: hosts * each };
            let all = (0..hosts).flat_map(|host| (0..parties.rounds()).map(move |round| (host, round)));
            let known = all.map(|(host, round)| parties.received(host, round).count()).max();
            (known.unwrap_or(0), parties.most_nodes())
        };
        for each in [1, 2, 6, 48, 64, 96] {
            for hosts in 2..120 {
                let (known, most) = most(hosts, each);
                assert!(known <= most, "{hosts} hosts of {each}: {known}, {most}");
            }
        }
        assert_eq!(most(100, 64), (10, 17));
        assert!(most(100, 64).1 < most_nodes(6400, 0) * 2 / 3);
    }

    #[test]
    fn few_nodes_are_known() {
        for n in 1..200 {
            for (first, len) in (0..n).flat_map(|first| (1..=n).map(move |len| (first, len))) {
                let (end, more) = ((first + len).min(n), usize::saturating_sub(first + len, n));
                assert!(
                    nodes(0..more).count() + nodes(first..end).count() <= most_nodes(n, 0),
                    "{first} {len} of {n}"
                );
            }
        }
    }
}
