//! What `collective!` needs besides the methods of [`Team`] that it calls.

use std::ops::Deref;

use crate::runtime;
use crate::runtime::team::Team;
use crate::symmetric::Symmetric;

/// `collective!(…)` without a team.
#[doc(hidden)]
#[track_caller]
pub fn world_team() -> &'static Team {
    runtime::get().team()
}

/// A team, or a pointer to one: what follows `on` in [`collective!`](crate::collective!).
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a team",
    label = "not a `Team`",
    note = "`; on` takes a `Team` or a reference to one; without it the collective is over all PEs, the team `world.team()`",
    note = "splitting a team returns an `Option`, because not all PEs are members of the new team: `if let Some(team) = &team {{ … }}`"
)]
pub trait OnTeam {
    #[doc(hidden)]
    fn team(&self) -> &Team;
}

#[diagnostic::do_not_recommend]
impl OnTeam for Team {
    fn team(&self) -> &Team {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<P: Deref<Target: OnTeam>> OnTeam for P {
    fn team(&self) -> &Team {
        (**self).team()
    }
}

/// What a collective moves: any [`Symmetric`] element. It is [`Symmetric`] with a message of its
/// own.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be moved by a collective",
    label = "not a plain value",
    note = "integers, floats, arrays of them and structs with `#[derive(Symmetric)]` can; the elements of a `Vec` or slice are moved by `collect &values` or `team.broadcast_values(&mut values, root)`",
    note = "symmetric objects are moved to a destination, as in `DST[..] = broadcast SRC[..] from 0`; `Atomic` cells are not, but their values are, as in `broadcast local!(COUNT) from 0`"
)]
pub trait Moved: Symmetric {}

#[diagnostic::do_not_recommend]
impl<T: Symmetric> Moved for T {}
