//! Teams for collectives on streams.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::runtime::team::Team;
use crate::system::error::Error;

/// A team of PEs whose streams make collective calls; [`Gpu::team`](super::Gpu::team) makes it.
///
/// It has the PEs of the [`Team`] that it was made of, with the same numbers. Collective calls on it are
/// `collective!(stream; …; on team)`. Each PE issues them in the same order, on any of its streams, and
/// they are done in this order.
///
/// Cloning it makes another handle of the same team.
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 4)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let gpu = world.gpu()?;
///     let (rows, _) = world.team().split_2d(2)?; // 0 and 1, 2 and 3
///     let rows = gpu.team(&rows)?;
///     assert_eq!((rows.my_pe(), rows.n_pes()), (world.my_pe() % 2, 2));
///     Ok(())
/// }
/// ```
#[derive(Clone)]
#[doc(alias = "nvshmem_team_t")]
pub struct GpuTeam(Arc<TeamInTurn>);

/// A team of this crate whose calls come one after the other, in the order in which they were issued.
struct TeamInTurn {
    team: Team,
    issued: AtomicU64,
    turns: Mutex<Turns>,
    passed: Condvar,
}

#[derive(Default)]
struct Turns {
    /// Whose turn it is.
    next: u64,
    /// Those after it that are over: calls that their streams have left out.
    over: BTreeSet<u64>,
}

impl fmt::Debug for GpuTeam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.team.fmt(f)
    }
}

impl GpuTeam {
    /// A team of the PEs of `team`, for calls by streams. Collective.
    #[track_caller]
    pub(super) fn of(team: &Team) -> Result<GpuTeam, Error> {
        let all: Vec<usize> = (0..team.n_pes()).collect();
        let own = team.split_list(&all)?.expect("this PE is a member of its own team");
        Ok(GpuTeam(Arc::new(TeamInTurn {
            team: own,
            issued: AtomicU64::new(0),
            turns: Mutex::default(),
            passed: Condvar::new(),
        })))
    }

    /// Returns the number of this PE in the team. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let reversed = world.team().split_list(&[1, 0])?.unwrap();
    ///     assert_eq!(world.gpu()?.team(&reversed)?.my_pe(), 1 - world.my_pe());
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    #[doc(alias = "nvshmem_team_my_pe")]
    pub fn my_pe(&self) -> usize {
        self.0.team.my_pe()
    }

    /// Returns the number of PEs of the team. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     assert_eq!(world.gpu()?.team(world.team())?.n_pes(), 2);
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    #[doc(alias = "nvshmem_team_n_pes")]
    pub fn n_pes(&self) -> usize {
        self.0.team.n_pes()
    }

    /// The turn of a collective call that is issued now.
    pub(super) fn take_turn(&self) -> Turn {
        Turn { team: Arc::clone(&self.0), number: self.0.issued.fetch_add(1, Ordering::Relaxed) }
    }
}

/// The turn of a collective call. Dropping it makes room for the next, also of a call that is left out.
pub(super) struct Turn {
    team: Arc<TeamInTurn>,
    number: u64,
}

impl Turn {
    /// Waits for the turn, and makes the call.
    pub(super) fn call<R>(self, call: impl FnOnce(&Team) -> R) -> R {
        let mut turns = self.team.turns.lock().unwrap_or_else(PoisonError::into_inner);
        while turns.next != self.number {
            turns = self.team.passed.wait(turns).unwrap_or_else(PoisonError::into_inner);
        }
        drop(turns);
        call(&self.team.team)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut turns = self.team.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.over.insert(self.number);
        while turns.over.first() == Some(&turns.next) {
            turns.over.pop_first();
            turns.next += 1;
        }
        self.team.passed.notify_all();
    }
}
