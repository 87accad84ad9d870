//! The transport's own memory on each PE, beside the heap: a block of the library's symmetric
//! memory.
//!
//! The heap is closed in local phases and ends with the job. Data that is needed then lies here.

use std::sync::atomic::{AtomicU64, Ordering};

use super::far::RoundWords;
use crate::transport::node::record::PeRecord;

/// The number of cores of a host that the bit set in a greeting can hold.
pub(super) const CORES: usize = 1024;

/// One PE's block. Zeros are its first state.
#[repr(C, align(4096))]
pub(super) struct Board {
    /// The data that PEs of this node read and write. It comes first, because others read the state
    /// of the PE at the start of the board.
    pub(super) record: PeRecord,
    /// The words by which the PEs of a job on several nodes change the phase and synchronise at the
    /// end.
    pub(super) phase_words: RoundWords,
    pub(super) end_words: RoundWords,
    /// What the other PEs read at the start of the job.
    pub(super) hello: Hello,
    /// A word for the trial of the library's atomics.
    pub(super) trial: AtomicU64,
}

/// What a PE tells the others at the start of a job.
#[derive(Default)]
#[repr(C)]
pub(super) struct Hello {
    words: [AtomicU64; Hello::WORDS],
}

/// A [`Hello`] as another PE reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Greeting {
    /// The first PE whose heap is directly addressable from this one, and the number of such PEs.
    pub(super) first: usize,
    pub(super) reaches: usize,
    /// A hash of the host's name.
    pub(super) host: u64,
    /// The cores that the PE may run on.
    pub(super) cores: [u64; CORES / 64],
}

impl Hello {
    const WORDS: usize = 3 + CORES / 64;

    pub(super) fn say(&self, greeting: &Greeting) {
        let Greeting { first, reaches, host, cores } = greeting;
        let words = [*first as u64, *reaches as u64, *host].into_iter().chain(*cores);
        for (word, value) in self.words.iter().zip(words) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// A buffer to read it into.
    pub(super) fn buffer() -> [u64; Hello::WORDS] {
        [0; Hello::WORDS]
    }
}

impl Greeting {
    pub(super) fn read(words: &[u64; Hello::WORDS]) -> Greeting {
        let [first, reaches, host, ref cores @ ..] = *words;
        Greeting { first: first as usize, reaches: reaches as usize, host, cores: *cores }
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
