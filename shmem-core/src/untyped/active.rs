//! Teams that their members make without the other PEs: what C's active sets stand on.

use super::{Many, Member};
use crate::collective::Moved;
use crate::system::error::Error;
use crate::transport::Members;
use crate::{Remote, Team};

impl Member {
    /// Makes the team of the `len` PEs `start`, `start + stride`, … of the job, of which this PE is
    /// one (`shmem_broadcast32` and its like). Collective on these PEs, and on no other.
    ///
    /// They have no team yet on which they could agree: `join` combines a word of each of them by
    /// "or", and gives all of them the result.
    ///
    /// # Errors
    ///
    /// On all members, when one of them is in too many teams.
    ///
    /// # Panics
    ///
    /// When this PE is not one of them.
    pub fn team_of_members(
        &self,
        (start, stride, len): (usize, usize, usize),
        join: impl FnMut(u64) -> u64,
    ) -> Result<Team, Error> {
        let members = Members::Strided { start, stride: stride.cast_signed(), len };
        let rank = members.rank_of(self.my_pe()).expect("this PE is a member");
        Team::by_members(self.runtime(), members, rank, join)
    }

    /// As [`Team::broadcast`], and leaves the destination of the root alone, which other PEs may write to
    /// meanwhile (`shmem_broadcast32` and `shmem_broadcast64`). Collective.
    ///
    /// # Panics
    ///
    /// As `broadcast`.
    #[track_caller]
    pub fn broadcast_to_others<T: Moved>(
        &self,
        team: &Team,
        destination: Remote<'_, T, Many>,
        source: Remote<'_, T, Many>,
        root: usize,
    ) {
        team.broadcast_to(destination, source, root, false);
    }
}
