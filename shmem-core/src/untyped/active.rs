//! Teams that their members make without the other PEs: what C's active sets stand on.

use super::Member;
use crate::Team;
use crate::system::error::Error;
use crate::transport::Members;

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
}
