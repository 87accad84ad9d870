//! Collective calls on streams: what `collective!(stream; …)` expands to.

use std::panic::Location;

use super::stream::{Stream, Streaming};
use super::team::GpuTeam;
use crate::collective::{Fits, Moved};
use crate::context::Context;
use crate::number::ReducedBy;
use crate::remote::Remote;
use crate::remote::stream::OnStream;
use crate::runtime::team::Team;
use crate::select::OnOnePe;
use crate::symmetric::Symmetric;

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
    call: impl FnOnce(&Team) + Send + 'static,
) {
    let team = team.unwrap_or_else(|| Stream::world_of(stream));
    team.issue(Stream::lane_of(stream), what, Location::caller(), call);
}

/// Elements of this PE's own copy.
type Elements<'r, 's, T, F> = Remote<'r, T, F, OnStream<'s>>;

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
    use super::{Elements, Fits, GpuTeam, Moved, OnOnePe, OnThisStream, ReducedBy, Stream, check, issue};

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
        let (to, from) = (to.held(), from.held());
        issue(stream, team, T::NAME, move |team| team.reduce(operation, to.elements(), from.elements()));
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
        let (to, from) = (to.held(), from.held());
        issue(stream, team, "reduce_scatter", move |team| {
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
        let pes = members(stream, team);
        assert!(
            root < pes,
            "the root of a broadcast is {root}, and the team has {pes} PEs (0 to {})",
            pes - 1
        );
        check("broadcast", &to, &from, 1);
        let (to, from) = (to.held(), from.held());
        issue(stream, team, "broadcast", move |team| team.broadcast(to.elements(), from.elements(), root));
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
        let (to, from) = (to.held(), from.held());
        issue(stream, team, "fcollect", move |team| team.fcollect(to.elements(), from.elements()));
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
        let n = to.count();
        assert!(
            n.is_multiple_of(pes),
            "`alltoall` moves a block of equal length for each PE, and {n} elements are no multiple of {pes} PEs"
        );
        let (to, from) = (to.held(), from.held());
        issue(stream, team, "alltoall", move |team| team.alltoall(to.elements(), from.elements()));
    }

    /// `barrier`
    #[track_caller]
    pub fn barrier(stream: &OnThisStream, team: Option<&GpuTeam>) {
        issue(stream, team, "barrier", |team| team.barrier());
    }

    /// `sync`
    #[track_caller]
    pub fn sync(stream: &OnThisStream, team: Option<&GpuTeam>) {
        issue(stream, team, "sync", |team| team.sync());
    }

    /// How many PEs make the call.
    fn members(stream: &OnThisStream, team: Option<&GpuTeam>) -> usize {
        team.unwrap_or_else(|| Stream::world_of(stream)).n_pes()
    }
}
