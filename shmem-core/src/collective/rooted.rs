//! Reductions of which one PE gets the result.
//!
//! As those of which all PEs get it: values are joined in the order of the PEs, small messages go to
//! the slot of the root, and of large ones each PE joins one block, which it writes to the root.

use std::panic::Location;

use super::elements::{Fits, ScratchElements, SelectedElements, bytes, bytes_mut, elements, with_room};
use super::reduce::{equal_pair, join_in_registers};
use crate::number::ReducedBy;
use crate::remote::Remote;
use crate::runtime::agreement::Call;
use crate::runtime::team::Team;
use crate::runtime::team::call::OngoingCall;
use crate::select::OnOnePe;

impl Team {
    /// Reduces the elements of all PEs, place by place, and writes the result on PE `root` of the team:
    /// `collective!(DST[sel] = sum SRC[sel] to root; on team)`. Collective.
    ///
    /// Only the destination of `root` is written. Otherwise as [`reduce`](Team::reduce), with the same
    /// bits. OpenSHMEM has no such routine.
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::reduction::Sum;
    ///
    /// #[symmetric]
    /// static COUNTS: [u32; 2] = [0; 2];
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     local!(COUNTS[..]) = [1, world.my_pe() as u32];
    ///     world.team().reduce_to(Sum, local!(&COUNTS[..]), local!(&COUNTS[..]), 1);
    ///     assert_eq!(local!(COUNTS[..]), [[1, 0], [3, 3], [1, 2]][world.my_pe()]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no PE `root`, and as [`reduce`](Team::reduce).
    #[track_caller]
    #[doc(alias = "MPI_Reduce")]
    pub fn reduce_to<O, T: ReducedBy<O>, F: OnOnePe, G: Fits<F>>(
        &self,
        operation: O,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
        root: usize,
    ) {
        let _ = operation;
        self.check_pe(root, "the root of a reduction");
        let (to, from) = equal_pair(destination, source);
        let n = from.len();
        let mut call = self.begin(self.call_to(T::NAME, &to, &from, root));
        if n == 0 {
            return self.meet_without_elements();
        }
        let (me, owner) = (self.members.pe(self.my_pe()), self.members.pe(root));
        let len = n * size_of::<T>();
        if call.is_quick_to_reduce_on_one(len) {
            return with_room(n, |values| {
                from.read(me, 0, values);
                self.join_to::<O, T>(&mut call, values, root);
                if me == owner {
                    to.write(me, 0, values);
                }
            });
        }
        // The root has come: its destination may be written.
        self.sync_unchecked();
        if to.is_tangled(&from) {
            let is_root = me == owner;
            let mut all = ScratchElements::new(if is_root { n } else { 0 });
            self.join_pieces::<O, T>(&from, 0..all.len(), &mut |at, joined| {
                all[at..at + joined.len()].copy_from_slice(joined);
            });
            if is_root {
                to.write(me, 0, &all);
            }
            return self.sync_unchecked();
        }
        let block = self.block::<T>(n);
        let address = |elements: &SelectedElements<'_, T>, pe| elements.address(pe);
        let all: Option<Vec<*mut u8>> = self.world_pes().map(|pe| address(&from, pe)).collect();
        match (address(&to, owner), all) {
            (Some(to), Some(from)) => {
                // SAFETY: at each address are `n` contiguous elements of a live object on a PE, and
                // the block is a part of them.
                unsafe { join_in_registers::<O, T, false>(&[to], &from, block) }
            }
            _ => self.join_pieces::<O, T>(&from, block, &mut |at, joined| to.write(owner, at, joined)),
        }
        self.deliver();
    }

    /// Reduces one value of each PE, and returns the result on PE `root` of the team, and `None` on the
    /// others: `collective!(sum x to root; on team)`. Collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::reduction::Max;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     let worst = world.team().reduce_value_to(Max, world.my_pe() as f64, 0);
    ///     assert_eq!(worst, (world.my_pe() == 0).then_some(2.0));
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no PE `root`, and in checked runs when the PEs do not make the same call.
    #[track_caller]
    #[doc(alias = "MPI_Reduce")]
    pub fn reduce_value_to<O, T: ReducedBy<O>>(&self, operation: O, value: T, root: usize) -> Option<T> {
        let _ = operation;
        self.check_pe(root, "the root of a reduction");
        let mut call = self.begin(Call::new(T::NAME, Location::caller()).of::<T>().count(1).to_root(root));
        let mut joined = [value];
        self.join_to::<O, T>(&mut call, &mut joined, root);
        (self.my_pe() == root).then_some(joined[0])
    }

    /// Joins the values of all PEs, place by place, on PE `root`. They fit into a slot.
    fn join_to<O, T: ReducedBy<O>>(&self, call: &mut OngoingCall<'_>, values: &mut [T], root: usize) {
        with_room(values.len(), |joined: &mut [T]| {
            call.gather(root, bytes(values), &mut |pe, bytes| {
                if pe == 0 {
                    bytes_mut(joined).copy_from_slice(bytes);
                } else {
                    let others = elements::<T>(bytes);
                    joined.iter_mut().zip(others).for_each(|(joined, value)| *joined = joined.join(value));
                }
            });
            values.copy_from_slice(joined);
        });
    }
}
