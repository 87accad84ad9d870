//! Collective calls in a kernel: `collective!(block; to[..] = sum from[..]; on team)`.
//!
//! On the back end `host` one thread of the group makes the call of the host's team, while the
//! others wait. NVSHMEM makes one call of a team at a time, so a launch has the turn of each of its
//! teams from its begin to its end.

use std::cell::RefCell;
use std::fmt;

use shmem_gpu::kernel::{self, JointTask, ThreadScope};

use super::memory::GlobalMemory;
use super::ranges::{KernelAxis, KernelPiece, own, task};
use crate::collective::Moved;
use crate::gpu::GpuTeam;
use crate::gpu::collective::check_blocks;
use crate::number::ReducedBy;
use crate::remote::Remote;
use crate::runtime::team::Team;
use crate::select::Many;
use crate::symmetric::Item;

/// A team in a kernel: the type of the parameter for which a launch takes a [`GpuTeam`].
///
/// In a kernel it is written `GpuTeam`. It stands after `; on` of a collective call, and has
/// `my_pe()` and `n_pes()`.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct KernelTeam<'a>(&'a GpuTeam);

impl fmt::Debug for KernelTeam<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'a> KernelTeam<'a> {
    pub(super) fn of(team: &'a GpuTeam) -> Self {
        KernelTeam(team)
    }

    /// The number of this PE in the team.
    #[must_use]
    pub fn my_pe(&self) -> usize {
        self.0.my_pe()
    }

    /// How many PEs the team has.
    #[must_use]
    pub fn n_pes(&self) -> usize {
        self.0.n_pes()
    }
}

thread_local! {
    /// The team of calls without a team, in a thread of a launch that makes such calls.
    static WORLD: RefCell<Option<GpuTeam>> = const { RefCell::new(None) };
}

/// Does `work`, whose collective calls without a team are those of `world`.
pub(super) fn in_world<R>(world: Option<&GpuTeam>, work: impl FnOnce() -> R) -> R {
    WORLD.set(world.cloned());
    work()
}

/// The team of a call.
///
/// # Panics
///
/// Outside of a launch, for a call without a team.
#[track_caller]
fn team_of(team: Option<&KernelTeam<'_>>) -> GpuTeam {
    match team {
        Some(team) => team.0.clone(),
        None => WORLD.with_borrow(Clone::clone).unwrap_or_else(|| {
            panic!("`collective!` was called outside of a launch: a kernel runs by `kernel.launch(…)`")
        }),
    }
}

/// Makes a call of `team`, which all threads of `scope` come to with the same `task`.
#[track_caller]
fn make(scope: ThreadScope, team: &GpuTeam, task: JointTask, call: impl FnOnce(&Team)) {
    kernel::collective(scope, team.identity(), task, || call(team.members()));
}

/// Refuses lengths that do not fit, and elements that NVSHMEM does not take.
#[track_caller]
fn check<I: Item>(
    word: &str,
    to: &KernelPiece<'_, I>,
    from: &KernelPiece<'_, I>,
    (to_blocks, from_blocks): (usize, usize),
    may_be_one: bool,
) {
    let [n, m] = [to.count, from.count];
    assert!(
        n.checked_mul(from_blocks) == m.checked_mul(to_blocks),
        "the destination of `{word}` has {n} elements, and the source {m}: for {} PEs, {}",
        to_blocks.max(from_blocks),
        match (to_blocks, from_blocks) {
            (1, 1) => "both have as many",
            (_, 1) => "the destination has a block as long as the source for each PE",
            _ => "the source has a block as long as the destination for each PE",
        }
    );
    let size = size_of::<I::Value>();
    let [to, from] = [to, from].map(|piece| piece.offset..piece.offset + piece.count * size);
    assert!(
        to.is_empty() || to.end <= from.start || from.end <= to.start || may_be_one && to == from,
        "the destination and the source of `{word}` overlap, which NVSHMEM does not take: use two arrays{}",
        if may_be_one { ", or the same elements as both" } else { "" }
    );
}

/// Makes a call that moves elements, which `call` gets.
#[track_caller]
fn exchange<'a, I: Item>(
    scope: ThreadScope,
    team: &GpuTeam,
    root: usize,
    to: KernelPiece<'a, I>,
    from: KernelPiece<'a, I>,
    call: impl FnOnce(&Team, Remote<'a, I, Many>, Remote<'a, I, Many>),
) {
    let task = task(team.identity() as u64, root, &to, &from);
    make(scope, team, task, |team| call(team, to.elements, from.elements));
}

#[doc(hidden)]
impl<I: Item, const R: usize> GlobalMemory<'_, I, R> {
    /// `collective!(scope; object[axes] = sum from[axes]; on team)`
    #[track_caller]
    pub fn reduce<O, const S: usize>(
        &self,
        (scope, team): (ThreadScope, Option<&KernelTeam<'_>>),
        operation: O,
        axes: [KernelAxis; R],
        from: &GlobalMemory<'_, I, S>,
        from_axes: [KernelAxis; S],
    ) where
        I: ReducedBy<O>,
    {
        let (to, from, team) = (own(self, axes), own(from, from_axes), team_of(team));
        check(I::NAME, &to, &from, (1, 1), true);
        exchange(scope, &team, 0, to, from, |team, to, from| team.reduce(operation, to, from));
    }

    /// `collective!(scope; object[axes] = reduce_scatter sum from[axes]; on team)`
    #[track_caller]
    pub fn reduce_scatter<O, const S: usize>(
        &self,
        (scope, team): (ThreadScope, Option<&KernelTeam<'_>>),
        operation: O,
        axes: [KernelAxis; R],
        from: &GlobalMemory<'_, I, S>,
        from_axes: [KernelAxis; S],
    ) where
        I: ReducedBy<O>,
    {
        let (to, from, team) = (own(self, axes), own(from, from_axes), team_of(team));
        check("reduce_scatter", &to, &from, (1, team.n_pes()), false);
        exchange(scope, &team, 0, to, from, |team, to, from| team.reduce_scatter(operation, to, from));
    }

    /// `collective!(scope; object[axes] = broadcast from[axes] from root; on team)`
    #[track_caller]
    pub fn broadcast<const S: usize>(
        &self,
        (scope, team): (ThreadScope, Option<&KernelTeam<'_>>),
        root: usize,
        axes: [KernelAxis; R],
        from: &GlobalMemory<'_, I, S>,
        from_axes: [KernelAxis; S],
    ) where
        I: Moved,
    {
        let (to, from, team) = (own(self, axes), own(from, from_axes), team_of(team));
        team.members().check_pe(root, "the root of a broadcast");
        check("broadcast", &to, &from, (1, 1), false);
        exchange(scope, &team, root, to, from, |team, to, from| team.broadcast(to, from, root));
    }

    /// `collective!(scope; object[axes] = fcollect from[axes]; on team)`
    #[track_caller]
    pub fn fcollect<const S: usize>(
        &self,
        (scope, team): (ThreadScope, Option<&KernelTeam<'_>>),
        axes: [KernelAxis; R],
        from: &GlobalMemory<'_, I, S>,
        from_axes: [KernelAxis; S],
    ) where
        I: Moved,
    {
        let (to, from, team) = (own(self, axes), own(from, from_axes), team_of(team));
        check("fcollect", &to, &from, (team.n_pes(), 1), false);
        exchange(scope, &team, 0, to, from, |team, to, from| team.fcollect(to, from));
    }

    /// `collective!(scope; object[axes] = alltoall from[axes]; on team)`
    #[track_caller]
    pub fn alltoall<const S: usize>(
        &self,
        (scope, team): (ThreadScope, Option<&KernelTeam<'_>>),
        axes: [KernelAxis; R],
        from: &GlobalMemory<'_, I, S>,
        from_axes: [KernelAxis; S],
    ) where
        I: Moved,
    {
        let (to, from, team) = (own(self, axes), own(from, from_axes), team_of(team));
        check("alltoall", &to, &from, (1, 1), false);
        check_blocks(to.count, team.n_pes());
        exchange(scope, &team, 0, to, from, |team, to, from| team.alltoall(to, from));
    }
}

/// `collective!(scope; barrier; on team)`
#[track_caller]
pub fn team_barrier((scope, team): (ThreadScope, Option<&KernelTeam<'_>>)) {
    let team = team_of(team);
    make(scope, &team, vec![team.identity() as u64], |team| team.barrier());
}

/// `collective!(scope; sync; on team)`
#[track_caller]
pub fn team_sync((scope, team): (ThreadScope, Option<&KernelTeam<'_>>)) {
    let team = team_of(team);
    make(scope, &team, vec![team.identity() as u64], |team| team.sync());
}
