//! The allocation of an array with ghost cells.

use std::any::type_name;
use std::borrow::Cow;
use std::panic::Location;

use super::{Halo, HaloArray, HaloRank};
use crate::array::{impossible, is_countable, short_name};
use crate::global::Distribution;
use crate::phase::Plain;
use crate::runtime::heap::SavedAs;
use crate::runtime::parts::{GhostRoom, Parts, WholeArray};
use crate::symmetric::ObjectInfo;
use crate::symmetric::shape::Rank;
use crate::system::error::Error;
use crate::world::World;

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
    ///     assert_eq!(plate.part_extents(world.my_pe()), [50, 30]);
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
        let n_pes = self.n_pes();
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
        let room = GhostRoom::of(&parts, R, halo.width());
        if !is_countable(&room.room, elem) {
            return Err(impossible(what(), &room.room, elem));
        }
        let cells = self.zeros::<T, 2>(room.room)?;
        let inbox = match self.zeros::<T, 2>([2, room.inbox()]) {
            Ok(inbox) => inbox,
            Err(error) => {
                cells.free()?;
                return Err(error);
            }
        };
        let whole = WholeArray { distribution, extents: extents.to_vec(), halo: Some(halo) };
        cells.save_as(SavedAs::Part(whole));
        inbox.save_as(SavedAs::Nothing);
        let info = ObjectInfo {
            name: Cow::Owned(format!("the array with ghost cells made at {caller}")),
            kind: Cow::Owned(kind),
            module: "",
            file: caller.file(),
            line: caller.line(),
            column: caller.column(),
        };
        let at = [cells.lies_at().0, inbox.lies_at().0];
        Ok(HaloArray::new(Some([cells, inbox]), at, (parts, room, halo), info))
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
            halo.width() as u64,
            u64::from(halo.is_periodic()),
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
