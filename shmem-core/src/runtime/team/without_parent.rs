//! Making a team that is no part of another one.

use super::{MAX_TEAMS, Members, Team};
use crate::runtime::Runtime;
use crate::system::error::Error;

impl Team {
    /// A team of `members`, of which this PE is number `rank`. Collective on them alone. `join`
    /// combines a word of each of them by "or", and gives all of them the result.
    ///
    /// # Errors
    ///
    /// On all members, when they have no free slot in common.
    pub(crate) fn by_members(
        runtime: &'static Runtime,
        members: Members,
        rank: usize,
        mut join: impl FnMut(u64) -> u64,
    ) -> Result<Team, Error> {
        for attempt in 0..MAX_TEAMS {
            let taken = join(!runtime.slots().free(runtime.transport()));
            // Another thread of a member may be making a team too, and take a slot between the two
            // words. Then all try the next.
            let start = attempt as u32;
            let free = (!taken).rotate_right(start);
            if free == 0 {
                break;
            }
            let slot = (free.trailing_zeros() + start) as usize % MAX_TEAMS;
            let has_taken = runtime.slots().take(slot);
            if join(u64::from(!has_taken)) == 0 {
                let team = Team::in_slot(runtime.endpoint(), slot, members, rank);
                // No PE may use the team before all members have read where its counters stand.
                join(0);
                return Ok(team);
            }
            if has_taken {
                runtime.slots().give_back(slot);
            }
        }
        Err(Error::Team {
            reason: format!(
                "a PE can be in {MAX_TEAMS} teams at a time, and no place for one more is free on all PEs of the active set"
            ),
        })
    }
}
