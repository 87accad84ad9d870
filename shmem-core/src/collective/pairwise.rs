//! Reductions in pairs.
//!
//! The values of PE 0 and PE 1 are joined, those of PE 2 and PE 3, and so on; then each pair with the next pair, and so
//! on. That order is as fixed as the one from left to right, so all PEs get the same bits, in every run and on any
//! hosts. And it is a tree, so partial results can be joined on the way: PEs of more than 16 hosts send a few values
//! in log2(hosts) rounds, where from left to right each PE needs the values of all. A sum of many floats in pairs is
//! mostly closer to the true sum, too.
//!
//! Otherwise as [`reduce`](super::reduce): values in the slots are joined by each PE, of large messages each PE joins
//! a block.

use std::ops::Range;
use std::panic::Location;

use super::elements::{self, Fits, ScratchElements, SelectedElements, bytes, bytes_mut, with_room};
use super::reduce::{Joins, call_on, equal_pair, join_slices, pieces};
use crate::number::ReducedBy;
use crate::remote::Remote;
use crate::runtime::agreement::Call;
use crate::runtime::team::Team;
use crate::runtime::team::call::OngoingCall;
use crate::runtime::team::partials::{Partials, TreeNode};
use crate::select::OnOnePe;
use crate::transport::copy::CacheLine;

/// What the PEs are said to do.
const PAIRWISE: &str = "pairwise";

impl Team {
    /// Reduces the elements of all PEs, place by place and in pairs, and writes the result on every PE:
    /// `collective!(DST[sel] = pairwise sum SRC[sel]; on team)`. Collective.
    ///
    /// The values of PE 0 and PE 1 are joined, those of PE 2 and PE 3, and so on; then each pair with the next pair,
    /// and so on. What is left at the end is joined last: five PEs give `join(join(join(a, b), join(c, d)), e)`. So the
    /// result does not depend on the run or on the hosts, and all PEs get the same bits. [`reduce`](Team::reduce)
    /// joins from left to right. The two differ in how floats are rounded, and in what overflows. For integers they are the
    /// same.
    ///
    /// Use it for a few floats in jobs on many hosts. On more than 16, they take log2(hosts) rounds, in which a host
    /// receives a few partial results; more of them go a few at a time. With `reduce`, each PE gets the values of all. The
    /// PEs must lie in the team host after host, as they do if it is not reversed. Where hosts have several PEs each,
    /// `reduce` takes less time for long selections.
    ///
    /// OpenSHMEM leaves the order of `shmem_sum_reduce` open.
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::reduction::Sum;
    ///
    /// #[symmetric]
    /// static NORMS: [f64; 2] = [0.0; 2];
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     local!(NORMS[..]) = [1.0, [0.1, 0.2, 0.3][world.my_pe()]];
    ///     world.team().reduce_pairwise(Sum, local!(&NORMS[..]), local!(&NORMS[..]));
    ///     assert_eq!(local!(NORMS[..]), [3.0, (0.1 + 0.2) + 0.3]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`reduce`](Team::reduce).
    #[track_caller]
    pub fn reduce_pairwise<O, T: ReducedBy<O>, F: OnOnePe, G: Fits<F>>(
        &self,
        operation: O,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
    ) {
        let _ = operation;
        let (to, from) = equal_pair(destination, source);
        let n = from.len();
        let mut call = self.begin(call_on::<T>(PAIRWISE, &to, &from).with(T::NAME));
        if n == 0 {
            return self.meet_without_elements();
        }
        let (me, len) = (self.members.pe(self.my_pe()), n * size_of::<T>());
        let in_rounds = || OngoingCall::is_small(len) && self.pairs_at_a_time(n, size_of::<T>()).is_some();
        if call.is_quick_to_reduce(len) || !T::EXACT && in_rounds() {
            return with_room(n, |values| {
                from.read(me, 0, values);
                self.join_all_in_pairs::<O, T>(&mut call, values);
                to.write(me, 0, values);
            });
        }
        let joins = if T::EXACT { Joins::in_turn::<O>() } else { Joins::in_pairs::<O>() };
        self.reduce_in_blocks(&mut call, T::OPERATION, joins, &to, &from);
    }

    /// Reduces one value of each PE, in pairs, and returns the result on all PEs:
    /// `collective!(pairwise sum x; on team)`. Collective.
    ///
    /// The order is that of [`reduce_pairwise`](Team::reduce_pairwise).
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::reduction::Sum;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) {
    ///     let part = [1e16, 1.0, -1e16, 1.0][world.my_pe()];
    ///     assert_eq!(world.team().reduce_pairwise_value(Sum, part), (1e16 + 1.0) + (-1e16 + 1.0));
    ///     assert_eq!(world.team().reduce_value(Sum, part), ((1e16 + 1.0) - 1e16) + 1.0);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In checked runs, when the PEs do not make the same call.
    #[track_caller]
    pub fn reduce_pairwise_value<O, T: ReducedBy<O>>(&self, operation: O, value: T) -> T {
        let _ = operation;
        let call = Call::new(PAIRWISE, Location::caller()).with(T::NAME).of::<T>().count(1);
        let mut call = self.begin(call);
        let mut joined = [value];
        self.join_all_in_pairs::<O, T>(&mut call, &mut joined);
        joined[0]
    }

    /// Reduces slices in private memory, place by place and in pairs, and writes the result to the slices of all PEs.
    /// Collective.
    ///
    /// All slices have the same length. The order is that of [`reduce_pairwise`](Team::reduce_pairwise).
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::reduction::Sum;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let mut products = [[0.5, 2.0], [0.25, 1.0]][world.my_pe()];
    ///     world.team().reduce_pairwise_values(Sum, &mut products);
    ///     assert_eq!(products, [0.75, 3.0]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In checked runs, when the PEs do not make the same call.
    #[track_caller]
    pub fn reduce_pairwise_values<O, T: ReducedBy<O>>(&self, operation: O, values: &mut [T]) {
        let _ = operation;
        let call = Call::new(PAIRWISE, Location::caller()).with(T::NAME).of::<T>().count(values.len());
        let mut call = self.begin(call);
        if values.is_empty() {
            return self.meet_without_elements();
        }
        for piece in pieces(values) {
            self.join_all_in_pairs::<O, T>(&mut call, piece);
        }
    }

    /// Joins the values of all PEs in pairs, place by place. They fit into a slot.
    fn join_all_in_pairs<O, T: ReducedBy<O>>(&self, call: &mut OngoingCall<'_>, values: &mut [T]) {
        // Integers are the same in any order, and two PEs have one.
        if T::EXACT || self.n_pes() <= 2 {
            return self.join_all::<O, T>(call, values);
        }
        if let Some(at_a_time) = self.pairs_at_a_time(values.len(), size_of::<T>()) {
            for values in values.chunks_mut(at_a_time) {
                self.join_pairs(call.transport(), bytes_mut(values), join_bytes::<O, T>);
            }
            return;
        }
        let (n, len) = (values.len(), size_of_val(values));
        let mut known = Partials::new(self.n_pes(), n, join_slices::<O, T>);
        with_room(n, |one: &mut [T]| {
            call.exchange_runs(bytes(values), |first, several| {
                for (rank, values) in (first..).zip(several.chunks_exact(len)) {
                    bytes_mut(one).copy_from_slice(values);
                    known.push(TreeNode::of(rank), one);
                }
            });
        });
        values.copy_from_slice(known.joined());
    }

    /// As [`join_pieces`](Team::join_pieces), in pairs.
    #[track_caller]
    pub(super) fn join_pieces_in_pairs<O, T: ReducedBy<O>>(
        &self,
        from: &SelectedElements<'_, T>,
        range: Range<usize>,
        give: &mut dyn FnMut(usize, &[T]),
    ) {
        let each = self.piece::<T>(range.len());
        let mut one = ScratchElements::<T>::new(each);
        for at in range.clone().step_by(each) {
            let one = &mut one[..each.min(range.end - at)];
            let mut known = Partials::new(self.n_pes(), one.len(), join_slices::<O, T>);
            for pe in 0..self.n_pes() {
                from.read(self.members.pe(pe), at, one);
                known.push(TreeNode::of(pe), one);
            }
            give(at, known.joined());
        }
    }
}

/// Joins each value to that of the same place, both at any alignment.
fn join_bytes<O, T: ReducedBy<O>>(joined: &mut [u8], values: &[u8]) {
    let places = joined.chunks_exact_mut(size_of::<T>());
    for (place, value) in places.zip(elements::elements::<T>(values)) {
        let one = elements::elements::<T>(place).next().expect("the bytes of a value");
        place.copy_from_slice(bytes(&[one.join(value)]));
    }
}

/// Joins the lines that `load` reads, in pairs.
pub(super) fn join_lines_in_pairs(
    from: &[*mut u8],
    load: &impl Fn(*mut u8) -> CacheLine,
    join: &impl Fn(CacheLine, CacheLine) -> CacheLine,
) -> CacheLine {
    match *from {
        [one] => load(one),
        [one, other] => join(load(one), load(other)),
        _ => {
            // As many as there can be in whole pairs of pairs.
            let (left, right) = from.split_at(1 << (from.len() - 1).ilog2());
            join(join_lines_in_pairs(left, load, join), join_lines_in_pairs(right, load, join))
        }
    }
}
