//! Teams for collectives on streams.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::Location;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use shmem_gpu::nvshmem::{DeviceCollective, DeviceStream, DeviceTeam};
use shmem_gpu::worker::Ticket;

use super::nvshmem;
use crate::remote::held::HeldSpot;
use crate::remote::stream::{JointWork, StreamLane, StreamWork};
use crate::runtime::team::Team;
use crate::system::error::Error;

/// A team of PEs whose streams make collective calls; [`Gpu::team`](super::Gpu::team) makes it.
///
/// It has the PEs of the [`Team`] that it was made of, with the same numbers. Collective calls on it are
/// `collective!(stream; …; on team)`. Each PE issues them in the same order, on any of its streams, and
/// they are done in this order. If a PE has not made one of them, because it failed or its stream had
/// failed before, the PE makes no later call of the team: the streams of those calls fail too.
///
/// Cloning it makes another handle of the same team. A [kernel](macro@super::kernel) takes it as an
/// argument, and makes the calls itself. The launch is then one of the calls of the team.
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
///
/// A call that is not made, or that panics, breaks the team on this PE: it makes no later call. With
/// the next one it would meet the other PEs in the call that it has not made.
struct TeamInTurn {
    team: Team,
    /// The same team of NVSHMEM, on a device; or why there is none.
    on_a_device: Result<DeviceTeam, String>,
    /// Held while a call is issued: so the calls of one stream have their turns in its order.
    turns: Mutex<Turns>,
    passed: Condvar,
}

#[derive(Default)]
struct Turns {
    /// How many calls were issued: their numbers are below it.
    issued: u64,
    /// Whose turn it is.
    next: u64,
    /// Those after it that are over: calls that their streams have left out.
    over: BTreeSet<u64>,
    /// The calls that are not over.
    calls: BTreeMap<u64, IssuedCall>,
    /// The first call that was not made to its end.
    broken: Option<(u64, IssuedCall)>,
}

/// A call on a stream.
#[derive(Clone)]
struct IssuedCall {
    what: &'static str,
    place: &'static Location<'static>,
    /// When its stream is past it.
    ticket: Ticket,
}

impl IssuedCall {
    /// Why no call after this one is made: this one was not made to its end.
    fn refuses_others(&self) -> String {
        let IssuedCall { what, place, ticket } = self;
        let failure = match ticket.wait() {
            Err(failure) if failure.place() == *place => failure.reason().to_owned(),
            Err(failure) => format!("its stream had failed before: {failure}"),
            Ok(()) => "its stream has left it out".to_owned(),
        };
        format!(
            "this PE makes no call of the team after one that failed or was left out, the {what} that was issued at {place}: {failure}"
        )
    }
}

impl TeamInTurn {
    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        GpuTeam::with(team, nvshmem::team)
    }

    /// The team of all PEs, for calls without a team. Collective.
    #[track_caller]
    pub(super) fn of_world(team: &Team) -> Result<GpuTeam, Error> {
        GpuTeam::with(team, |_| nvshmem::world())
    }

    #[track_caller]
    fn with(
        team: &Team,
        on_a_device: impl FnOnce(&Team) -> Result<DeviceTeam, String>,
    ) -> Result<GpuTeam, Error> {
        let all: Vec<usize> = (0..team.n_pes()).collect();
        let team = team.split_list(&all)?.expect("this PE is a member of its own team");
        let on_a_device = on_a_device(&team);
        Ok(GpuTeam(Arc::new(TeamInTurn {
            team,
            on_a_device,
            turns: Mutex::default(),
            passed: Condvar::new(),
        })))
    }

    /// The same team of NVSHMEM.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub(super) fn on_a_device(&self) -> Result<&DeviceTeam, String> {
        self.0.on_a_device.as_ref().map_err(Clone::clone)
    }

    /// The team of the host.
    pub(super) fn members(&self) -> &Team {
        &self.0.team
    }

    /// Tells it from all other teams of the process.
    pub(super) fn identity(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
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

    /// Issues `call`, which is `what` for messages, at `place` in the program. A device does `routine`.
    pub(super) fn issue(
        &self,
        lane: &dyn StreamLane,
        (what, place): (&'static str, &'static Location<'static>),
        routine: CollectiveRoutine,
        call: impl FnOnce(&Team) + Send + 'static,
    ) {
        let team = self.clone();
        GpuTeam::issue_in_turn(std::slice::from_ref(self), lane, (what, place), |turns| {
            Box::new(CollectiveCall { team, turns, routine, call })
        });
    }

    /// Issues work that makes calls of all of `teams`: `what` it is for messages, at `place` in the
    /// program. The work gets its turns.
    pub(super) fn issue_in_turn(
        teams: &[GpuTeam],
        lane: &dyn StreamLane,
        (what, place): (&'static str, &'static Location<'static>),
        work: impl FnOnce(Vec<Turn>) -> Box<dyn JointWork>,
    ) {
        // Each team once, and in one order, so that two threads do not wait for each other here.
        let teams: BTreeMap<usize, &GpuTeam> = teams.iter().map(|team| (team.identity(), team)).collect();
        let mut held: Vec<_> = teams.values().map(|team| team.0.turns()).collect();
        let turns = teams.values().zip(&mut held).map(|(team, turns)| {
            turns.issued += 1;
            Turn { team: Arc::clone(&team.0), number: turns.issued - 1, is_made: false }
        });
        let work = work(turns.collect());
        let ticket = lane.issue(what, place, StreamWork::Joint(work));
        // The stream may have come to the work, which waits for `held`.
        for turns in &mut held {
            let number = turns.issued - 1;
            turns.calls.insert(number, IssuedCall { what, place, ticket: ticket.clone() });
        }
    }
}

/// What NVSHMEM has for a collective call.
pub(super) struct CollectiveRoutine {
    /// The call, where NVSHMEM has one for elements of this type.
    pub(super) routine: Option<DeviceCollective>,
    /// The destination and the source, where there are elements.
    pub(super) elements: Option<(HeldSpot, HeldSpot)>,
}

/// A collective call of a team.
struct CollectiveCall<C> {
    team: GpuTeam,
    turns: Vec<Turn>,
    routine: CollectiveRoutine,
    call: C,
}

impl<C: FnOnce(&Team) + Send> JointWork for CollectiveCall<C> {
    fn on_the_host(self: Box<Self>) -> Result<(), String> {
        let CollectiveCall { team, turns, call, .. } = *self;
        Turn::all(turns, || {
            call(team.members());
            Ok(())
        })
    }

    fn on_a_device(self: Box<Self>, stream: &DeviceStream) -> Result<(), String> {
        let CollectiveCall { team, turns, routine, call } = *self;
        Turn::all(turns, || nvshmem::collective(stream, &team, routine, call))
    }
}

/// The turn of a collective call. Dropping it makes room for the next, also of a call that is left out.
pub(super) struct Turn {
    team: Arc<TeamInTurn>,
    number: u64,
    /// Whether the call was made to its end.
    is_made: bool,
}

impl Turn {
    /// Waits for all turns, which [`issue_in_turn`](GpuTeam::issue_in_turn) has given to one work,
    /// and does `call`. The teams have their turns in the same order for all works, so two works do
    /// not wait for each other.
    ///
    /// # Errors
    ///
    /// Why it is not made, when an earlier one was not, and why it fails.
    pub(super) fn all(mut turns: Vec<Turn>, call: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        turns.iter().try_for_each(Turn::wait)?;
        call()?;
        for turn in &mut turns {
            turn.is_made = true;
        }
        Ok(())
    }

    /// Waits for the turn.
    fn wait(&self) -> Result<(), String> {
        let mut turns = self.team.turns();
        let broken = loop {
            match &turns.broken {
                Some((first, broken)) if *first < self.number => break Some(broken.clone()),
                _ if turns.next == self.number => break None,
                _ => turns = self.team.passed.wait(turns).unwrap_or_else(PoisonError::into_inner),
            }
        };
        drop(turns);
        broken.map_or(Ok(()), |broken| Err(broken.refuses_others()))
    }
}

impl Drop for TeamInTurn {
    fn drop(&mut self) {
        let turns = self.turns.get_mut().unwrap_or_else(PoisonError::into_inner);
        // What is under way on other PEs is not known then.
        if let (None, Ok(team)) = (&turns.broken, &self.on_a_device) {
            nvshmem::give_back(team, &self.team);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut turns = self.team.turns();
        let call = turns.calls.remove(&self.number);
        if !self.is_made && turns.broken.as_ref().is_none_or(|(first, _)| self.number < *first) {
            turns.broken = call.map(|call| (self.number, call));
        }
        turns.over.insert(self.number);
        while turns.over.first() == Some(&turns.next) {
            turns.over.pop_first();
            turns.next += 1;
        }
        self.team.passed.notify_all();
    }
}
