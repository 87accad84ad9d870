//! What `collective!` expands to, beside the methods of [`Team`].

use std::rc::Rc;
use std::sync::Arc;

use super::elements::Fits;
use crate::remote::Remote;
use crate::runtime;
use crate::select::Located;
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

/// What a collective moves: any [`Symmetric`] element.
///
/// The trait is there for its message, so the functions below stand between `collective!` and the methods.
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

/// `collective!(broadcast value from root)`
#[doc(hidden)]
#[must_use]
#[track_caller]
pub fn broadcast_value<T: Moved>(team: &Team, value: T, root: usize) -> T {
    team.broadcast_value(value, root)
}

/// `collective!(fcollect value)`
#[doc(hidden)]
#[must_use]
#[track_caller]
pub fn fcollect_value<T: Moved>(team: &Team, value: T) -> Vec<T> {
    team.collect_values(std::slice::from_ref(&value))
}

/// `collective!(destination = broadcast source from root)`
#[doc(hidden)]
#[track_caller]
pub fn broadcast<T: Moved, F: Located, G: Fits<F>>(
    team: &Team,
    destination: Remote<'_, T, F>,
    source: Remote<'_, T, G>,
    root: usize,
) {
    team.broadcast(destination, source, root);
}

/// `collective!(destination = collect source)`
#[doc(hidden)]
#[track_caller]
pub fn collect<T: Moved, F: Located, G: Located>(
    team: &Team,
    destination: Remote<'_, T, F>,
    source: Remote<'_, T, G>,
) -> usize {
    team.collect(destination, source)
}

/// `collective!(destination = fcollect source)`
#[doc(hidden)]
#[track_caller]
pub fn fcollect<T: Moved, F: Located, G: Located>(
    team: &Team,
    destination: Remote<'_, T, F>,
    source: Remote<'_, T, G>,
) {
    team.fcollect(destination, source);
}

/// `collective!(destination = alltoall source)`
#[doc(hidden)]
#[track_caller]
pub fn alltoall<T: Moved, F: Located, G: Fits<F>>(
    team: &Team,
    destination: Remote<'_, T, F>,
    source: Remote<'_, T, G>,
) {
    team.alltoall(destination, source);
}
