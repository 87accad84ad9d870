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
    /// Of the short way to one element, the factor, and the size of a whole block in bytes or the negative
    /// number of PEs; zeros where there is no short way.
    short: [AtomicUsize; 2],
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
                .wrapping_mul(slot),
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
    #[inline(always)]
    pub(crate) fn locate(
        &self,
        distribution: Distribution,
        rank: usize,
        slot: usize,
        extents: [usize; MAX_RANK],
        index: [usize; MAX_RANK],
    ) -> (usize, usize) {
        if let Distribution::BlockCyclic(_) | Distribution::Block2d = distribution {
            let (pe, element) = self.parts(distribution, extents).locate(index);
            return (pe, element.wrapping_mul(slot));
        }
        let factor = load_usize(&self.short[0]);
        // An array that is so short has a short way in every job.
        if extents[0] > LISTED && factor == 0 {
            return self.locate_otherwise(distribution, slot, &extents, &index);
        }
        let word = load_usize(&self.short[1]);
        let (pe, mut element, before) = if distribution == Distribution::Block {
            let pe = short::owner(factor as u64, index[0]);
            (pe, index[0], pe.wrapping_mul(word))
        } else {
            let (pe, place) = short::turn(factor as u64, word, index[0]);
            (pe, place, 0)
        };
        let mut axis = 1;
        while axis < rank {
            element = element.wrapping_mul(extents[axis]).wrapping_add(index[axis]);
            axis += 1;
        }
        (pe, element.wrapping_mul(slot).wrapping_sub(before))
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
        let (pe, element) = self.parts(distribution, *extents).locate(*index);
        (pe, element.wrapping_mul(slot))
    }
}
