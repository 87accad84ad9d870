//! The exchange of ghost cells with the neighbours.
//!
//! Every PE has an *inbox* with two places for each ghost cell, used in turn. A PE puts its borders into
//! the inboxes of its neighbours, meets these neighbours once, and copies its inbox to its ghost cells.
//! The second place makes one meeting enough: a neighbour writes to a place again two refreshes later,
//! and between them it has met this PE, which had emptied the place before.
//!
//! So nobody but its own PE touches a part and its ghost cells in a refresh.

use std::sync::atomic::Ordering;

use super::plan::Border;
use super::{HaloArray, HaloRank};
use crate::partners::PartnerCall;
use crate::phase::Plain;
use crate::remote::{Mode, Remote};
use crate::runtime::region::Region;
use crate::runtime::{self, direct};
use crate::select::{Form as _, Many};
use crate::symmetric::shape::Rank;
use crate::transport::{Run, closed};

/// The meeting of a refresh.
const REFRESH: PartnerCall = PartnerCall { what: "refresh", completes: true };

impl<T: Plain, const R: usize> HaloArray<T, R>
where
    Rank<R>: HaloRank,
{
    /// Copies the borders of the neighbours' parts to this PE's ghost cells. Collective: all PEs make
    /// the same calls in the same order.
    ///
    /// A PE waits for its neighbours alone: for the PEs of which it has ghost cells, and those that have
    /// ghost cells of its part. It has met these as by [`barrier_with`](crate::World::barrier_with) with them.
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
    /// As [`sync_with`](crate::World::sync_with).
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
        runtime::get().team().meet_partners(&REFRESH, &self.plan.neighbours);
        for border in &self.plan.receives {
            self.cells(border).put(self.in_inbox(border, turn));
        }
    }

    /// The cells of a border in this PE's memory.
    fn cells(&self, border: &Border) -> Remote<'_, T, Many> {
        let (Border { rows, columns, .. }, pitch) = (border, self.frame.pitch);
        assert!(rows.end <= self.room.room[0] && columns.end <= pitch, "a border is inside");
        let elem = size_of::<T>();
        let offset = self.cells_at + (rows.start * pitch + columns.start) * elem;
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
        unsafe { Remote::new(direct::my_pe(), Many::several(region), &self.info) }
    }

    /// The place of a border in the inbox of its PE.
    fn in_inbox(&self, border: &Border, turn: usize) -> Remote<'_, T, Many> {
        let count = border.rows.len() * border.columns.len();
        let len = self.room.inbox();
        assert!(turn < 2 && border.inbox + count <= len, "a border has a place in the inbox");
        let elem = size_of::<T>();
        let offset = self.inbox_at + (turn * len + border.inbox) * elem;
        let region = Region::range(offset, Run { count, stride: elem });
        // SAFETY: the place is inside of the array, which `self` borrows.
        unsafe { Remote::new(border.pe, Many::several(region), &self.info) }
    }
}
