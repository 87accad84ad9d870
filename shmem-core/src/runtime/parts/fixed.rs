//! How a global static is divided: in words that the start of the job writes.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::axis::{AxisParts, Dealing, Reciprocal};
use super::short;
use super::{Distribution, Parts};
use crate::runtime::direct::LISTED;
use crate::runtime::region::MAX_RANK;
use crate::transport::word::load_usize;

/// How a global static is divided: what the number of PEs determines. All zeros before a job, which
/// places each element on PE 0.
///
/// The words are atomic, because a thread of the program may read them before the job begins, when
/// they are written.
#[derive(Debug)]
pub(crate) struct StaticParts {
    axes: [AxisWords; 2],
    /// Of the short way to one element, the factor, and the size of a whole block in bytes or the number of
    /// PEs, negative (as the two's complement): that is an instruction less; zeros where there is no short way.
    pub(super) short: [AtomicUsize; 2],
    /// The same as a whole, for accesses to several elements: nothing before the first job. Each job of a
    /// process has as many PEs.
    whole: OnceLock<Parts>,
}

/// The words of one axis.
#[derive(Debug)]
struct AxisWords {
    coordinates: AtomicUsize,
    block: AtomicUsize,
    /// Factor and shift of the reciprocals.
    by_block: [AtomicUsize; 2],
    by_coordinates: [AtomicUsize; 2],
}

impl AxisWords {
    const fn zeros() -> AxisWords {
        const fn pair() -> [AtomicUsize; 2] {
            [AtomicUsize::new(0), AtomicUsize::new(0)]
        }
        AxisWords {
            coordinates: AtomicUsize::new(0),
            block: AtomicUsize::new(0),
            by_block: pair(),
            by_coordinates: pair(),
        }
    }

    fn set(&self, axis: &AxisParts) {
        let pair = |words: &[AtomicUsize; 2], reciprocal: Reciprocal| {
            words[0].store(reciprocal.factor as usize, Ordering::Relaxed);
            words[1].store(reciprocal.shift as usize, Ordering::Relaxed);
        };
        self.coordinates.store(axis.coordinates, Ordering::Relaxed);
        self.block.store(axis.block, Ordering::Relaxed);
        pair(&self.by_block, axis.by_block);
        pair(&self.by_coordinates, axis.by_coordinates);
    }

    #[inline(always)]
    fn reciprocal(words: &[AtomicUsize; 2]) -> Reciprocal {
        Reciprocal { factor: load_usize(&words[0]) as u64, shift: load_usize(&words[1]) as u32 }
    }

    /// The axis, of which an access reads what it needs.
    #[inline(always)]
    fn axis(&self, dealing: Dealing, extent: usize) -> AxisParts {
        AxisParts {
            dealing,
            extent,
            coordinates: load_usize(&self.coordinates),
            block: load_usize(&self.block),
            room: 0,
            by_block: AxisWords::reciprocal(&self.by_block),
            by_coordinates: AxisWords::reciprocal(&self.by_coordinates),
        }
    }
}

impl StaticParts {
    /// Those of a static before the job.
    pub(crate) const fn new() -> StaticParts {
        StaticParts {
            axes: [AxisWords::zeros(), AxisWords::zeros()],
            short: [AtomicUsize::new(0), AtomicUsize::new(0)],
            whole: OnceLock::new(),
        }
    }

    /// Writes down how the static, whose slots have `slot` bytes, is divided in this job.
    pub(crate) fn set(&self, parts: &Parts, slot: usize) {
        for (words, axis) in self.axes.iter().zip(&parts.axes) {
            words.set(axis);
        }
        let (factor, divisor) = parts.short.numbers();
        let word = match parts.distribution {
            // Without wrapping where a part has elements.
            Distribution::Block => parts.axes[1..]
                .iter()
                .fold(divisor, |all, axis| all.wrapping_mul(axis.extent))
                .wrapping_mul(slot)
                .wrapping_neg(),
            _ => divisor.wrapping_neg(),
        };
        self.short[0].store(factor as usize, Ordering::Relaxed);
        self.short[1].store(word, Ordering::Relaxed);
        self.whole.get_or_init(|| *parts);
    }

    /// How the static is divided, once a job has begun.
    #[inline]
    pub(crate) fn whole(&self) -> Option<&Parts> {
        self.whole.get()
    }

    /// The same of the words, of a static with this distribution and these extents.
    #[inline]
    fn parts(&self, distribution: Distribution, extents: [usize; MAX_RANK]) -> Parts {
        let mut axes = extents.map(AxisParts::whole);
        let dealing = match distribution {
            Distribution::Block | Distribution::Block2d => Dealing::Blocks,
            Distribution::Cyclic => Dealing::Cyclic,
            Distribution::BlockCyclic(_) => Dealing::BlockCyclic,
        };
        axes[0] = self.axes[0].axis(dealing, extents[0]);
        if distribution == Distribution::Block2d {
            axes[1] = self.axes[1].axis(dealing, extents[1]);
        }
        Parts::of(distribution, axes)
    }

    /// The PE that holds the element at an index, and how many bytes after the start of its part it lies,
    /// of a static with `rank` axes and slots of `slot` bytes. All but the index are constants, and only
    /// what is needed is read.
    ///
    /// # Safety
    ///
    /// `extents` are those of the static, which has such an index.
    #[inline(always)]
    pub(crate) unsafe fn locate(
        &self,
        distribution: Distribution,
        rank: usize,
        slot: usize,
        extents: [usize; MAX_RANK],
        index: [usize; MAX_RANK],
    ) -> (usize, usize) {
        if let Distribution::BlockCyclic(_) | Distribution::Block2d = distribution {
            // SAFETY: the caller's promise.
            let (pe, element) = unsafe { self.parts(distribution, extents).locate(index) };
            return (pe, element.wrapping_mul(slot));
        }
        let [factor, word] = &self.short;
        // An array that is so short has a short way in every job.
        let is_short = extents[0] <= LISTED;
        let quotient = if is_short {
            short::quotient_by(factor, index[0])
        } else {
            let factor = load_usize(factor);
            if factor == 0 {
                return self.locate_otherwise(distribution, slot, &extents, &index);
            }
            short::quotient(factor as u64, index[0])
        };
        // The numbers of all jobs of a process are the same, or zeros: they have as many PEs. A thread may
        // see one of the two before the other.
        let word = load_usize(word);
        let (pe, mut element, before) = if distribution == Distribution::Block {
            // SAFETY: the quotient is exact, or 0, because there is such an index. So it is a PE, and not
            // above the index. There is a short way where one of these two numbers is at most `LISTED`.
            let pe = unsafe { short::listed(quotient) };
            (pe, index[0], pe.wrapping_mul(word))
        } else {
            let rest = index[0].wrapping_add(quotient.wrapping_mul(word));
            // SAFETY: the rest of the division by the number of PEs, or where one of the two words is 0 the
            // index: not above the index, which is below an extent of at most `LISTED`. Of a longer axis,
            // what the index itself would be is cut off.
            let pe = unsafe { short::listed(if is_short { rest } else { rest % LISTED }) };
            (pe, quotient, 0)
        };
        let mut axis = 1;
        while axis < rank {
            element = element.wrapping_mul(extents[axis]).wrapping_add(index[axis]);
            axis += 1;
        }
        (pe, element.wrapping_mul(slot).wrapping_add(before))
    }

    /// The same without the short way.
    #[cold]
    #[inline(never)]
    fn locate_otherwise(
        &self,
        distribution: Distribution,
        slot: usize,
        extents: &[usize; MAX_RANK],
        index: &[usize; MAX_RANK],
    ) -> (usize, usize) {
        // Without a short way, any index may come here.
        let (pe, element) = self.parts(distribution, *extents).locate_otherwise(index);
        (pe, element.wrapping_mul(slot))
    }
}
