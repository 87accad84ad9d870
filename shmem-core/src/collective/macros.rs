//! What `collective!` expands to, beside the methods of [`Team`].

use std::rc::Rc;
use std::sync::Arc;

use crate::runtime;
use crate::symmetric::Symmetric;
use crate::team::Team;

/// `collective!(…)` without a team.
#[doc(hidden)]
pub fn world_team() -> &'static Team {
    runtime::get().world().team()
}

/// A team, or a pointer to one: what stands behind `on` in [`collective!`](crate::collective!).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a team",
    label = "not a `Team`",
    note = "behind `; on` comes a `Team` or a reference to one; without it the collective is one of all PEs, the team `world.team()`",
    note = "splitting a team gives an `Option`, as not all PEs are members of the new one: `if let Some(team) = &team {{ … }}`"
)]
pub trait OnTeam {
    #[doc(hidden)]
    fn team(&self) -> &Team;
}

impl OnTeam for Team {
    fn team(&self) -> &Team {
        self
    }
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: OnTeam + ?Sized> OnTeam for $pointer {
            fn team(&self) -> &Team {
                (**self).team()
            }
        }
    )*};
}

forward!(&T, &mut T, Box<T>, Rc<T>, Arc<T>);

/// `collective!(…; on team)`
#[doc(hidden)]
pub fn on_team<T: OnTeam>(team: &T) -> &Team {
    team.team()
}

/// `collective!(fcollect value)`
#[doc(hidden)]
#[must_use]
#[track_caller]
pub fn fcollect_value<T: Symmetric>(team: &Team, value: T) -> Vec<T> {
    team.collect_values(std::slice::from_ref(&value))
}
