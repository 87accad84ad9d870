//! Teams: sets of PEs that synchronise and communicate, with numbers of their own.
//!
//! Each PE has [`MAX_TEAMS`] slots in the runtime's part of its heap, and a team has the same slot
//! on all of its members. There they synchronise, and leave small values for each other. The
//! members agree on a slot when the team is made: each PE publishes which of its slots are free,
//! and the team takes the first that is free on every member. So teams without a common member are
//! independent of each other.
//!
//! Dropping a team is local and never waits. A PE that drops a team may be ahead of another member
//! that still reads values in the slot, so a slot is free again when every member has dropped the
//! team: they count themselves out on its PE 0.

pub(crate) mod call;
pub(crate) mod given;
pub(crate) mod partials;
#[cfg_attr(not(feature = "openshmem"), allow(dead_code))]
pub(crate) mod rounds;
pub(crate) mod slots;
mod split;
mod without_parent;

use std::fmt;
use std::panic::Location;
use std::sync::atomic::AtomicPtr;

use self::call::Calls;
use crate::runtime;
use crate::runtime::agreement::hash;
use crate::runtime::batch::TeamBatches;
use crate::runtime::direct::pes_of;
use crate::system::place;
use crate::transport::closed;
use crate::transport::layout::MAX_TEAMS;
use crate::transport::node::deadlock::EnteredCall;
use crate::transport::{Endpoint, Groups, Meeting, Meetings, Members, Routines, layout};

/// A set of PEs with numbers of their own, from 0 on.
///
/// The PEs of a team synchronise and perform [collectives](crate::collective!) among themselves.
/// Teams are made from a team that exists, by a collective call of all its PEs:
/// [`split_strided`](Team::split_strided), [`split_2d`](Team::split_2d),
/// [`split_list`](Team::split_list) and [`split_by_color`](Team::split_by_color). A PE that does
/// not belong to the new team gets `None`. The first team is the [world](crate::World::team).
///
/// The numbers of PEs in [`remote!`](crate::remote!) are those of the world:
/// [`world_pe`](Team::world_pe) translates, or a [context](Team::context) of the team does.
///
/// Dropping a team (`shmem_team_destroy`) is local and never waits. At most 64 teams can exist on a
/// PE at a time, including the world. A team counts until all its PEs have dropped it.
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 4)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     // 3 and 1, in this order; 0 and 2 are no members.
///     let odd = world.team().split_strided(3, -2, 2)?;
///     assert_eq!(odd.is_some(), world.my_pe() % 2 == 1);
///     if let Some(odd) = odd {
///         assert_eq!(odd.world_pe(0), 3);
///         assert_eq!(collective!(sum world.my_pe(); on odd), 4);
///     }
///     Ok(())
/// }
/// ```
#[doc(alias = "shmem_team_t")]
#[doc(alias = "shmem_team_destroy")]
pub struct Team {
    pub(crate) members: Members,
    rank: usize,
    slot: usize,
    meeting: Box<dyn Meeting>,
    /// The same on all members, and another one for each team of the slot.
    identity: u64,
    /// How many members had counted themselves out of the slot before this team, modulo 2^32.
    left_before: u32,
    calls: Calls,
    /// The place of a collective call of the team that a thread of this PE is in; null where there
    /// is none.
    inside: AtomicPtr<Location<'static>>,
    /// The batches of the team, of this PE.
    pub(crate) batches: TeamBatches,
}

impl Team {
    /// The team of all PEs. For the start of a job.
    pub(crate) fn world(endpoint: &Endpoint) -> Team {
        let members = Members::Strided { start: 0, stride: 1, len: endpoint.facts.n_pes };
        Team::in_slot(endpoint, layout::WORLD, members, endpoint.facts.my_pe)
    }

    /// The teams of `groups`. For the start of a job.
    pub(crate) fn of_groups(endpoint: &Endpoint, groups: Groups) -> [Team; 2] {
        let me = endpoint.facts.my_pe;
        [(layout::SHARED, groups.shared), (layout::NODE, groups.node)].map(|(slot, pes)| {
            let members = Members::of(pes);
            let rank = members.rank_of(me).expect("a PE belongs to its own groups");
            Team::in_slot(endpoint, slot, members, rank)
        })
    }

    /// A team in a slot that is free on all members. All members must call it before any of them
    /// uses the team.
    fn in_slot(endpoint: &Endpoint, slot: usize, members: Members, rank: usize) -> Team {
        let left_before = slots::left(endpoint.transport, members.pe(0), slot);
        let pes: Vec<usize> = (0..members.len()).map(|rank| members.pe(rank)).collect();
        let offset = layout::slot(slot);
        let identity = hash((pes, left_before));
        let meeting = endpoint.meetings.meeting(offset, &members, rank, identity);
        Team {
            members,
            rank,
            slot,
            meeting,
            identity,
            left_before,
            calls: Calls::new(offset),
            inside: AtomicPtr::default(),
            batches: TeamBatches::of_team(identity),
        }
    }

    /// Returns the number of this PE in the team (`shmem_team_my_pe`). Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let reversed = world.team().split_list(&[2, 1, 0])?.unwrap();
    ///     assert_eq!(reversed.my_pe(), 2 - world.my_pe());
    ///     Ok(())
    /// }
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias = "shmem_team_my_pe")]
    pub fn my_pe(&self) -> usize {
        self.rank
    }

    /// Returns the number of PEs of the team (`shmem_team_n_pes`). Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     if let Some(team) = world.team().split_list(&[0, 2])? {
    ///         assert_eq!(team.n_pes(), 2);
    ///         assert_eq!(world.n_pes(), 3);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias = "shmem_team_n_pes")]
    pub fn n_pes(&self) -> usize {
        self.members.len()
    }

    /// Returns the number in the world of the team's PE `pe` (`shmem_team_translate_pe`). Not
    /// collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static INBOX: usize = 0;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     if let Some(odd) = world.team().split_list(&[1, 3])? {
    ///         let other = odd.world_pe(1 - odd.my_pe()); // `remote!` takes numbers of the world
    ///         remote!(INBOX[other]) = world.my_pe();
    ///         odd.barrier();
    ///         assert_eq!(local!(INBOX), other);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the team has no such PE.
    #[must_use]
    #[track_caller]
    #[doc(alias = "shmem_team_translate_pe")]
    pub fn world_pe(&self, pe: usize) -> usize {
        self.check_pe(pe, "the PE to translate");
        self.members.pe(pe)
    }

    /// Returns the number in `other` of the team's PE `pe` (`shmem_team_translate_pe`). Not
    /// collective.
    ///
    /// Returns `None` if that PE does not belong to `other`.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let reversed = world.team().split_list(&[3, 2, 1, 0])?.unwrap();
    ///     if let Some(odd) = world.team().split_list(&[1, 3])? {
    ///         assert_eq!(odd.translate(1, &reversed), Some(0)); // both are PE 3 of the world
    ///         assert_eq!(reversed.translate(1, &odd), None); // PE 2 of the world
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When this team has no such PE.
    #[must_use]
    #[track_caller]
    #[doc(alias = "shmem_team_translate_pe")]
    pub fn translate(&self, pe: usize, other: &Team) -> Option<usize> {
        other.members.rank_of(self.world_pe(pe))
    }

    /// Returns the numbers in the world of the team's PEs, in the order of the team. Not
    /// collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     if let Some(odd) = world.team().split_strided(3, -2, 2)? {
    ///         assert!(odd.world_pes().eq([3, 1]));
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn world_pes(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        (0..self.n_pes()).map(|pe| self.members.pe(pe))
    }

    /// Synchronises the PEs of the team (`shmem_team_sync`). Collective.
    ///
    /// It completes local stores only. Puts to other PEs may not have arrived, unless this PE
    /// called [`quiet`](crate::World::quiet) before. [`barrier`](Team::barrier) does both.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static MINE: usize = 0;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let (row, _) = world.team().split_2d(2)?;
    ///     local!(MINE) = world.my_pe() + 1;
    ///     row.sync(); // each row by itself
    ///     let other = row.world_pe(1 - row.my_pe());
    ///     assert_eq!(remote!(MINE[other]), other + 1);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When another thread of this PE is in a collective call of the same team. In a checked run
    /// (see [`collective!`](crate::collective!)), also when the PEs are in different collective
    /// calls.
    #[track_caller]
    #[doc(alias = "shmem_team_sync")]
    #[doc(alias = "shmem_sync")]
    pub fn sync(&self) {
        let _inside = self.enter("sync", place::caller());
        let _span = self.check("sync");
        self.sync_unchecked();
    }

    /// Completes this PE's puts and atomic updates, and synchronises the PEs of the team.
    /// Collective.
    ///
    /// OpenSHMEM has no barrier of a team. This is `shmem_quiet` and then `shmem_team_sync`.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static INBOX: usize = 0;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let (row, _) = world.team().split_2d(2)?;
    ///     let other = row.world_pe(1 - row.my_pe());
    ///     remote!(INBOX[other]) = world.my_pe();
    ///     row.barrier(); // after it the put of the other PE has arrived
    ///     assert_eq!(local!(INBOX), other);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`sync`](Team::sync).
    #[track_caller]
    #[doc(alias = "shmem_barrier")]
    pub fn barrier(&self) {
        let _inside = self.enter("barrier", place::caller());
        let _span = self.check("barrier");
        self.barrier_unchecked();
    }

    /// The end of the batch that began at `place`: a barrier of the team. Collective.
    pub(crate) fn end_batch(&self, place: &'static Location<'static>) {
        let _inside = self.enter("batch", place);
        let _span = self.check_at("batch", place);
        self.barrier_unchecked();
    }

    /// Records that this thread begins a collective call of the team.
    #[inline]
    #[track_caller]
    pub(crate) fn enter(&self, what: &'static str, at: &'static Location<'static>) -> EnteredCall<'_> {
        EnteredCall::enter(&self.inside, what, at)
    }

    /// Synchronises, without the checks.
    #[inline]
    #[track_caller]
    pub(crate) fn sync_unchecked(&self) {
        if closed::is_closed() {
            return self.meet_in_phase().sync_all();
        }
        self.meeting.sync();
    }

    /// Completes this PE's puts and updates and synchronises, without the checks.
    #[inline]
    #[track_caller]
    pub(crate) fn barrier_unchecked(&self) {
        if closed::is_closed() {
            return self.meet_in_phase().barrier_all();
        }
        self.meeting.barrier();
    }

    /// Synchronises, and has what this PE has put to members in this call be there for the member that got it:
    /// see [`Meeting::deliver`](crate::transport::Meeting::deliver).
    #[track_caller]
    pub(crate) fn deliver(&self) {
        debug_assert!(!closed::is_closed(), "a call that moves data was refused");
        self.meeting.deliver();
    }

    /// Runs `meanwhile`, which needs no other PE, between the first and the second half of a
    /// synchronisation.
    #[track_caller]
    pub(crate) fn sync_around<R>(&self, meanwhile: impl FnOnce() -> R) -> R {
        debug_assert!(!closed::is_closed(), "a call that moves data was refused");
        let visit = self.meeting.arrive();
        let result = meanwhile();
        self.meeting.wait(visit);
        result
    }

    /// Where the team meets in a local phase. Only the world can: the counters of teams are in the heaps.
    #[cold]
    #[track_caller]
    fn meet_in_phase(&self) -> &'static dyn Meetings {
        if !self.is_world() {
            closed::refuse_call("a synchronisation of a team that is not the world");
        }
        runtime::get().endpoint().meetings
    }

    /// Whether this is the team of all PEs that every job has.
    #[inline]
    pub(crate) fn is_world(&self) -> bool {
        self.slot == layout::WORLD
    }

    /// See [`Meeting::routines`].
    pub(crate) fn routines(&self) -> Option<&dyn Routines> {
        self.meeting.routines()
    }

    /// See [`Meeting::exchange_pair`].
    pub(crate) fn exchange_pair(&self, value: [u64; 2]) -> Option<[u64; 2]> {
        self.meeting.exchange_pair(value)
    }

    /// The number of the team's slot.
    pub(crate) fn slot(&self) -> usize {
        self.slot
    }

    /// The offset of the team's slot, in the heap of each member.
    pub(crate) fn slot_offset(&self) -> usize {
        layout::slot(self.slot)
    }

    /// Panics when the team has no PE `pe`; `what` names the role of the PE in the message.
    #[inline]
    #[track_caller]
    pub(crate) fn check_pe(&self, pe: usize, what: &str) {
        if pe >= self.n_pes() {
            self.no_such_pe(pe, what);
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(crate) fn no_such_pe(&self, pe: usize, what: &str) -> ! {
        let n_pes = self.n_pes();
        panic!("{what} is {pe}, and the team has {}", pes_of(n_pes))
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        if self.is_world() {
            return;
        }
        let all_left = self.left_before.wrapping_add(self.members.len() as u32);
        let runtime = runtime::get();
        runtime.slots().leave(runtime.endpoint(), self.slot, self.members.pe(0), all_left);
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PE {} of a team of {:?}", self.rank, self.members)
    }
}
