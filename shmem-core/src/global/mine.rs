//! The indices that a PE holds of a global array.

use std::iter::FusedIterator;
use std::marker::PhantomData;

use crate::runtime::parts::Parts;
use crate::symmetric::shape::{GlobalIndex, MAX_RANK};

/// The indices of the elements that a PE holds of a global array, in the order of its part:
/// [`Global::mine`](crate::Global::mine).
///
/// An index `X` is a `usize` if the array has one axis, and `[usize; R]` otherwise.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::Mine;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let line = world.global_array::<u32, 1>([5], Distribution::Cyclic)?;
///     let mine: Mine<usize> = line.mine();
///     let expected: Vec<usize> = (world.my_pe()..5).step_by(2).collect();
///     assert_eq!(mine.collect::<Vec<_>>(), expected);
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use = "an iterator does nothing until it is iterated over"]
pub struct Mine<X> {
    parts: Parts,
    coordinates: [usize; MAX_RANK],
    held: [usize; MAX_RANK],
    /// The place of the next one among what the coordinates hold.
    at: [usize; MAX_RANK],
    left: usize,
    yields: PhantomData<fn() -> X>,
}

impl<X> Mine<X> {
    pub(crate) fn new(parts: Parts, pe: usize) -> Mine<X> {
        let held = parts.held(pe);
        let left = held.iter().product();
        Mine { parts, coordinates: parts.coordinates(pe), held, at: [0; MAX_RANK], left, yields: PhantomData }
    }
}

impl<X: GlobalIndex> Iterator for Mine<X> {
    type Item = X;

    #[inline]
    fn next(&mut self) -> Option<X> {
        self.left = self.left.checked_sub(1)?;
        let index =
            std::array::from_fn(|axis| self.parts.axes[axis].index(self.coordinates[axis], self.at[axis]));
        for axis in (0..MAX_RANK).rev() {
            self.at[axis] += 1;
            if self.at[axis] < self.held[axis] {
                break;
            }
            self.at[axis] = 0;
        }
        Some(X::of(index))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<X: GlobalIndex> ExactSizeIterator for Mine<X> {}
impl<X: GlobalIndex> FusedIterator for Mine<X> {}
