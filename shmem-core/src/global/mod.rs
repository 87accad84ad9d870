//! Global arrays: one array whose elements are divided over the PEs.
//!
//! * `mod.rs`: [`GlobalArray`], allocated at run time;
//! * `fixed.rs`: [`GlobalStatic`], `#[symmetric(block)] static`;
//! * `mine.rs`: the indices that a PE holds;
//! * `part.rs`: the part of this PE, for collective calls;
//! * `place.rs`: `remote!(T[@selection])`.
//!
//! Which PE holds an index, and where, is in `runtime/parts.rs`; what a selection takes of each PE in
//! `runtime/across.rs`.

mod fixed;
mod mine;
mod part;
mod place;

use std::any::type_name;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

pub use self::fixed::{
    Block2dParts, BlockCyclicParts, BlockParts, CyclicParts, DividedElementOf, DividedType, GlobalStatic,
    StaticDistribution, WholeType, check_division, register_divided, register_filled,
};
pub(crate) use self::fixed::{DividedLayout, IsArray, extents_of};
pub use self::mine::Mine;
pub(crate) use self::part::{PartHere, range_of, read_part};
pub(crate) use self::place::sealed;
pub use self::place::{GlobalObject, OfWhole};
use crate::array::{Allocation, impossible, is_countable, short_name};
use crate::runtime::block::{Block, Request, Wishes};
use crate::runtime::heap::SavedAs;
pub use crate::runtime::parts::Distribution;
use crate::runtime::parts::{Parts, WholeArray};
use crate::runtime::region::Region;
use crate::runtime::target::{Mode, RawTarget};
use crate::runtime::{self, Runtime, direct};
use crate::symmetric::shape::{GlobalIndex, MAX_RANK, Rank, Ranked};
use crate::symmetric::{Item, ObjectInfo};
use crate::system::error::Error;
use crate::transport::{Ctx, Run};

/// An array whose elements are divided over the PEs: rank 1 to 4.
///
/// [`World::global_array`](crate::World::global_array) makes it. Its extents are those of the whole,
/// and each PE holds a *part*: the elements whose indices the [`Distribution`] deals to it. A part
/// has its elements in the order of their indices, row-major, without gaps. In a [local
/// phase](crate::phase), a PE borrows its part as a slice.
///
/// Dropping the array is local and never waits, as with a
/// [`SymmetricArray`](crate::SymmetricArray). [`free`](GlobalArray::free) frees the memory at once.
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 3)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let squares = world.global_array::<usize, 1>([10], Distribution::Block)?;
///     world.local_phase(|p| {
///         for (i, x) in squares.mine_mut(p) {
///             *x = i * i;
///         }
///     });
///     // Four elements on PE 0 and PE 1, two on PE 2.
///     assert_eq!(squares.owner(5), 1);
///     let sum: usize = world.local_phase(|p| squares.as_slice(p).iter().sum());
///     assert_eq!(collective!(sum sum), 285);
///     Ok(())
/// }
/// ```
pub struct GlobalArray<I, const R: usize> {
    block: Block,
    parts: Parts,
    info: ObjectInfo,
    holds: PhantomData<fn() -> I>,
}

/// The owner of an index.
///
/// # Panics
///
/// When it is out of bounds.
#[track_caller]
pub(crate) fn owner<X: GlobalIndex>(parts: &Parts, info: &ObjectInfo, index: X) -> usize {
    let numbers = index.numbers();
    let wrong = numbers.iter().zip(&parts.axes).position(|(number, axis)| *number >= axis.extent);
    if let Some(axis) = wrong {
        panic!(
            "the owner of index {index:?} was asked of {info}: index {} on axis {axis}, which has extent {}",
            numbers[axis], parts.axes[axis].extent
        );
    }
    // SAFETY: each number is below the extent of its axis.
    unsafe { parts.locate(numbers) }.0
}

/// The extents of the part of a PE.
///
/// # Panics
///
/// When there is no such PE.
#[track_caller]
pub(crate) fn part_extents(parts: &Parts, info: &ObjectInfo, pe: usize) -> [usize; MAX_RANK] {
    let n_pes = direct::n_pes();
    assert!(pe < n_pes, "there is no PE {pe}, whose part of {info} was asked for: the job has {n_pes}");
    parts.held(pe)
}

impl Allocation {
    /// Allocates a global array of zeros, with these options. Collective.
    ///
    /// Otherwise as [`World::global_array`](crate::World::global_array). The alignment is that of each
    /// part.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let line = world.allocate().align(4096).global_array::<f64, 1>([100], Distribution::Block)?;
    ///     let start = world.local_phase(|p| line.as_slice(p).as_ptr().addr());
    ///     assert_eq!(start % 4096, 0);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`World::global_array`](crate::World::global_array); also when the alignment is not possible,
    /// and when the PEs give different alignments or hints.
    #[track_caller]
    pub fn global_array<I: Item, const R: usize>(
        self,
        extents: [usize; R],
        distribution: Distribution,
    ) -> Result<GlobalArray<I, R>, Error>
    where
        Rank<R>: Ranked,
    {
        GlobalArray::zeros(runtime::get(), extents, distribution, self.wishes(), Location::caller())
    }
}

impl<I: Item, const R: usize> GlobalArray<I, R>
where
    Rank<R>: Ranked,
{
    /// An array of zeros; see [`World::global_array`](crate::World::global_array).
    #[track_caller]
    pub(crate) fn zeros(
        runtime: &Runtime,
        extents: [usize; R],
        distribution: Distribution,
        wishes: Wishes,
        caller: &'static Location<'static>,
    ) -> Result<GlobalArray<I, R>, Error> {
        let elem = size_of::<I::Value>();
        let kind = kind_of::<I, R>(&extents, distribution);
        let what = || format!("{kind} at {caller}");
        let parts = if is_countable(&extents, elem) {
            Parts::new(distribution, &extents, direct::n_pes())
                .map_err(|reason| Error::Distribution { what: what(), reason })
        } else {
            Err(impossible(what(), &extents, elem))
        };
        let (parts, bytes) = match parts {
            Ok(parts) => (Some(parts), Ok(elem * largest(&parts).iter().product::<usize>())),
            Err(error) => (None, Err(error)),
        };
        let held = parts.as_ref().map(|parts| largest(parts)[..R].to_vec()).unwrap_or_default();
        let request = Request {
            noun: "global array",
            kind: format!("{kind}, of which each PE holds up to {},", times(&held)),
            bytes,
            align: align_of::<I::Value>(),
            is_untouched: true,
            elements: (short_name(type_name::<I>()), elem, held),
            saved: SavedAs::Part(WholeArray { distribution, extents: extents.to_vec(), halo: None }),
            caller,
        };
        let identity = (type_name::<I>(), elem, extents.as_slice(), distribution);
        let (block, fresh) = Block::claim(runtime, request, identity, wishes)?;
        let Some(parts) = parts else { unreachable!("a request without bytes is refused") };
        let info = ObjectInfo {
            name: Cow::Owned(format!("global array #{}", block.slot())),
            kind: Cow::Owned(kind),
            module: "",
            file: caller.file(),
            line: caller.line(),
            column: caller.column(),
        };
        let array = GlobalArray { block, parts, info, holds: PhantomData };
        array.clear(runtime, fresh);
        runtime.barrier_on_heap();
        Ok(array)
    }

    /// Writes zeros to this PE's part, which nobody else uses yet. From the offset `fresh` on the heap
    /// was never used, and reads as zeros.
    fn clear(&self, runtime: &Runtime, fresh: usize) {
        let start = self.block.offset();
        let bytes = size_of::<I::Value>() * self.held().iter().product::<usize>();
        let count = bytes.min(fresh.saturating_sub(start));
        if count > 0 {
            let region = Region::range(start, Run { count, stride: 1 });
            // SAFETY: the heap is that of this PE, and the bytes are those of the block.
            unsafe {
                RawTarget::new(runtime.own_heap(), Ctx::DEFAULT, direct::my_pe(), &region, 1, false).put(
                    Mode::Blocking,
                    &0,
                    0,
                );
            }
        }
    }

    /// The extents of this PE's part.
    fn held(&self) -> [usize; MAX_RANK] {
        self.parts.held(direct::my_pe())
    }

    /// Where the part of each PE begins, how many elements that of this PE has, and how to speak of
    /// the array.
    pub(crate) fn part(&self) -> (usize, usize, &ObjectInfo) {
        (self.block.offset(), self.held().iter().product(), &self.info)
    }

    /// Frees the memory at once (`shmem_free`). Collective: every PE frees its handle of the same
    /// array.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2, heap = "16M")]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     // Each PE has room for a half of one of the two.
    ///     let first = world.global_array::<u8, 1>([20 << 20], Distribution::Block)?;
    ///     assert!(world.global_array::<u8, 1>([20 << 20], Distribution::Block).is_err());
    ///     first.free()?;
    ///     let second = world.global_array::<u8, 1>([20 << 20], Distribution::Block)?;
    ///     second.free()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When the PEs are in different collective memory calls, and when they free different arrays.
    #[doc(alias = "shmem_free")]
    #[track_caller]
    pub fn free(self) -> Result<(), Error> {
        self.block.release(runtime::get())
    }
}

/// The extents of the largest part: PE 0 holds as much as any other.
fn largest(parts: &Parts) -> [usize; MAX_RANK] {
    parts.held(0)
}

/// `3 × 4`
fn times(extents: &[usize]) -> String {
    extents.iter().map(ToString::to_string).collect::<Vec<_>>().join(" × ")
}

/// `GlobalArray<f64, 2> of 3 × 4 in blocks over 2 PEs`.
fn kind_of<I, const R: usize>(extents: &[usize; R], distribution: Distribution) -> String {
    let (item, n_pes) = (short_name(type_name::<I>()), direct::n_pes());
    let pes = if n_pes == 1 { "PE" } else { "PEs" };
    format!("GlobalArray<{item}, {R}> of {} {distribution} over {n_pes} {pes}", times(extents))
}

impl<I, const R: usize> fmt::Debug for GlobalArray<I, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.info)
    }
}
