//! The PEs of the world that belong to a team, their order, and who sends to whom where they meet.

use std::fmt;
use std::sync::Arc;

/// The members of a team, by their numbers in the world.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Members {
    /// `start`, `start + stride`, …
    Strided { start: usize, stride: isize, len: usize },
    /// Any other members.
    Listed(Arc<[usize]>),
}

impl Members {
    /// The members with these numbers in the world, in the order of the team. Recognises a constant
    /// stride.
    pub(crate) fn of(pes: Vec<usize>) -> Members {
        let stride = match pes.as_slice() {
            [first, second, ..] => second.wrapping_sub(*first).cast_signed(),
            _ => 1,
        };
        let start = pes.first().copied().unwrap_or(0);
        let strided = Members::Strided { start, stride, len: pes.len() };
        if pes.iter().enumerate().all(|(rank, &pe)| strided.pe(rank) == pe) {
            strided
        } else {
            Members::Listed(pes.into())
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Members::Strided { len, .. } => *len,
            Members::Listed(pes) => pes.len(),
        }
    }

    /// The number in the world of member `rank`, which must exist.
    #[inline]
    pub(crate) fn pe(&self, rank: usize) -> usize {
        match self {
            Members::Strided { start, stride, .. } => {
                start.wrapping_add_signed(stride.wrapping_mul(rank.cast_signed()))
            }
            Members::Listed(pes) => pes[rank],
        }
    }

    /// The ranks that member `rank` signals where the members meet in rounds (dissemination): in round
    /// r, the one 2^r after it.
    pub(crate) fn signalled(&self, rank: usize) -> impl Iterator<Item = usize> {
        let len = self.len();
        let distances = (0..).map(|round| 1 << round).take_while(move |&distance| distance < len);
        distances.map(move |distance| (rank + distance) % len)
    }

    /// The rank of PE `pe` of the world in the team, if it is a member.
    pub(crate) fn rank_of(&self, pe: usize) -> Option<usize> {
        match self {
            Members::Strided { start, stride, len } => {
                let distance = pe.wrapping_sub(*start).cast_signed();
                let rank = match stride {
                    0 => (distance == 0).then_some(0)?,
                    stride => (distance % stride == 0).then_some(distance / stride)?,
                };
                usize::try_from(rank).ok().filter(|rank| rank < len)
            }
            Members::Listed(pes) => pes.iter().position(|&member| member == pe),
        }
    }
}

/// Whose words come with a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    /// Those of one party alone, which sends them to all others.
    Party,
    /// Those that the party 2^`round` before this one has joined so far. There are so many `parties`.
    Round { round: usize, parties: usize },
}

impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Members::Strided { len: 1, start, .. } => write!(f, "1 PE ({start})"),
            Members::Strided { start, stride, len } => {
                write!(f, "{len} PEs ({start}, {}", self.pe(1))?;
                if *len > 2 {
                    write!(f, ", … by {stride}")?;
                }
                write!(f, ")")
            }
            Members::Listed(pes) => write!(f, "{} PEs {pes:?}", pes.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Members;

    #[test]
    fn every_form_gives_the_list_back() {
        for list in [
            vec![0],
            vec![5],
            vec![0, 1, 2, 3],
            vec![9, 6, 3, 0],
            vec![4, 2],
            vec![1, 2, 4],
            vec![7, 0, 3],
            vec![2, 4, 6, 7],
        ] {
            let members = Members::of(list.clone());
            assert_eq!((0..members.len()).map(|rank| members.pe(rank)).collect::<Vec<_>>(), list);
            for pe in 0..12 {
                assert_eq!(members.rank_of(pe), list.iter().position(|&member| member == pe), "{members:?}");
            }
        }
        assert!(matches!(Members::of(vec![9, 6, 3]), Members::Strided { stride: -3, .. }));
        assert!(matches!(Members::of(vec![9, 6, 4]), Members::Listed(_)));
    }
}
