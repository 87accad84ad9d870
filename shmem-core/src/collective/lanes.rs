//! Large reductions of PEs on several hosts.
//!
//! Each host joins the elements of its members and sends the partial result to the next one, so a link
//! carries as many bytes as the destination has, however many members there are on a host. The last
//! host has the result, and it goes back the same way. The order of the members is kept: what comes
//! from the hosts before is joined first. For that, the members of a host must follow one another in
//! the team.
//!
//! The elements are divided into *lanes*, one for each of the first members of every host, which work
//! at the same time. A lane goes in pieces, so all hosts work at the same time too. Partial results
//! and results go to the destination of the member that has the lane.

use std::ops::Range;

use super::elements::{ScratchElements, SelectedElements};
use super::reduce::{Join, block};
use crate::runtime::team::Team;
use crate::symmetric::Symmetric;
use crate::system::tuning::lanes::{LONGEST_PIECE, PIECES, SHORTEST_LANE, SHORTEST_PIECE};
use crate::transport::{HostsOfTeam, LanePart};

impl Team {
    /// Reduces the elements of all members to the destinations of all, which are not tangled with the
    /// sources. All members of the team are in this call.
    #[track_caller]
    pub(super) fn reduce_along<T: Symmetric>(
        &self,
        join: Join<T>,
        to: &SelectedElements<'_, T>,
        from: &SelectedElements<'_, T>,
        hosts: HostsOfTeam<'_>,
    ) {
        // The sources of this host hold what they give, and its destinations may be written.
        self.sync_on_host();
        // A lane sends as many messages as any other, however short it is.
        let lanes = hosts.lanes.min((from.len() * size_of::<T>()).div_ceil(SHORTEST_LANE));
        let lane = self.my_pe() - hosts.here[0];
        if lane < lanes {
            let elements = block::<T>(from.len(), lane, lanes);
            let bytes = (elements.len() * size_of::<T>() / PIECES).clamp(SHORTEST_PIECE, LONGEST_PIECE);
            let each = bytes / size_of::<T>();
            let mut own = OwnLane {
                join_slices: join,
                me: self.world_pe(self.my_pe()),
                here: hosts.here.iter().map(|&rank| self.world_pe(rank)).collect(),
                to,
                from,
                each,
                mine: None,
                joined: ScratchElements::new(each.min(elements.len())),
                one: ScratchElements::new(each.min(elements.len())),
                elements,
            };
            let pieces = own.elements.len().div_ceil(each);
            self.pass_along(pieces, &mut own);
        }
        // The sources of this host have been read, and its destinations written.
        self.sync_on_host();
    }
}

/// What this PE does for its lane.
struct OwnLane<'a, T> {
    join_slices: Join<T>,
    /// This PE, and the members on this host in the order of the team: PEs of the world.
    me: usize,
    here: Vec<usize>,
    to: &'a SelectedElements<'a, T>,
    from: &'a SelectedElements<'a, T>,
    /// The elements of the lane, and how many of them a piece has.
    elements: Range<usize>,
    each: usize,
    /// This PE's own elements of the lane, where they were in its destination.
    mine: Option<ScratchElements<T>>,
    /// ScratchElements for the elements of a piece, joined, and of one member.
    joined: ScratchElements<T>,
    one: ScratchElements<T>,
}

impl<T: Symmetric> OwnLane<'_, T> {
    /// The first element of a piece, and how many there are.
    fn range(&self, piece: usize) -> (usize, usize) {
        let start = self.elements.start + piece * self.each;
        (start, self.each.min(self.elements.end - start))
    }
}

impl<T: Symmetric> LanePart for OwnLane<'_, T> {
    fn make_ready(&mut self) {
        if self.to.overlaps(self.from) {
            let mine = self.mine.insert(ScratchElements::new(self.elements.len()));
            self.from.read(self.me, self.elements.start, mine);
        }
    }

    fn join(&mut self, piece: usize, is_first: bool, after: Option<usize>) {
        let (start, len) = self.range(piece);
        let (joined, one) = (&mut self.joined[..len], &mut self.one[..len]);
        let mine = self.mine.as_ref().map(|mine| &mine[start - self.elements.start..]);
        let mut here = &self.here[..];
        if is_first {
            self.from.read(here[0], start, joined);
            here = &here[1..];
        } else {
            self.to.read(self.me, start, joined);
        }
        for &pe in here {
            let of_pe = match mine {
                Some(mine) if pe == self.me => mine,
                _ => {
                    self.from.read(pe, start, one);
                    &*one
                }
            };
            (self.join_slices)(joined, of_pe);
        }
        // To several PEs only on the last host. Puts that block: others have to be completed, which takes a round trip.
        let all_here = if after.is_none() { &self.here[..] } else { &[] };
        after.iter().chain(all_here).for_each(|&pe| self.to.write(pe, start, joined));
    }

    fn give(&mut self, piece: usize) {
        let (start, len) = self.range(piece);
        let others = self.here.iter().filter(|&&pe| pe != self.me);
        others.for_each(|&pe| self.to.copy_to(start, self.to, pe, start, len));
    }

    fn hand_on(&mut self, piece: usize, before: usize) {
        let (start, len) = self.range(piece);
        self.to.copy_to(start, self.to, before, start, len);
    }
}
