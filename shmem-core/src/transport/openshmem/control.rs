//! The control block of each PE: a block of the library's symmetric memory beside the heap, for the
//! transport's own data.
//!
//! The heap is closed in local phases and at the end of the job. Data that is needed then is here.

use std::sync::atomic::{AtomicU32, AtomicU64};

use super::far::SignalWords;
use crate::transport::node::counter::Counter;
use crate::transport::node::record::PeRecord;

/// The number of cores of a host that can be told apart.
pub(super) const CORES: usize = 1024;

/// One PE's control block. Zeros are its first state.
#[repr(C, align(4096))]
pub(super) struct ControlBlock {
    /// The data that PEs of this node read and write. It comes first, because PEs of other nodes
    /// read the state of the PE at the start of the block.
    pub(super) record: PeRecord,
    /// The words by which the PEs of a job on several nodes change the phase and synchronise at the
    /// end. Before, PEs tell each other by the first ones who they are.
    pub(super) phase_words: SignalWords,
    pub(super) end_words: SignalWords,
    /// Where they meet, and where those of this node count themselves in, in the block of their lead.
    pub(super) world_words: SignalWords,
    pub(super) world_arrivals: Counter,
    /// How often the PE has come there. It alone writes the word. `record.presence.visits` also counts the
    /// calls of all PEs that are routines of the library.
    pub(super) world_visits: AtomicU32,
    /// The cores that the PE may run on, one bit for each. PEs of this node read them at the start of the
    /// job.
    pub(super) cores: [AtomicU64; CORES / 64],
    /// A word for the trial of the library's atomics.
    pub(super) trial: AtomicU64,
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
