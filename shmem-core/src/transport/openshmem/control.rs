//! The control block of each PE: a block of the library's symmetric memory beside the heap, for the
//! transport's own data.
//!
//! The heap is closed in local phases and at the end of the job. Data that is needed then is here.

use std::sync::atomic::{AtomicU64, Ordering};

use super::far::RoundWords;
use crate::transport::node::record::PeRecord;

/// The number of cores of a host that a [`Locality`] can name.
pub(super) const CORES: usize = 1024;

/// One PE's control block. Zeros are its first state.
#[repr(C, align(4096))]
pub(super) struct ControlBlock {
    /// The data that PEs of this node read and write. It comes first, because PEs of other nodes
    /// read the state of the PE at the start of the block.
    pub(super) record: PeRecord,
    /// The words by which the PEs of a job on several nodes change the phase and synchronise at the
    /// end.
    pub(super) phase_words: RoundWords,
    pub(super) end_words: RoundWords,
    /// Where the PE runs. The other PEs read it at the start of the job.
    pub(super) locality: LocalityWords,
    /// A word for the trial of the library's atomics.
    pub(super) trial: AtomicU64,
}

/// A [`Locality`] in the control block.
#[derive(Default)]
#[repr(C)]
pub(super) struct LocalityWords {
    words: [AtomicU64; LocalityWords::WORDS],
}

/// Where a PE runs, and whose heaps it addresses directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Locality {
    /// The first PE whose heap is directly addressable from this one, and the number of such PEs.
    pub(super) first: usize,
    pub(super) reaches: usize,
    /// A hash of the host's name.
    pub(super) host: u64,
    /// Whether the PE has found the memory in which another process reads what it does.
    pub(super) is_watched: bool,
    /// Whether it has found its journal.
    pub(super) has_journal: bool,
    /// The cores that the PE may run on.
    pub(super) cores: [u64; CORES / 64],
}

impl LocalityWords {
    const WORDS: usize = 5 + CORES / 64;

    pub(super) fn write(&self, locality: &Locality) {
        let Locality { first, reaches, host, is_watched, has_journal, cores } = locality;
        let words = [*first as u64, *reaches as u64, *host, u64::from(*is_watched), u64::from(*has_journal)];
        for (word, value) in self.words.iter().zip(words.into_iter().chain(*cores)) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// A buffer for the words of another PE.
    pub(super) fn buffer() -> [u64; LocalityWords::WORDS] {
        [0; LocalityWords::WORDS]
    }
}

impl Locality {
    /// For tests: a PE that addresses so many, of which this is the first.
    #[cfg(test)]
    pub(super) fn near(first: usize, reaches: usize) -> Locality {
        Locality { first, reaches, host: 0, is_watched: false, has_journal: false, cores: [0; CORES / 64] }
    }

    pub(super) fn read(words: &[u64; LocalityWords::WORDS]) -> Locality {
        let [first, reaches, host, is_watched, has_journal, ref cores @ ..] = *words;
        let (first, reaches) = (first as usize, reaches as usize);
        let (is_watched, has_journal) = (is_watched != 0, has_journal != 0);
        Locality { first, reaches, host, is_watched, has_journal, cores: *cores }
    }
}

/// The cores that this process may run on, one bit for each.
pub(super) fn cores() -> [u64; CORES / 64] {
    let mut cores = [0; CORES / 64];
    let mut add = |core: usize| {
        if let Some(word) = cores.get_mut(core / 64) {
            *word |= 1 << (core % 64);
        }
    };
    #[cfg(target_os = "linux")]
    if let Ok(set) = rustix::thread::sched_getaffinity(None) {
        (0..CORES).filter(|&core| set.is_set(core)).for_each(&mut add);
        return cores;
    }
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    (0..available).for_each(&mut add);
    cores
}
