//! Arrays with ghost cells: a global array in blocks, and around each part copies of the cells next to
//! it.
//!
//! * `mod.rs`: [`HaloArray`], and the refresh;
//! * `plan.rs`: which ghost cells come from where;
//! * `view.rs`: the part and its ghost cells in a local phase.
//!
//! # How a refresh works
//!
//! Every PE has an *inbox* with two places for each ghost cell, used in turn. A PE puts its borders into
//! the inboxes of its neighbours, meets these neighbours once, and copies its inbox to its ghost cells.
//! The second place makes one meeting enough: a neighbour writes to a place again two refreshes later,
//! and between them it has met this PE, which had emptied the place before.
//!
//! So nobody but its own PE touches a part and its ghost cells in a refresh.

mod plan;
mod view;

use std::any::type_name;
use std::borrow::Cow;
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};

use self::plan::{Border, HaloPlan};
use self::view::HaloFrame;
pub use self::view::{HaloView, HaloViewMut};
use crate::array::{SymmetricArray, impossible, is_countable, short_name};
use crate::global::{Distribution, GlobalObject, Mine, sealed};
use crate::phase::Plain;
use crate::remote::{Mode, Remote};
use crate::runtime::parts::Parts;
use crate::runtime::region::Region;
use crate::runtime::{self, direct};
use crate::select::{Form as _, Many};
use crate::symmetric::ObjectInfo;
use crate::symmetric::shape::{MAX_RANK, Rank, Ranked};
use crate::system::error::Error;
use crate::transport::Run;
use crate::transport::closed;
use crate::world::World;

/// How many ghost cells a [`HaloArray`] has on each side of a part, and what those at the ends of the
/// whole array are.
///
/// ```
/// use shmem::Halo;
///
/// assert_eq!(Halo::fixed(2).width(), 2);
/// assert_ne!(Halo::fixed(2), Halo::periodic(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Halo {
    width: usize,
    periodic: bool,
}

impl Halo {
    /// So many ghost cells on each side. Beyond the ends of the array they keep what the program
    /// writes to them, at first zeros.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let rod = world.halo_array::<f64, 1>([8], Distribution::Block, Halo::fixed(1))?;
    ///     world.local_phase(|p| rod.view_mut(p)[4] = 20.0); // warm at the right end of each part
    ///     rod.refresh(); // the neighbour's border over that in the middle
    ///     let right = world.local_phase(|p| rod.view(p)[4]);
    ///     assert_eq!(right, [0.0, 20.0][world.my_pe()]);
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub const fn fixed(width: usize) -> Halo {
        Halo { width, periodic: false }
    }

    /// So many ghost cells on each side. Beyond an end of the array are the cells of the other end.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let ring = world.halo_array::<usize, 1>([8], Distribution::Block, Halo::periodic(1))?;
    ///     remote!(ring[@0]) = 5;
    ///     world.barrier_all();
    ///     ring.refresh();
    ///     let right = world.local_phase(|p| ring.view(p)[4]);
    ///     assert_eq!(right, [0, 5][world.my_pe()]);
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub const fn periodic(width: usize) -> Halo {
        Halo { width, periodic: true }
    }

    /// Returns how many ghost cells there are on each side.
    ///
    /// ```
    /// assert_eq!(shmem::Halo::periodic(3).width(), 3);
    /// ```
    #[must_use]
    pub const fn width(self) -> usize {
        self.width
    }
}

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
/// [`World::halo_array`] makes it. The ghost cells of a part are copies of the cells next to it, which
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
    /// The part and its ghost cells, with as much room on each PE as the largest part needs.
    memory: SymmetricArray<T, 2>,
    /// Two places for each ghost cell.
    inbox: SymmetricArray<T, 2>,
    parts: Parts,
    frame: HaloFrame,
    halo: Halo,
    plan: HaloPlan,
    /// How many refreshes there were.
    refreshes: AtomicUsize,
    info: ObjectInfo,
}

impl World {
    /// Allocates one array of zeros, in blocks over all PEs, with ghost cells around each part.
    /// Collective.
    ///
    /// `extents` are those of the whole array. The `distribution` is [`Block`](Distribution::Block) or
    /// [`Block2d`](Distribution::Block2d). In rank 2 there are ghost cells on all four sides and at the
    /// corners, also where an axis is not divided. All PEs give the same arguments. See [`HaloArray`].
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let plate = world.halo_array::<f64, 2>([100, 60], Distribution::Block2d, Halo::fixed(1))?;
    ///     assert_eq!(plate.part_extents(), [50, 30]);
    ///     let wrong = world.halo_array::<f64, 1>([100], Distribution::Cyclic, Halo::fixed(1));
    ///     assert!(wrong.is_err());
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`global_array`](World::global_array); also when the distribution is not one in blocks. Every
    /// PE gets the same error, and the heap does not change.
    #[track_caller]
    #[doc(alias = "StencilDist")]
    #[doc(alias = "ghost")]
    pub fn halo_array<T: Plain, const R: usize>(
        &self,
        extents: [usize; R],
        distribution: Distribution,
        halo: Halo,
    ) -> Result<HaloArray<T, R>, Error>
    where
        Rank<R>: HaloRank,
    {
        let caller = Location::caller();
        let (me, n_pes) = (self.my_pe(), self.n_pes());
        let (item, elem) = (short_name(type_name::<T>()), size_of::<T>());
        let times = extents.map(|extent| extent.to_string()).join(" × ");
        let pes = if n_pes == 1 { "PE" } else { "PEs" };
        let kind = format!("HaloArray<{item}, {R}> of {times} {distribution} over {n_pes} {pes}");
        let what = || format!("{kind} at {caller}");
        self.agree(&extents, distribution, halo)?;
        if !matches!(distribution, Distribution::Block | Distribution::Block2d) {
            let reason = "ghost cells need neighbours in one block: write `Distribution::Block`, or `Distribution::Block2d` in rank 2";
            return Err(Error::Distribution { what: what(), reason: reason.to_owned() });
        }
        if !is_countable(&extents, elem) {
            return Err(impossible(what(), &extents, elem));
        }
        let parts = Parts::new(distribution, &extents, n_pes)
            .map_err(|reason| Error::Distribution { what: what(), reason })?;
        let widths = [halo.width, if R == 1 { 0 } else { halo.width }];
        // PE 0 holds as much as any other.
        let largest = parts.held(0);
        let room = [0, 1].map(|axis| largest[axis].saturating_add(widths[axis].saturating_mul(2)));
        if !is_countable(&room, elem) {
            return Err(impossible(what(), &room, elem));
        }
        let parts = parts.with_room(room[1]);
        let memory = self.zeros::<T, 2>(room)?;
        let inbox = match self.zeros::<T, 2>([2, room[0] * room[1] - largest[0] * largest[1]]) {
            Ok(inbox) => inbox,
            Err(error) => {
                memory.free()?;
                return Err(error);
            }
        };
        let held = parts.held(me);
        let frame = HaloFrame { held: [held[0], held[1]], widths, pitch: room[1].max(1) };
        let plan = HaloPlan::new(&parts, widths, halo.periodic, me, n_pes);
        let info = ObjectInfo {
            name: Cow::Owned(format!("the array with ghost cells made at {caller}")),
            kind: Cow::Owned(kind),
            module: "",
            file: caller.file(),
            line: caller.line(),
            column: caller.column(),
        };
        Ok(HaloArray { memory, inbox, parts, frame, halo, plan, refreshes: AtomicUsize::new(0), info })
    }

    /// Asks whether all PEs make the same array.
    ///
    /// # Errors
    ///
    /// When they do not; the same on all PEs.
    #[track_caller]
    fn agree(&self, extents: &[usize], distribution: Distribution, halo: Halo) -> Result<(), Error> {
        let first = |axis: usize| extents.get(axis).copied().unwrap_or(0) as u64;
        let (kind, block) = match distribution {
            Distribution::Block => (0, 0),
            Distribution::Cyclic => (1, 0),
            Distribution::BlockCyclic(block) => (2, block as u64),
            Distribution::Block2d => (3, 0),
        };
        let mine = [
            extents.len() as u64,
            first(0),
            first(1),
            kind,
            block,
            halo.width as u64,
            u64::from(halo.periodic),
        ];
        let all = self.team().values_of_each("halo_array", &[mine]);
        match all.iter().position(|other| *other != all[0]) {
            None => Ok(()),
            Some(pe) => Err(Error::Disagreement {
                reason: format!(
                    "PE 0 and PE {pe} call `halo_array` with different extents, distributions or halos at {}; give the same on all PEs",
                    Location::caller()
                ),
            }),
        }
    }
}

impl<T: Plain, const R: usize> HaloArray<T, R>
where
    Rank<R>: HaloRank,
{
    /// Copies the borders of the neighbours' parts to this PE's ghost cells. Collective: all PEs make
    /// the same calls in the same order.
    ///
    /// A PE waits for its neighbours alone: for the PEs of which it has ghost cells, and those that have
    /// ghost cells of its part. It has met these as by [`barrier_with`](World::barrier_with) with them.
    /// The values are those that the part of each neighbour had when the neighbour called.
    ///
    /// Without a refresh, ghost cells keep their old values.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let me = world.my_pe();
    ///     let grid = world.halo_array::<usize, 2>([4, 4], Distribution::Block2d, Halo::periodic(1))?;
    ///     world.local_phase(|p| {
    ///         for (_, x) in grid.view_mut(p).mine_mut() {
    ///             *x = me;
    ///         }
    ///     });
    ///     grid.refresh();
    ///     world.local_phase(|p| {
    ///         let grid = grid.view(p);
    ///         let corner = grid[[-1, -1]]; // of the PE diagonally opposite
    ///         assert_eq!([grid[[-1, 0]], grid[[0, 2]], corner], [(me + 2) % 4, me ^ 1, 3 - me]);
    ///     });
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`sync_with`](World::sync_with).
    #[track_caller]
    pub fn refresh(&self) {
        if closed::is_closed() {
            closed::refuse_call("`refresh`");
        }
        let turn = self.refreshes.fetch_add(1, Ordering::Relaxed) % 2;
        for border in &self.plan.sends {
            let (from, to) = (self.cells(border), self.in_inbox(border, turn));
            // SAFETY: both are symmetric memory of arrays that stay where they are until the `quiet` of
            // the meeting.
            unsafe { to.put_in(Mode::NonBlocking, &from) };
        }
        runtime::get().team().meet_partners("refresh", &self.plan.neighbours, true);
        for border in &self.plan.receives {
            self.cells(border).put(self.in_inbox(border, turn));
        }
    }

    /// The cells of a border in this PE's memory.
    fn cells(&self, border: &Border) -> Remote<'_, T, Many> {
        let (Border { rows, columns, .. }, pitch) = (border, self.frame.pitch);
        let (offset, info) = self.memory.lies_at();
        assert!(rows.end <= self.memory.extents()[0] && columns.end <= pitch, "a border is inside");
        let elem = size_of::<T>();
        let offset = offset + (rows.start * pitch + columns.start) * elem;
        let (down, across) =
            (Run { count: rows.len(), stride: pitch * elem }, Run { count: columns.len(), stride: elem });
        let region = match (down.count, across.count) {
            (1, _) => Region::range(offset, across),
            (_, 1) => Region::range(offset, down),
            _ => {
                let mut region = Region { rank: 2, ..Region::one(offset) };
                (region.runs[0], region.runs[1]) = (down, across);
                region
            }
        };
        // SAFETY: the rows and columns are inside of the array, which `self` borrows.
        unsafe { Remote::new(direct::my_pe(), Many::several(region), info) }
    }

    /// The place of a border in the inbox of its PE.
    fn in_inbox(&self, border: &Border, turn: usize) -> Remote<'_, T, Many> {
        let (offset, info) = self.inbox.lies_at();
        let count = border.rows.len() * border.columns.len();
        let [turns, len] = self.inbox.extents();
        assert!(turn < turns && border.inbox + count <= len, "a border has a place in the inbox");
        let elem = size_of::<T>();
        let offset = offset + (turn * len + border.inbox) * elem;
        let region = Region::range(offset, Run { count, stride: elem });
        // SAFETY: the place is inside of the array, which `self` borrows.
        unsafe { Remote::new(border.pe, Many::several(region), info) }
    }

    /// Returns the extents of the whole array, without ghost cells. Not collective.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let grid = world.halo_array::<f64, 2>([100, 8], Distribution::Block, Halo::fixed(1))?;
    ///     assert_eq!(grid.extents(), [100, 8]);
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn extents(&self) -> [usize; R] {
        self.parts.extents()
    }

    /// Returns the extents of this PE's part, without ghost cells. Not collective.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let grid = world.halo_array::<f64, 2>([101, 8], Distribution::Block, Halo::fixed(1))?;
    ///     assert_eq!(grid.part_extents(), [[51, 8], [50, 8]][world.my_pe()]);
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn part_extents(&self) -> [usize; R] {
        std::array::from_fn(|axis| self.frame.held[axis])
    }

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

    /// Returns the indices of the elements that this PE holds, in the order of its part. Not
    /// collective.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let line = world.halo_array::<f64, 1>([5], Distribution::Block, Halo::fixed(1))?;
    ///     let mine: Vec<usize> = line.mine().collect();
    ///     assert_eq!(mine, [vec![0, 1, 2], vec![3, 4]][world.my_pe()]);
    ///     Ok(())
    /// }
    /// ```
    pub fn mine(&self) -> Mine<<Rank<R> as Ranked>::Index> {
        Mine::new(self.parts, direct::my_pe())
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
        self.memory.free()?;
        self.inbox.free()
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
    type Shape = <Rank<R> as Ranked>::Shape;
    #[inline(always)]
    fn whole(&self) -> (Self::Shape, &ObjectInfo) {
        (Rank::<R>::shape(&self.parts.extents()), &self.info)
    }
    #[inline(always)]
    fn offset(&self) -> usize {
        let HaloFrame { widths: [above, left], pitch, .. } = self.frame;
        self.memory.lies_at().0 + (above * pitch + left) * size_of::<T>()
    }
    #[inline(always)]
    fn parts(&self) -> Parts {
        self.parts
    }
    #[inline(always)]
    fn locate(&self, index: [usize; MAX_RANK]) -> (usize, usize) {
        let [rows, columns, ..] = &self.parts.axes;
        let ((down, row), (right, column)) = (rows.locate(index[0]), columns.locate(index[1]));
        (self.parts.pe([down, right, 0, 0]), row * self.frame.pitch + column)
    }
}
