//! Arrays with ghost cells: a global array in blocks, and around each part copies of the cells next to
//! it.
//!
//! * `mod.rs`: [`HaloArray`];
//! * `made.rs`: the allocation;
//! * `fixed.rs`: statics;
//! * `refresh.rs`: the exchange with the neighbours;
//! * `plan.rs`: which ghost cells come from where;
//! * `view.rs`: the part and its ghost cells in a local phase.

mod fixed;
mod made;
mod plan;
mod refresh;
mod view;

use std::fmt;
use std::sync::atomic::AtomicUsize;

pub use self::fixed::{HaloElementOf, HaloStatic, HaloType, check_halo, register_filled_halo, register_halo};
use self::plan::HaloPlan;
use self::view::HaloFrame;
pub use self::view::{HaloView, HaloViewMut};
use crate::array::SymmetricArray;
use crate::collective::{Global, OneAxis};
use crate::global::{GlobalArray, GlobalObject, GlobalStatic, sealed};
use crate::phase::{Plain, Whole};
use crate::remedies::{HasGhosts, NoGhosts};
use crate::runtime::direct;
pub use crate::runtime::parts::Halo;
use crate::runtime::parts::{GhostRoom, Parts};
use crate::symmetric::ObjectInfo;
use crate::symmetric::shape::{MAX_RANK, Rank, Ranked};
use crate::system::error::Error;

/// Ranks that an array with ghost cells can have: 1 and 2.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no rank of an array with ghost cells",
    label = "ghost cells are for arrays of rank 1 and 2",
    note = "divide the other axes among the elements: an element may be an array, as in `halo_array::<[f64; 8], 2>`"
)]
pub trait HaloRank: Ranked {}
#[diagnostic::do_not_recommend]
impl HaloRank for Rank<1> {}
#[diagnostic::do_not_recommend]
impl HaloRank for Rank<2> {}

/// A global array in blocks, of rank 1 or 2, with ghost cells around each part.
///
/// [`World::halo_array`](crate::World::halo_array) makes it. The ghost cells of a part are copies of the cells next to it, which
/// other PEs hold, as a stencil needs them. [`refresh`](HaloArray::refresh) makes them new. In a [local
/// phase](crate::phase), a PE borrows its part together with them: [`view`](HaloArray::view). The cells
/// of the whole array are also reached as those of a [`GlobalArray`](crate::GlobalArray):
/// `remote!(T[@i, j])`, and with ranges and lists.
///
/// ```
/// use shmem::Halo;
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 3)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let [old, new] =
///         [(); 2].map(|()| world.halo_array::<f64, 1>([30], Distribution::Block, Halo::fixed(1)));
///     let (mut old, mut new) = (old?, new?);
///     if world.my_pe() == 0 {
///         remote!(old[@15]) = 8.0;
///     }
///     world.barrier_all();
///     for _ in 0..3 {
///         old.refresh();
///         world.local_phase(|p| {
///             let (old, mut new) = (old.view(p), new.view_mut(p));
///             for i in 0..new.part_extents()[0] as isize {
///                 new[i] = (old[i - 1] + old[i + 1]) / 2.0;
///             }
///         });
///         std::mem::swap(&mut old, &mut new);
///     }
///     assert_eq!(remote!(old[@12..=18]), [1.0, 0.0, 3.0, 0.0, 3.0, 0.0, 1.0]);
///     Ok(())
/// }
/// ```
pub struct HaloArray<T: Plain, const R: usize> {
    /// What was allocated for it, the cells and the inbox; nothing for a static.
    allocated: Option<[SymmetricArray<T, 2>; 2]>,
    /// Where the first row of all cells begins in each heap, and where the inbox does, which has two
    /// places for each ghost cell.
    cells_at: usize,
    inbox_at: usize,
    room: GhostRoom,
    parts: Parts,
    frame: HaloFrame,
    halo: Halo,
    plan: HaloPlan,
    /// How many refreshes there were.
    refreshes: AtomicUsize,
    info: ObjectInfo,
}

impl<T: Plain, const R: usize> HaloArray<T, R> {
    /// The array in memory of so much room, which begins as zeros.
    fn new(
        allocated: Option<[SymmetricArray<T, 2>; 2]>,
        [cells_at, inbox_at]: [usize; 2],
        (parts, room, halo): (Parts, GhostRoom, Halo),
        info: ObjectInfo,
    ) -> HaloArray<T, R> {
        let (me, n_pes) = (direct::my_pe(), direct::n_pes());
        let parts = parts.with_room(room.room[1]);
        let [rows, columns, ..] = parts.held(me);
        let frame = HaloFrame { held: [rows, columns], widths: room.widths, pitch: room.pitch() };
        let plan = HaloPlan::new(&parts, room.widths, halo.is_periodic(), me, n_pes);
        let refreshes = AtomicUsize::new(0);
        HaloArray { allocated, cells_at, inbox_at, room, parts, frame, halo, plan, refreshes, info }
    }
}

/// The part and its ghost cells.
impl<T: Plain, const R: usize> Whole for HaloArray<T, R> {
    type Item = T;
    fn whole(&self) -> (usize, usize, &ObjectInfo) {
        (self.cells_at, self.room.cells(), &self.info)
    }
}

impl<T: Plain, const R: usize> HaloArray<T, R>
where
    Rank<R>: HaloRank,
{
    /// Returns the ghost cells that the array was made with. Not collective.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let ring = world.halo_array::<f64, 1>([10], Distribution::Block, Halo::periodic(2))?;
    ///     assert_eq!(ring.halo(), Halo::periodic(2));
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn halo(&self) -> Halo {
        self.halo
    }

    /// Frees the memory at once (`shmem_free`). Collective: every PE frees its handle of the same
    /// array.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let free = world.heap_free();
    ///     world.halo_array::<f64, 1>([1000], Distribution::Block, Halo::fixed(1))?.free()?;
    ///     assert_eq!(world.heap_free(), free);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When the PEs are in different collective memory calls, and when they free different arrays.
    #[track_caller]
    #[doc(alias = "shmem_free")]
    pub fn free(self) -> Result<(), Error> {
        let Some([cells, inbox]) = self.allocated else { return Ok(()) };
        cells.free()?;
        inbox.free()
    }
}

impl<T: Plain, const R: usize> fmt::Debug for HaloArray<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.info)
    }
}

impl<T: Plain, const R: usize> sealed::SealedGlobal for HaloArray<T, R> where Rank<R>: HaloRank {}

#[diagnostic::do_not_recommend]
#[allow(private_interfaces, reason = "called by this crate only")]
impl<T: Plain, const R: usize> GlobalObject for HaloArray<T, R>
where
    Rank<R>: HaloRank,
{
    type Item = T;
    type Value = T;
    type Index = <Rank<R> as Ranked>::Index;
    type Extents = [usize; R];
    fn extents_of(all: [usize; MAX_RANK]) -> [usize; R] {
        std::array::from_fn(|axis| all[axis])
    }
    type Shape = <Rank<R> as Ranked>::Shape;
    #[inline(always)]
    fn whole(&self) -> (Self::Shape, &ObjectInfo) {
        (Rank::<R>::shape(&self.parts.extents()), &self.info)
    }
    #[inline(always)]
    fn offset(&self) -> usize {
        self.cells_at + self.room.first() * size_of::<T>()
    }
    #[inline(always)]
    fn parts(&self) -> &Parts {
        &self.parts
    }
    #[inline(always)]
    unsafe fn locate(&self, index: [usize; MAX_RANK]) -> (usize, usize) {
        let [rows, columns, ..] = &self.parts.axes;
        let ((down, row), (right, column)) = (rows.locate(index[0]), columns.locate(index[1]));
        (self.parts.pe([down, right, 0, 0]), (row * self.frame.pitch + column) * size_of::<T>())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Plain, const R: usize> Global for HaloArray<T, R> where Rank<R>: HaloRank {}

crate::remedies::methods! {
    [T: Plain, const R: usize] HaloArray<T, R>, [for<'x> &'x Self: HasGhosts] =>
        as_slice(A) as_mut_slice(A) mine_mut(A);
    [I, const R: usize] GlobalArray<I, R>, [for<'x> &'x Self: NoGhosts] => refresh() view(A) view_mut(A) halo();
    [T, D] GlobalStatic<T, D>, [for<'x> &'x Self: NoGhosts] => refresh() view(A) view_mut(A) halo();
}

#[diagnostic::do_not_recommend]
impl<T: Plain> OneAxis for HaloArray<T, 1> {}
