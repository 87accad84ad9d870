//! Reductions of values by a function of the program, and of values with the PE that has them.
//!
//! No code of the program runs inside of a collective call: a collective call in it would wait for
//! itself. So every PE gets all values, and joins them after the call. Of a large selection each PE
//! gets one block of every source, joins the blocks after the call, and hands the result out in a
//! second call.
//!
//! Values are joined in the order of the PEs, from left to right, place by place.

use std::panic::Location;

use super::elements::{Fits, ScratchElements, bytes, bytes_mut, with_room, zeros};
use super::macros::Moved;
use super::reduce::{call_on, equal_pair};
use crate::number::ReducedBy;
use crate::remote::Remote;
use crate::runtime::agreement::Call;
use crate::runtime::races::Kind;
use crate::runtime::team::Team;
use crate::runtime::team::call::OngoingCall;
use crate::select::OnOnePe;
use crate::symmetric::Symmetric;
use crate::system::tuning::eager;
use crate::transport::layout::EAGER_SIZE;
use crate::transport::operation::{Max, Min};

/// The second half of a reduction, in what PEs are said to do.
const RESULTS: &str = "reduce_with results";

impl Team {
    /// Reduces the elements of all PEs, place by place, by a function of the program, and writes the
    /// result on every PE: `collective!(DST[sel] = reduce SRC[sel] with join; on team)`. Collective.
    ///
    /// Both arguments are selections of this PE's own copies. They have equal lengths, are the same on
    /// all PEs, and may be the same selection. An element is of any [`Symmetric`](crate::Symmetric) type,
    /// so a struct as well.
    ///
    /// At each place, the elements are joined in the order of the PEs, from left to right: `join(join(e0,
    /// e1), e2)` for three PEs. So `join` need not be commutative, and the result is the same in every
    /// run; it is associative, if the result is to mean anything. All PEs get the same bits. How often
    /// `join` is called on a PE, and for which places, is not defined: it must not make collective calls.
    /// It runs outside of the collective call, and may panic.
    ///
    /// Selections of more than 4 KiB need as much private memory as the source has.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// /// The interval that some numbers lie in.
    /// #[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
    /// #[repr(C)]
    /// struct Interval {
    ///     low: f64,
    ///     high: f64,
    /// }
    ///
    /// fn hull(a: Interval, b: Interval) -> Interval {
    ///     Interval { low: a.low.min(b.low), high: a.high.max(b.high) }
    /// }
    ///
    /// #[symmetric]
    /// static BOXES: [Interval; 2] = [Interval { low: 0.0, high: 0.0 }; 2];
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     let me = world.my_pe() as f64;
    ///     local!(BOXES[..]) = [Interval { low: me, high: me }, Interval { low: -me, high: 1.0 }];
    ///     collective!(BOXES[..] = reduce BOXES[..] with hull);
    ///     assert_eq!(local!(BOXES[0]), Interval { low: 0.0, high: 2.0 });
    ///     assert_eq!(local!(BOXES[1]), Interval { low: -2.0, high: 1.0 });
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the lengths differ, when a selection is not of this PE, and in checked runs when the PEs do
    /// not make the same call.
    #[track_caller]
    #[doc(alias = "MPI_Op_create")]
    pub fn reduce_with<T: Moved, F: OnOnePe, G: Fits<F>>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
        join: impl Fn(T, T) -> T,
    ) {
        let (to, from) = equal_pair(destination, source);
        let (n, n_pes, me) = (from.len(), self.n_pes(), self.members.pe(self.my_pe()));
        let mut call = self.begin(call_on::<T>("reduce_with", &to, &from));
        if n == 0 {
            return self.meet_without_elements();
        }
        let len = n * size_of::<T>();
        if OngoingCall::is_small(len) && len * n_pes <= eager::REDUCTION_TOTAL.max(EAGER_SIZE) {
            let mut all = ScratchElements::new(n * n_pes);
            let each = bytes_mut(&mut all);
            with_room(n, |mine: &mut [T]| {
                from.read(me, 0, mine);
                call.exchange(bytes(mine), |pe, bytes| each[pe * len..][..len].copy_from_slice(bytes));
            });
            drop(call);
            return to.write(me, 0, join_rows(&mut all, n, join));
        }
        // All have come, and their sources hold what they give.
        self.sync_unchecked();
        let block = self.block::<T>(n);
        let mut all = ScratchElements::new(block.len() * n_pes);
        for (row, pe) in all.chunks_exact_mut(block.len().max(1)).zip(self.world_pes()) {
            from.read(pe, block.start, row);
        }
        drop(call);
        let joined = join_rows(&mut all, block.len(), join);
        to.takes_part(Kind::Store, n);
        let what = Call::new(RESULTS, Location::caller()).of::<T>().count(n);
        let _call = self.begin(what.places(to.place_in_call(), from.place_in_call()));
        // All have read the sources, and their destinations may be written.
        self.sync_unchecked();
        for pe in self.starting_here() {
            to.write(self.members.pe(pe), block.start, joined);
        }
        self.deliver();
    }

    /// Reduces slices in private memory, place by place, by a function of the program, and writes the
    /// result to the slices of all PEs. Collective.
    ///
    /// All slices have the same length. The values of each place are joined in the order of the PEs, from
    /// left to right. Every PE gets all values, and calls `join` equally often, outside of the collective
    /// call. If it gives the same result on all PEs, all get the same bits.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     // Of each place, the last value that is not 0.
    ///     let mut values = [[1, 0], [0, 4], [7, 0]][world.my_pe()];
    ///     world.team().reduce_values_with(&mut values, |a, b| if b == 0 { a } else { b });
    ///     assert_eq!(values, [7, 4]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In checked runs, when the PEs do not make the same call.
    #[track_caller]
    #[doc(alias = "MPI_Op_create")]
    pub fn reduce_values_with<T: Moved>(&self, values: &mut [T], join: impl Fn(T, T) -> T) {
        let n = values.len();
        let each = (EAGER_SIZE / size_of::<T>().max(1)).clamp(1, n.max(1));
        // One call at least, which compares the lengths.
        for start in (0..n.max(1)).step_by(each) {
            let piece = &mut values[start..(start + each).min(n)];
            let mut all = self.values_of_each("reduce_values_with", piece);
            piece.copy_from_slice(join_rows(&mut all, piece.len(), &join));
        }
    }

    /// Reduces one value of each PE by a function of the program, and returns the result on all PEs:
    /// `collective!(reduce x with join; on team)`. Collective.
    ///
    /// `join` is associative; the values are joined in the order of the PEs, from left to right, so it need
    /// not be commutative. A value is any [`Symmetric`](crate::Symmetric) element, so a struct as well. Every
    /// PE gets all values, and joins them when the call is over: `join` may do what it likes, also make
    /// collective calls. If it gives the same result on all PEs, all get the same bits.
    ///
    /// This is Welford's way to the mean and the variance of numbers that are divided over the PEs:
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// /// Of some numbers: how many, their mean, and the sum of the squares of their distances from it.
    /// #[derive(Clone, Copy, Symmetric)]
    /// #[repr(C)]
    /// struct Moments {
    ///     count: f64,
    ///     mean: f64,
    ///     squares: f64,
    /// }
    ///
    /// impl Moments {
    ///     fn of(number: f64) -> Moments {
    ///         Moments { count: 1.0, mean: number, squares: 0.0 }
    ///     }
    ///
    ///     fn join(self, other: Moments) -> Moments {
    ///         let count = self.count + other.count;
    ///         let apart = other.mean - self.mean;
    ///         Moments {
    ///             count,
    ///             mean: self.mean + apart * other.count / count,
    ///             squares: self.squares + other.squares + apart * apart * self.count * other.count / count,
    ///         }
    ///     }
    /// }
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     let me = world.my_pe() as f64;
    ///     let mine = Moments::of(2.0 * me).join(Moments::of(2.0 * me + 1.0));
    ///     let all = world.team().reduce_value_with(mine, Moments::join); // of 0, 1, 2, 3, 4 and 5
    ///     assert!((all.mean - 2.5).abs() < 1e-12);
    ///     assert!((all.squares / all.count - 35.0 / 12.0).abs() < 1e-12);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In checked runs, when the PEs do not make the same call.
    #[track_caller]
    #[doc(alias = "MPI_Op_create")]
    pub fn reduce_value_with<T: Moved>(&self, value: T, join: impl Fn(T, T) -> T) -> T {
        let all = self.values_of_each("reduce_value_with", &[value]);
        all.into_iter().reduce(join).unwrap_or(value)
    }

    /// Returns the smallest of one value of each PE, and the first PE of the team that has it, on all
    /// PEs: `collective!(minloc x; on team)`. Collective.
    ///
    /// A NaN is left out, as by `min`. If all values are NaN, the result is that of PE 0.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     let cost = [4.0, 1.5, 1.5][world.my_pe()];
    ///     assert_eq!(world.team().minloc_value(cost), (1.5, 1));
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In checked runs, when the PEs do not make the same call.
    #[track_caller]
    #[doc(alias = "MPI_MINLOC")]
    #[doc(alias = "argmin")]
    pub fn minloc_value<T: ReducedBy<Min>>(&self, value: T) -> (T, usize) {
        self.located::<Min, T>("minloc_value", value)
    }

    /// Returns the largest of one value of each PE, and the first PE of the team that has it, on all
    /// PEs: `collective!(maxloc x; on team)`. Collective.
    ///
    /// A NaN is left out, as by `max`. If all values are NaN, the result is that of PE 0.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     // Who has most to do.
    ///     let (most, pe) = world.team().maxloc_value([7_u32, 9, 9][world.my_pe()]);
    ///     assert_eq!((most, pe), (9, 1));
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In checked runs, when the PEs do not make the same call.
    #[track_caller]
    #[doc(alias = "MPI_MAXLOC")]
    #[doc(alias = "argmax")]
    pub fn maxloc_value<T: ReducedBy<Max>>(&self, value: T) -> (T, usize) {
        self.located::<Max, T>("maxloc_value", value)
    }

    #[track_caller]
    fn located<O, T: ReducedBy<O>>(&self, what: &'static str, value: T) -> (T, usize) {
        let all = self.values_of_each(what, &[value]);
        let joined = all.iter().copied().reduce(T::join).unwrap_or(value);
        let pe = all.iter().position(|other| *other == joined).unwrap_or(0);
        (all[pe], pe)
    }

    /// The values of each PE, in the order of the team. All give equally many.
    #[track_caller]
    pub(crate) fn values_of_each<T: Moved>(&self, what: &'static str, values: &[T]) -> Vec<T> {
        let mut call = self.begin(Call::new(what, Location::caller()).of::<T>().count(values.len()));
        let mut all = zeros::<T>(values.len() * self.n_pes());
        let (len, target) = (size_of_val(values), bytes_mut(&mut all));
        if OngoingCall::is_small(len) {
            call.exchange(bytes(values), |pe, bytes| target[pe * len..][..len].copy_from_slice(bytes));
        } else {
            call.collect_for_all(bytes(values), &vec![len; self.n_pes()], |pe, at, bytes| {
                target[pe * len + at..][..bytes.len()].copy_from_slice(bytes);
            });
        }
        all
    }
}

/// Joins rows of `len` elements, place by place and in their order, into the first.
fn join_rows<T: Symmetric>(all: &mut [T], len: usize, join: impl Fn(T, T) -> T) -> &[T] {
    let (first, others) = all.split_at_mut(len);
    for row in others.chunks_exact(len.max(1)) {
        first.iter_mut().zip(row).for_each(|(joined, value)| *joined = join(*joined, *value));
    }
    first
}
