//! Collective calls on streams: what `collective!(stream; …)` expands to.

use std::any::TypeId;
use std::panic::Location;

use shmem_gpu::nvshmem::DeviceCollective;

use super::stream::{Stream, Streaming};
use super::team::{CollectiveRoutine, GpuTeam};
use crate::collective::{Fits, Moved};
use crate::context::Context;
use crate::number::ReducedBy;
use crate::remote::Remote;
use crate::remote::stream::OnStream;
use crate::runtime::team::Team;
use crate::select::OnOnePe;
use crate::symmetric::{Item, Symmetric};
use crate::transport::operation::Operation;

/// The team of a collective call on a stream, or a reference to one.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no team of streams",
    label = "not a `GpuTeam`",
    note = "collective calls on a stream take a team that is made for them: `let team = gpu.team(&team)?;`, by all PEs of the team"
)]
pub trait OnGpuTeam {
    /// The team.
    fn gpu_team(&self) -> &GpuTeam;
}

#[diagnostic::do_not_recommend]
impl OnGpuTeam for GpuTeam {
    fn gpu_team(&self) -> &GpuTeam {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T: OnGpuTeam + ?Sized> OnGpuTeam for &T {
    fn gpu_team(&self) -> &GpuTeam {
        (**self).gpu_team()
    }
}

type OnThisStream = Context<'static, Streaming>;

/// Issues `call`, of `team` or of the world.
#[track_caller]
fn issue(
    stream: &OnThisStream,
    team: Option<&GpuTeam>,
    what: &'static str,
    routine: CollectiveRoutine,
    call: impl FnOnce(&Team) + Send + 'static,
) {
    let team = team.unwrap_or_else(|| Stream::world_of(stream));
    team.issue(Stream::lane_of(stream), (what, Location::caller()), routine, call);
}

/// NVSHMEM's routine for elements, if it has one.
#[track_caller]
fn routine<T: Item, U: Item, F: OnOnePe, G: OnOnePe>(
    routine: Option<DeviceCollective>,
    to: &Elements<'_, '_, T, F>,
    from: &Elements<'_, '_, U, G>,
) -> CollectiveRoutine {
    CollectiveRoutine { routine, elements: Some((to.spot(), from.spot())) }
}

/// NVSHMEM's routine that moves no elements.
fn meeting(routine: DeviceCollective) -> CollectiveRoutine {
    CollectiveRoutine { routine: Some(routine), elements: None }
}

/// What NVSHMEM calls a type that it reduces by `operation`.
fn kind<T: 'static>(operation: Operation) -> Option<&'static str> {
    macro_rules! kinds {
        ($($(#[$attribute:meta])* $kind:ty: $name:literal;)*) => {$(
            $(#[$attribute])*
            if TypeId::of::<T>() == TypeId::of::<$kind>() {
                return Some($name);
            }
        )*};
    }
    kinds! {
        u8: "uint8"; u16: "uint16"; u32: "uint32"; u64: "uint64"; usize: "uint64";
        i8: "int8"; i16: "int16"; i32: "int32"; i64: "int64"; isize: "int64";
    }
    // A NaN is left out here, and what NVSHMEM does with one is not said.
    if !matches!(operation, Operation::Min | Operation::Max) {
        kinds! {
            f32: "float"; f64: "double";
            #[cfg(feature = "half")] half::f16: "half";
            #[cfg(feature = "half")] half::bf16: "bfloat16";
        }
    }
    None
}

/// Elements of this PE's own copy.
type Elements<'r, 's, T, F> = Remote<'r, T, F, OnStream<'s>>;

/// Refuses `n` elements of an all-to-all among `pes` PEs, where they are not a block for each.
#[track_caller]
pub(super) fn check_blocks(n: usize, pes: usize) {
    assert!(
        n.is_multiple_of(pes),
        "`alltoall` moves a block of equal length for each PE, and {n} elements are no multiple of {pes} PEs"
    );
}

/// Refuses lengths that do not fit, when the call is issued.
#[track_caller]
fn check<T: Symmetric, F: OnOnePe, G: OnOnePe>(
    what: &str,
    to: &Elements<'_, '_, T, F>,
    from: &Elements<'_, '_, T, G>,
    blocks: usize,
) {
    let (n, m) = (to.count(), from.count());
    let times = if blocks == 1 { String::new() } else { format!("{blocks} times ") };
    assert!(
        Some(n) == m.checked_mul(blocks),
        "the destination of `{what}` has {n} elements, and the source {m}: the destination is {times}as long as the source"
    );
}

/// What `collective!(stream; …)` calls. `team` is `None` for the world.
#[doc(hidden)]
pub mod calls {
    use super::{
        DeviceCollective, Elements, Fits, GpuTeam, Moved, OnOnePe, OnThisStream, ReducedBy, Stream, check,
        check_blocks, issue, kind, meeting, routine,
    };

    pub use super::OnGpuTeam;

    /// `DST[..] = sum SRC[..]`
    #[track_caller]
    pub fn reduce<
        O: Send + 'static,
        T: ReducedBy<O>,
        F: OnOnePe + Send + 'static,
        G: Fits<F> + Send + 'static,
    >(
        stream: &OnThisStream,
        team: Option<&GpuTeam>,
        operation: O,
        to: Elements<'_, '_, T, F>,
        from: Elements<'_, '_, T, G>,
    ) {
        check(T::NAME, &to, &from, 1);
        let call = kind::<T>(T::OPERATION).map(|kind| DeviceCollective::Reduce { kind, operation: T::NAME });
        let routine = routine(call, &to, &from);
        let (to, from) = (to.held(), from.held());
        issue(stream, team, T::NAME, routine, move |team| {
            team.reduce(operation, to.elements(), from.elements())
        });
    }

    /// `DST[..] = reduce_scatter sum SRC[..]`
    #[track_caller]
    pub fn reduce_scatter<
        O: Send + 'static,
        T: ReducedBy<O>,
        F: OnOnePe + Send + 'static,
        G: OnOnePe + Send + 'static,
    >(
        stream: &OnThisStream,
        team: Option<&GpuTeam>,
        operation: O,
        to: Elements<'_, '_, T, F>,
        from: Elements<'_, '_, T, G>,
    ) {
        let (n, m, pes) = (to.count(), from.count(), members(stream, team));
        assert!(
            n.checked_mul(pes) == Some(m),
            "the source of `reduce_scatter` has {m} elements; it needs {n} for each of {pes} PEs, as many as the destination has"
        );
        let call = kind::<T>(T::OPERATION);
        let call = call.map(|kind| DeviceCollective::ReduceScatter { kind, operation: T::NAME });
        let routine = routine(call, &to, &from);
        let (to, from) = (to.held(), from.held());
        issue(stream, team, "reduce_scatter", routine, move |team| {
            team.reduce_scatter(operation, to.elements(), from.elements());
        });
    }

    /// `DST[..] = broadcast SRC[..] from root`
    #[track_caller]
    pub fn broadcast<T: Moved, F: OnOnePe + Send + 'static, G: Fits<F> + Send + 'static>(
        stream: &OnThisStream,
        team: Option<&GpuTeam>,
        to: Elements<'_, '_, T, F>,
        from: Elements<'_, '_, T, G>,
        root: usize,
    ) {
        team_of(stream, team).members().check_pe(root, "the root of a broadcast");
        check("broadcast", &to, &from, 1);
        let routine = routine(Some(DeviceCollective::Broadcast { root }), &to, &from);
        let (to, from) = (to.held(), from.held());
        issue(stream, team, "broadcast", routine, move |team| {
            team.broadcast(to.elements(), from.elements(), root)
        });
    }

    /// `DST[..] = fcollect SRC[..]`
    #[track_caller]
    pub fn fcollect<T: Moved, F: OnOnePe + Send + 'static, G: OnOnePe + Send + 'static>(
        stream: &OnThisStream,
        team: Option<&GpuTeam>,
        to: Elements<'_, '_, T, F>,
        from: Elements<'_, '_, T, G>,
    ) {
        check("fcollect", &to, &from, members(stream, team));
        let routine = routine(Some(DeviceCollective::Fcollect), &to, &from);
        let (to, from) = (to.held(), from.held());
        issue(stream, team, "fcollect", routine, move |team| team.fcollect(to.elements(), from.elements()));
    }

    /// `DST[..] = alltoall SRC[..]`
    #[track_caller]
    pub fn alltoall<T: Moved, F: OnOnePe + Send + 'static, G: Fits<F> + Send + 'static>(
        stream: &OnThisStream,
        team: Option<&GpuTeam>,
        to: Elements<'_, '_, T, F>,
        from: Elements<'_, '_, T, G>,
    ) {
        let pes = members(stream, team);
        check("alltoall", &to, &from, 1);
        check_blocks(to.count(), pes);
        let routine = routine(Some(DeviceCollective::Alltoall), &to, &from);
        let (to, from) = (to.held(), from.held());
        issue(stream, team, "alltoall", routine, move |team| team.alltoall(to.elements(), from.elements()));
    }

    /// `barrier`
    #[track_caller]
    pub fn barrier(stream: &OnThisStream, team: Option<&GpuTeam>) {
        issue(stream, team, "barrier", meeting(DeviceCollective::Barrier), |team| team.barrier());
    }

    /// `sync`
    #[track_caller]
    pub fn sync(stream: &OnThisStream, team: Option<&GpuTeam>) {
        issue(stream, team, "sync", meeting(DeviceCollective::Sync), |team| team.sync());
    }

    /// How many PEs make the call.
    fn members(stream: &OnThisStream, team: Option<&GpuTeam>) -> usize {
        team_of(stream, team).n_pes()
    }

    /// The team that makes the call.
    fn team_of<'a>(stream: &'a OnThisStream, team: Option<&'a GpuTeam>) -> &'a GpuTeam {
        team.unwrap_or_else(|| Stream::world_of(stream))
    }
}
