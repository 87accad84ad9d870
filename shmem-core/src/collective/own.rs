//! Reductions of values by a function of the program, and of values with the PE that has them.
//!
//! No code of the program runs inside of a collective call: a collective call in it would wait for
//! itself. So every PE gets all values, and joins them after the call.

use std::panic::Location;

use super::elements::{bytes, bytes_mut, zeros};
use super::macros::Moved;
use crate::number::ReducedBy;
use crate::runtime::agreement::Call;
use crate::runtime::team::Team;
use crate::runtime::team::call::OngoingCall;
use crate::transport::operation::{Max, Min};

impl Team {
    /// Reduces one value of each PE by a function of the program, and returns the result on all PEs.
    /// Collective.
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
        let all = self.value_of_each("reduce_value_with", value);
        all.into_iter().reduce(join).unwrap_or(value)
    }

    /// Returns the smallest of one value of each PE, and the first PE of the team that has it, on all
    /// PEs. Collective.
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
    /// PEs. Collective.
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
        let all = self.value_of_each(what, value);
        let joined = all.iter().copied().reduce(T::join).unwrap_or(value);
        let pe = all.iter().position(|other| *other == joined).unwrap_or(0);
        (all[pe], pe)
    }

    /// The value of each PE, in the order of the team.
    #[track_caller]
    fn value_of_each<T: Moved>(&self, what: &'static str, value: T) -> Vec<T> {
        let mut call = self.begin(Call::new(what, Location::caller()).of::<T>().count(1));
        let mut all = zeros::<T>(self.n_pes());
        let (size, target) = (size_of::<T>(), bytes_mut(&mut all));
        if OngoingCall::is_small(size) {
            call.exchange(bytes(&[value]), |pe, bytes| target[pe * size..][..size].copy_from_slice(bytes));
        } else {
            call.collect(bytes(&[value]), &vec![size; self.n_pes()], true, |pe, at, bytes| {
                target[pe * size + at..][..bytes.len()].copy_from_slice(bytes);
            });
        }
        all
    }
}
