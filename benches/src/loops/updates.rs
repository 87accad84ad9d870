//! Many small operations of all PEs on random cells of a table: one by one, in a batch, and by hand.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use shmem::prelude::*;

/// The words of the table on each PE: together more than the caches near the cores hold.
pub const TABLE: usize = 1 << 21;
/// How many updates ahead a cell is asked for by hand.
const AHEAD: usize = 32;

/// Random indices of a table: Marsaglia's xorshift. The peers have the same.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Other numbers for each PE, and for each `start`.
    #[must_use]
    pub fn new(pe: usize, start: u64) -> Random {
        Random((pe as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(start) | 1)
    }

    /// An index below `len`.
    #[inline(always)]
    pub fn index(&mut self, len: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * len as u128) >> 64) as usize
    }
}

/// Adds to `n` cells.
#[inline(never)]
pub fn update(table: &GlobalArray<Atomic<u64>, 1>, random: &mut Random, n: usize) {
    let len = table.len();
    for _ in 0..n {
        let i = random.index(len);
        remote!(table[@i] += 1);
    }
}

/// Adds to `n` cells in a batch. Collective.
#[inline(never)]
pub fn update_batch(world: &World, table: &GlobalArray<Atomic<u64>, 1>, random: &mut Random, n: usize) {
    let len = table.len();
    world.batch(|b| {
        for _ in 0..n {
            let i = random.index(len);
            remote!(b; table[@i] += 1);
        }
    });
}

/// Reads as many cells as there are places.
#[inline(never)]
pub fn look_up(table: &GlobalArray<Atomic<u64>, 1>, random: &mut Random, found: &mut [u64]) {
    let len = table.len();
    for place in &mut *found {
        let i = random.index(len);
        *place = remote!(table[@i]);
    }
    black_box(found);
}

/// Reads as many cells as there are places, in a batch. Collective.
#[inline(never)]
pub fn look_up_batch(
    world: &World,
    table: &GlobalArray<Atomic<u64>, 1>,
    random: &mut Random,
    found: &mut [u64],
) {
    let len = table.len();
    world.batch(|b| {
        for place in &mut *found {
            let i = random.index(len);
            remote!(b; table[@i] => place);
        }
    });
    black_box(found);
}

// By hand -------------------------------------------------------------------------------------------------------

/// The parts of the table, in the order of the PEs.
#[derive(Debug)]
pub struct Parts(Vec<*mut u64>);

impl Parts {
    /// The parts that begin at these addresses.
    ///
    /// # Safety
    ///
    /// Each has [`TABLE`] words, which all PEs access atomically as long as this exists.
    #[must_use]
    pub unsafe fn new(parts: Vec<*mut u64>) -> Parts {
        Parts(parts)
    }

    fn len(&self) -> usize {
        self.0.len() * TABLE
    }

    #[inline(always)]
    fn cell(&self, i: usize) -> &AtomicU64 {
        let part = self.0[i / TABLE];
        // SAFETY: the place is below `TABLE`, and `new` was promised so many words.
        unsafe { AtomicU64::from_ptr(part.add(i % TABLE)) }
    }

    /// Adds to `n` cells.
    #[inline(never)]
    pub fn update(&self, random: &mut Random, n: usize) {
        for _ in 0..n {
            self.cell(random.index(self.len())).fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Adds to `n` cells, each of which was asked for before.
    #[inline(never)]
    pub fn update_ahead(&self, random: &mut Random, n: usize) {
        let mut ahead = random.clone();
        for _ in 0..AHEAD.min(n) {
            fetch(self.cell(ahead.index(self.len())));
        }
        for _ in 0..n {
            fetch(self.cell(ahead.index(self.len())));
            self.cell(random.index(self.len())).fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Reads as many cells as there are places.
    #[inline(never)]
    pub fn look_up(&self, random: &mut Random, found: &mut [u64]) {
        for place in &mut *found {
            *place = self.cell(random.index(self.len())).load(Ordering::Relaxed);
        }
        black_box(found);
    }
}

/// Asks for the cache line of a cell, to write to it, where there is an instruction for that.
#[inline(always)]
fn fetch(cell: &AtomicU64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch has no effect that a program sees. A processor that has no `prefetchw` takes it
    // for an instruction without effect.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) cell, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = cell;
}
