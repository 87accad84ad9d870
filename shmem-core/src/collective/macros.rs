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

#[diagnostic::do_not_recommend]
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

/// What a collective moves: any [`Symmetric`] element.
///
/// The trait is there for its message: `collective!` calls its methods, and they the methods of the team.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be moved by a collective",
    label = "not a plain value",
    note = "integers, floats, arrays of them and structs with `#[derive(Symmetric)]` can; the elements of a `Vec` or slice are moved by `collect &values` or `team.broadcast_values(&mut values, root)`",
    note = "symmetric objects are moved to a destination, as in `DST[..] = broadcast SRC[..] from 0`; `Atomic` cells are not, but their values are, as in `broadcast local!(COUNT) from 0`"
)]
pub trait Moved: Sized {
    /// `collective!(broadcast value from root)`
    #[must_use]
    #[track_caller]
    fn broadcast_value(team: &Team, value: Self, root: usize) -> Self;

    /// `collective!(fcollect value)`
    #[must_use]
    #[track_caller]
    fn fcollect_value(team: &Team, value: Self) -> Vec<Self>;

    /// `collective!(destination = broadcast source from root)`
    #[track_caller]
    fn broadcast<F: Located, G: Fits<F>>(
        team: &Team,
        destination: Remote<'_, Self, F>,
        source: Remote<'_, Self, G>,
        root: usize,
    );

    /// `collective!(destination = collect source)`
    #[track_caller]
    fn collect<F: Located, G: Located>(
        team: &Team,
        destination: Remote<'_, Self, F>,
        source: Remote<'_, Self, G>,
    ) -> usize;

    /// `collective!(destination = fcollect source)`
    #[track_caller]
    fn fcollect<F: Located, G: Located>(
        team: &Team,
        destination: Remote<'_, Self, F>,
        source: Remote<'_, Self, G>,
    );

    /// `collective!(destination = alltoall source)`
    #[track_caller]
    fn alltoall<F: Located, G: Fits<F>>(
        team: &Team,
        destination: Remote<'_, Self, F>,
        source: Remote<'_, Self, G>,
    );
}

#[diagnostic::do_not_recommend]
impl<T: Symmetric> Moved for T {
    #[track_caller]
    fn broadcast_value(team: &Team, value: T, root: usize) -> T {
        team.broadcast_value(value, root)
    }

    #[track_caller]
    fn fcollect_value(team: &Team, value: T) -> Vec<T> {
        team.collect_values(std::slice::from_ref(&value))
    }

    #[track_caller]
    fn broadcast<F: Located, G: Fits<F>>(
        team: &Team,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
        root: usize,
    ) {
        team.broadcast(destination, source, root);
    }

    #[track_caller]
    fn collect<F: Located, G: Located>(
        team: &Team,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
    ) -> usize {
        team.collect(destination, source)
    }

    #[track_caller]
    fn fcollect<F: Located, G: Located>(
        team: &Team,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
    ) {
        team.fcollect(destination, source);
    }

    #[track_caller]
    fn alltoall<F: Located, G: Fits<F>>(
        team: &Team,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
    ) {
        team.alltoall(destination, source);
    }
}
