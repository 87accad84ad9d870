//! Collective calls on streams: what `collective!(stream; …)` expands to.

use std::panic::Location;

use super::stream::{Stream, Streaming};
use super::team::GpuTeam;
use crate::collective::{Fits, Moved};
use crate::context::Context;
use crate::number::ReducedBy;
use crate::remote::Remote;
use crate::remote::stream::OnStream;
use crate::runtime::direct;
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

impl GpuTeam {
    /// Reduces the elements of all PEs of the team, place by place, and writes one block of the result
    /// on each PE, when the stream comes to it (`nvshmemx_float_sum_reducescatter_on_stream`).
    /// Collective over the team.
    ///
    /// The caller does not wait. Both selections are this PE's own copies, on one stream:
    /// `remote!(stream; &D[me, sel])`. The source is as long as all destinations together: PE `p` of
    /// the team gets the reduced elements from `p * destination.len()` on. The operations are those of
    /// [`shmem::reduction`](crate::reduction).
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::reduction::Sum;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let (gpu, me) = (world.gpu()?, world.my_pe());
    ///     let (stream, team) = (gpu.stream()?, gpu.team(world.team())?);
    ///     let (all, mine) = (gpu.from_slice(&[1_u32, 2, 3, 4])?, gpu.zeros::<u32, 1>([2])?);
    ///     let (to, from) = (remote!(stream; &mine[me, ..]), remote!(stream; &all[me, ..]));
    ///     team.reduce_scatter(Sum, to, from);
    ///     // The sums are 2, 4, 6 and 8. PE 0 gets the first two, PE 1 the others.
    ///     assert_eq!(mine.to_vec(&stream)?, [[2, 4], [6, 8]][me]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the lengths do not fit, when a selection is of another PE's copy, and when the two are on
    /// different streams.
    #[track_caller]
    #[doc(alias = "nvshmemx_float_sum_reducescatter_on_stream")]
    pub fn reduce_scatter<
        O: Send + 'static,
        T: ReducedBy<O>,
        F: OnOnePe + Send + 'static,
        G: OnOnePe + Send + 'static,
    >(
        &self,
        operation: O,
        destination: Remote<'_, T, F, OnStream<'_>>,
        source: Remote<'_, T, G, OnStream<'_>>,
    ) {
        let ((to_pe, to, stream), (from_pe, from, other)) = (destination.whereabouts(), source.whereabouts());
        let me = direct::my_pe();
        for (role, pe, info) in [("destination", to_pe, to), ("source", from_pe, from)] {
            assert!(
                pe == me,
                "a collective is between the own copies of its PEs: the {role}, in {info}, is that of PE {pe}, and this is PE {me}"
            );
        }
        assert!(
            stream.is_on_the_stream_of(other),
            "the destination of `reduce_scatter`, in {to}, and its source, in {from}, are selected on different streams"
        );
        let (n, m, pes) = (destination.count(), source.count(), self.n_pes());
        assert!(
            n.checked_mul(pes) == Some(m),
            "the source of `reduce_scatter`, in {from}, has {m} elements; it needs {n} for each of {pes} PEs, as many as the \
             destination in {to} has"
        );
        let (to, from) = (destination.held(), source.held());
        self.issue(stream.lane(), "reduce_scatter", Location::caller(), move |team| {
            team.reduce_scatter(operation, to.elements(), from.elements());
        });
    }
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
