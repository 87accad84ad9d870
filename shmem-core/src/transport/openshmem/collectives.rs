//! The library's collective routines, for the team of all PEs, where these are on several nodes.
//!
//! OpenSHMEM up to 1.4 names the PEs of a collective by an *active set*: a first one, a stride, and
//! how many. 1.5 has teams. Where a library has no active sets any more, its world team is used.
//! All other teams use transfers and meetings, which need no routine: several threads of a PE may
//! be in collectives of different teams at a time, and libraries that allow threads do not support
//! that (see [`known`](super::known)).
//!
//! The library never reduces floating-point numbers: it combines them in an order of its own, and
//! this crate promises the order of the PEs.
//!
//! Routines synchronise by words that the caller provides (`pSync`), which may be used again when
//! all PEs have left the call. Two sets of them are used alternately. A PE that enters the call
//! after the next has synchronised with all PEs in the next call, so all have left this one.

use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicUsize, Ordering};

use shmem_sys as sys;

use super::{LibraryJob, allocate};
use crate::system::tuning::library::{GATHER, GATHER_OF_EACH, REDUCTION};
use crate::transport::Routines;
use crate::transport::node::record::Node as _;
use crate::transport::operation::{BlockMove, Operation};

/// The number of words with which any routine can synchronise.
const SYNC: usize = {
    let sizes = [sys::SHMEM_COLLECT_SYNC_SIZE, sys::SHMEM_REDUCE_SYNC_SIZE, sys::SHMEM_ALLTOALL_SYNC_SIZE];
    let (mut most, mut i) = (0, 0);
    while i < sizes.len() {
        if sizes[i] > most {
            most = sizes[i];
        }
        i += 1;
    }
    most
};
/// Work elements, of 8 bytes each, for a reduction of `REDUCTION` elements: half as many and one
/// more, or the library's minimum.
const WORK: usize = {
    let least = sys::SHMEM_REDUCE_MIN_WRKDATA_SIZE;
    if REDUCTION / 2 + 1 > least { REDUCTION / 2 + 1 } else { least }
};
/// The bytes that `n_pes` PEs gather at once where [`GATHER`] bytes are not enough for a word of each: a word
/// of each.
pub(super) const fn gathered_words(n_pes: usize) -> usize {
    if n_pes * size_of::<u64>() > GATHER { n_pes * size_of::<u64>() } else { 0 }
}

/// The symmetric memory that routines need beside the data that they move.
pub(super) struct Workshop {
    start: *mut u8,
}

// SAFETY: the memory is never freed, and it belongs to the collective calls of all PEs, of which a
// PE makes one at a time.
unsafe impl Send for Workshop {}
// SAFETY: as above.
unsafe impl Sync for Workshop {}

impl Workshop {
    const SYNCS: usize = 2 * SYNC * size_of::<c_long>();
    const WORKS: usize = 2 * WORK * 8;
    /// The room for two calls, used alternately: for this PE's contribution, and for the gathered ones.
    const GATHERED: usize = 2 * (2 * GATHER);

    /// Allocates the memory. Collective. `None`, on all PEs, where the library does not have that
    /// much.
    pub(super) fn new(job: &LibraryJob) -> Option<Workshop> {
        let size = Workshop::SYNCS + Workshop::WORKS + Workshop::GATHERED + gathered_words(job.n_pes());
        let start = allocate(4096, size, job.library).ok()?;
        let words: *mut c_long = start.cast();
        for i in 0..2 * SYNC {
            // SAFETY: the words are the first part of the block.
            unsafe { words.add(i).write(sys::SHMEM_SYNC_VALUE as c_long) };
        }
        Some(Workshop { start })
    }

    /// The words by which a call synchronises.
    fn sync(&self, turn: usize) -> *mut c_long {
        // SAFETY: inside of the block.
        unsafe { self.start.cast::<c_long>().add(turn * SYNC) }
    }

    fn work(&self, turn: usize) -> *mut u8 {
        // SAFETY: inside of the block.
        unsafe { self.start.add(Workshop::SYNCS + turn * WORK * 8) }
    }

    /// The places of this PE's contribution and of all gathered ones.
    fn gathered(&self, turn: usize) -> (*mut u8, *mut u8) {
        let at = Workshop::SYNCS + Workshop::WORKS + turn * 2 * GATHER;
        // SAFETY: inside of the block.
        unsafe { (self.start.add(at), self.start.add(at + GATHER)) }
    }

    /// The place of one gathered word of each PE, where there are many PEs.
    fn gathered_words(&self) -> *mut u8 {
        // SAFETY: inside of the block, or at its end where there is no such place.
        unsafe { self.start.add(Workshop::SYNCS + Workshop::WORKS + Workshop::GATHERED) }
    }
}

/// How the library names all PEs.
#[derive(Clone, Copy)]
enum Set {
    Active { len: c_int },
    World(sys::shmem_team_t),
}

/// The routines of the team of all PEs.
pub(super) struct WorldRoutines {
    job: &'static LibraryJob,
    workshop: Workshop,
    set: Set,
    calls: AtomicUsize,
}

// SAFETY: a handle of the library's world, which any thread may use where threads may call at all.
unsafe impl Send for WorldRoutines {}
// SAFETY: as above.
unsafe impl Sync for WorldRoutines {}

impl WorldRoutines {
    /// The library's routines, if it has any. Collective; on all PEs or on none.
    pub(super) fn new(job: &'static LibraryJob) -> Option<WorldRoutines> {
        let active = sys::optional::shmem_fcollect64.is_some();
        let set = match sys::optional::SHMEM_TEAM_WORLD {
            _ if active => Set::Active { len: job.n_pes() as c_int },
            // SAFETY: the library is initialised.
            Some(world) if sys::optional::shmem_fcollectmem.is_some() => Set::World(unsafe { world() }),
            _ => return None,
        };
        Some(WorldRoutines { job, workshop: Workshop::new(job)?, set, calls: AtomicUsize::new(0) })
    }

    /// Which of the two sets of words and buffers this call uses.
    fn turn(&self) -> usize {
        // Collective: no other thread of this PE is in a call of the team.
        self.calls.fetch_add(1, Ordering::Relaxed) % 2
    }

    /// This PE's address of `len` bytes of the heap from `offset` on.
    fn at(&self, offset: usize, len: usize) -> *mut u8 {
        let heaps = &self.job.heaps;
        assert!(offset.checked_add(len).is_some_and(|end| end <= heaps.size()));
        // SAFETY: inside of the heap, as the assertion above checks.
        unsafe { super::heaps::own().add(offset) }
    }

    /// The element size of the routine to call: `places` and `len` must be multiples of it. The
    /// routines of 1.5 take bytes.
    fn unit(&self, places: &[usize], len: usize) -> Option<usize> {
        let whole =
            |unit: &usize| len.is_multiple_of(*unit) && places.iter().all(|at| at.is_multiple_of(*unit));
        match self.set {
            Set::Active { .. } => [8, 4].into_iter().find(whole),
            Set::World(_) => Some(1),
        }
    }

    /// Calls the routine for an active set with elements of `unit` bytes, or the routine of 1.5 for
    /// the world team. `false` where the library lacks it.
    fn call(
        &self,
        movement: BlockMove,
        to: *mut u8,
        from: *const u8,
        len: usize,
        unit: usize,
        turn: usize,
    ) -> bool {
        use sys::optional as o;
        /// Calls a routine, if the library has it.
        macro_rules! call {
            ($routine:expr, $($argument:expr),*) => {{
                let Some(routine) = $routine else { return false };
                // SAFETY: the caller's addresses are symmetric and have room for what the routine
                // moves; all members are here with the same sizes; the words for synchronisation
                // are free, as the module's documentation shows.
                unsafe { routine($($argument),*) };
            }};
        }
        // Also completes the direct stores, which the library does not know of.
        let _wait = self.job.visit();
        let _call = self.job.library.needed_call();
        let (to, from) = (to.cast(), from.cast_mut().cast());
        match self.set {
            Set::Active { len: n } => {
                let (sync, count) = (self.workshop.sync(turn), len / unit);
                match (movement, unit) {
                    (BlockMove::Fcollect, 8) => call!(o::shmem_fcollect64, to, from, count, 0, 0, n, sync),
                    (BlockMove::Fcollect, _) => call!(o::shmem_fcollect32, to, from, count, 0, 0, n, sync),
                    (BlockMove::Alltoall, 8) => call!(o::shmem_alltoall64, to, from, count, 0, 0, n, sync),
                    (BlockMove::Alltoall, _) => call!(o::shmem_alltoall32, to, from, count, 0, 0, n, sync),
                }
            }
            Set::World(world) => match movement {
                BlockMove::Fcollect => call!(o::shmem_fcollectmem, world, to, from, len),
                BlockMove::Alltoall => call!(o::shmem_alltoallmem, world, to, from, len),
            },
        }
        true
    }
}

/// Calls the reduction of this name for elements of this width, if the library has it. The names
/// are those for C's signed numbers; sums, products and bits of unsigned numbers are the same.
macro_rules! reductions {
    ($self:ident $operation:expr, $width:expr, $to:expr, $from:expr, $count:expr, $turn:expr;
     $($name:ident: $($bytes:literal $word:ty, $active:ident $team:ident)*;)*) => {
        match ($operation, $width) {
            $($((Operation::$name, $bytes) => {
                let (to, from): (*mut $word, *mut $word) = ($to.cast(), $from.cast());
                match $self.set {
                    Set::Active { len } => {
                        let Some(routine) = sys::optional::$active else { return false };
                        let (work, sync) = ($self.workshop.work($turn), $self.workshop.sync($turn));
                        // SAFETY: see `call`; the work array has room for half of the elements and
                        // more.
                        unsafe { routine(to.cast(), from.cast(), $count as c_int, 0, 0, len, work.cast(), sync) };
                    }
                    Set::World(world) => {
                        let Some(routine) = sys::optional::$team else { return false };
                        // SAFETY: see `call`.
                        unsafe { routine(world, to, from, $count) };
                    }
                }
            })*)*
            _ => return false,
        }
    };
}

impl Routines for WorldRoutines {
    fn exchange(&self, mine: &[u8], each: &mut dyn FnMut(usize, &[u8])) -> bool {
        let (len, n_pes) = (mine.len(), self.job.n_pes());
        // As many bytes of each at once as there is room for.
        let piece = (GATHER / n_pes / 8 * 8).max(8);
        if len == 0 || len > piece.max(GATHER_OF_EACH) {
            return false;
        }
        let mut all = vec![0; n_pes * len];
        for (number, part) in mine.chunks(piece).enumerate() {
            let gathered = part.len().next_multiple_of(8);
            let turn = self.turn();
            let (own, mut to) = self.workshop.gathered(turn);
            if gathered * n_pes > GATHER {
                // There is one room for so many. All have read it when all are here.
                to = self.workshop.gathered_words();
                let _wait = self.job.visit();
                let _call = self.job.library.needed_call();
                // SAFETY: the library is initialised; collective, as this call is.
                unsafe { sys::shmem_sync_all() };
            }
            // SAFETY: this turn's room is free, as no PE is still in the call before the last: see the
            // module's documentation.
            unsafe { part.as_ptr().copy_to(own, part.len()) };
            if !self.call(BlockMove::Fcollect, to, own, gathered, 8, turn) {
                return false;
            }
            for (member, bytes) in all.chunks_exact_mut(len).enumerate() {
                let bytes = &mut bytes[number * piece..][..part.len()];
                // SAFETY: the routine has filled these bytes.
                unsafe { to.add(member * gathered).copy_to(bytes.as_mut_ptr(), bytes.len()) };
            }
        }
        each(0, &all);
        true
    }

    fn move_blocks(&self, movement: BlockMove, to: usize, from: usize, len: usize) -> bool {
        let Some(unit) = self.unit(&[to, from], len) else { return false };
        let (to_blocks, from_blocks) = movement.blocks(self.job.n_pes());
        let (to, from) = (self.at(to, len * to_blocks), self.at(from, len * from_blocks));
        let turn = self.turn();
        self.call(movement, to, from, len, unit, turn)
    }

    fn reduce(&self, operation: Operation, width: usize, to: usize, from: usize, count: usize) -> bool {
        if count > REDUCTION || !to.is_multiple_of(width) || !from.is_multiple_of(width) {
            return false;
        }
        let (to, from) = (self.at(to, count * width), self.at(from, count * width));
        let _wait = self.job.visit();
        let _call = self.job.library.needed_call();
        let turn = self.turn();
        reductions! { self operation, width, to, from, count, turn;
            Sum: 2 i16, shmem_short_sum_to_all shmem_int16_sum_reduce 4 i32, shmem_int_sum_to_all shmem_int32_sum_reduce
                8 i64, shmem_longlong_sum_to_all shmem_int64_sum_reduce;
            Prod: 2 i16, shmem_short_prod_to_all shmem_int16_prod_reduce 4 i32, shmem_int_prod_to_all shmem_int32_prod_reduce
                8 i64, shmem_longlong_prod_to_all shmem_int64_prod_reduce;
            Min: 2 i16, shmem_short_min_to_all shmem_int16_min_reduce 4 i32, shmem_int_min_to_all shmem_int32_min_reduce
                8 i64, shmem_longlong_min_to_all shmem_int64_min_reduce;
            Max: 2 i16, shmem_short_max_to_all shmem_int16_max_reduce 4 i32, shmem_int_max_to_all shmem_int32_max_reduce
                8 i64, shmem_longlong_max_to_all shmem_int64_max_reduce;
            And: 2 i16, shmem_short_and_to_all shmem_int16_and_reduce 4 i32, shmem_int_and_to_all shmem_int32_and_reduce
                8 i64, shmem_longlong_and_to_all shmem_int64_and_reduce;
            Or: 2 i16, shmem_short_or_to_all shmem_int16_or_reduce 4 i32, shmem_int_or_to_all shmem_int32_or_reduce
                8 i64, shmem_longlong_or_to_all shmem_int64_or_reduce;
            Xor: 2 i16, shmem_short_xor_to_all shmem_int16_xor_reduce 4 i32, shmem_int_xor_to_all shmem_int32_xor_reduce
                8 i64, shmem_longlong_xor_to_all shmem_int64_xor_reduce;
        }
        true
    }
}
