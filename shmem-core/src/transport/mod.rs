//! The seam between the language and what moves the bytes.
//!
//! A [`Transport`] works on symmetric offsets (bytes from the start of a PE's symmetric heap) and
//! byte counts. It is chosen once, when the process joins its job. The hot path does not come here:
//! a peer whose heap this process can address is reached by plain loads and stores (see
//! [`direct`](crate::runtime::direct)); the trait is the path for the peers that cannot be
//! addressed, and for everything that is not a transfer.

pub(crate) mod cell;
pub(crate) mod closed;
pub(crate) mod copy;
pub(crate) mod layout;
mod members;
pub(crate) mod node;
#[cfg(feature = "openshmem")]
pub(crate) mod openshmem;
pub(crate) mod operation;
pub(crate) mod smp;
pub(crate) mod word;

pub(crate) use members::Members;

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;

use self::operation::Operation;
use crate::system::error::Error;
use crate::system::threads::ThreadLevel;

/// Where operations queue up: [`fence`](Transport::fence) and [`quiet`](Transport::quiet) of a
/// context speak of the operations that were issued on it. What the number means is known to the
/// transport that made it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ctx(usize);

impl Ctx {
    /// The one that every PE has.
    pub(crate) const DEFAULT: Ctx = Ctx(0);

    #[cfg(test)]
    pub(crate) const fn for_tests(number: usize) -> Ctx {
        Ctx(number)
    }
}

/// Parts of the job, as the numbers of their PEs. Each PE has the same to say of the parts that it
/// belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Groups {
    /// The PEs that address each other's heaps.
    pub(crate) shared: Vec<usize>,
    /// The PEs on one host.
    pub(crate) node: Vec<usize>,
}

/// One axis of a strided transfer: `count` elements, `stride` bytes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// How many elements.
    pub(crate) count: usize,
    /// Distance in bytes between the starts of two neighbours.
    pub(crate) stride: usize,
}

/// The read-modify-write operations of a transport, on a 4 or 8 byte cell.
///
/// The operand is carried in the low bytes of a `u64`, as is the value that comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amo {
    /// Read.
    Fetch,
    /// Write, atomically.
    Set(u64),
    /// Write, and return what was there.
    Swap(u64),
    /// Write `new` where `expected` stands; return what was there.
    CompareSwap { expected: u64, new: u64 },
    /// Add with wrap-around; return what was there.
    Add(u64),
    /// Bitwise and; return what was there.
    And(u64),
    /// Bitwise or; return what was there.
    Or(u64),
    /// Bitwise exclusive or; return what was there.
    Xor(u64),
}

/// The size of an atomic cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// Four bytes.
    W4,
    /// Eight bytes.
    W8,
}

impl Width {
    /// How many bytes these are.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Width::W4 => 4,
            Width::W8 => 8,
        }
    }
}

/// Where the PEs of a team meet.
pub(crate) trait Meeting: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Waits until every member has come here. Completes local stores only. Collective.
    fn sync(&self);
    /// [`quiet`](Transport::quiet) of the default context, then [`sync`](Meeting::sync).
    /// Collective.
    fn barrier(&self);
    /// The first half of a sync: says that this PE is here. [`depart`](Meeting::depart) comes next,
    /// with what is returned.
    fn arrive(&self) -> u32;
    /// The second half: waits until every member has arrived.
    fn depart(&self, visit: u32);
    /// Gives `value` to the other of two members, and returns the other's, where that is shorter
    /// than a sync and a transfer. Collective; `None` on all members or on none.
    fn exchange_pair(&self, value: [u64; 2]) -> Option<[u64; 2]>;
    /// Hands `bytes` of member `speaker` to all, equally many on each, where that takes less than
    /// to leave them and to sync: the speaker need not wait until the others have heard it. `false`
    /// where it does not, and then nothing was done; the same on all members. Collective.
    fn broadcast(&self, root: usize, bytes: &mut [u8]) -> bool;
    /// Whether all members are on one host, where a put takes no longer than a get.
    fn is_directly_addressable(&self) -> bool;
    /// Collective routines that do more at once, where this team has any; on all members or on
    /// none.
    fn routines(&self) -> Option<&dyn Routines> {
        None
    }
}

/// Collective routines of a library among the PEs of a team. Collective, each of them.
///
/// Nobody calls one before all destinations may be written, and all members call it with the same
/// values, which the caller has made sure of: [`gather`](Routines::gather) is the way, and the only
/// one whose sizes may differ by mistake. When one returns, this PE's destination is written, and
/// its source may be changed. `false` where there is none for these sizes: then nothing was done,
/// on any PE.
pub(crate) trait Routines {
    /// Hands what the members give, `mine.len()` bytes of each, to `each`, in the order of the
    /// team.
    fn gather(&self, mine: &[u8], each: &mut dyn FnMut(usize, &[u8])) -> bool;
    /// Copies `len` bytes at `from` in the heap of member `root` to `to` in the heaps of all. The
    /// two do not overlap.
    fn broadcast(&self, root: usize, to: usize, from: usize, len: usize) -> bool;
    /// Copies `len` bytes at `from` in the heap of each member to its place among those that begin
    /// at `to`, in the heaps of all.
    fn fcollect(&self, to: usize, from: usize, len: usize) -> bool;
    /// Copies `len` bytes, with the place of each member among those that begin at `from`, to the
    /// place of this PE among those that begin at `to` there.
    fn alltoall(&self, to: usize, from: usize, len: usize) -> bool;
    /// Joins `count` integers of `width` bytes at `from` in the heaps of all members, place by
    /// place, to `to` in all of them. Minima and maxima are those of signed integers. The two
    /// places are the same, or do not overlap.
    fn reduce(&self, operation: Operation, width: usize, to: usize, from: usize, count: usize) -> bool;
}

/// What does not change about a job, as this process knows it from the start on.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// The name of the transport that a user sees: `smp`, `openshmem`.
    pub(crate) name: &'static str,
    /// The number of this PE.
    pub(crate) my_pe: usize,
    /// How many PEs the job has.
    pub(crate) n_pes: usize,
    /// Bytes of symmetric heap that each PE has.
    pub(crate) heap_size: usize,
    /// What the heap of this PE starts at a multiple of, in this process: a power of two, a page or
    /// more.
    pub(crate) heap_align: usize,
    /// What a heap starts at a multiple of at most, however large it is.
    pub(crate) most_align: usize,
    /// Whether memory of the heaps that was never written reads as zeros.
    pub(crate) fresh_heaps_are_zero: bool,
    /// Whether the processor's atomic operations, through the address that
    /// [`peer`](HeapAccess::peer) gives, may be mixed with those of [`amo`](Transport::amo) on one
    /// cell. Where they may not, atomic cells are reached through the transport alone, also those
    /// of a heap that loads and stores reach; only a PE that waits for a cell of its own reads it
    /// with loads.
    pub(crate) direct_atomics: bool,
    /// Whether there are more PEs than cores where this PE runs: the PE that is waited for may need
    /// the waiter's core.
    pub(crate) oversubscribed: bool,
    /// How many threads of this process may call the transport.
    pub(crate) thread_level: ThreadLevel,
    /// The groups that this PE belongs to; `None` where all PEs share the memory of one host.
    pub(crate) groups: Option<Groups>,
}

/// This process's end of a transport: what moves data, what gives access to the heaps, and where
/// PEs meet, each behind its own trait.
///
/// A copy refers to the same transport, which lives as long as the process.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) facts: Facts,
    pub(crate) transport: &'static dyn Transport,
    pub(crate) heaps: &'static dyn HeapAccess,
    pub(crate) contexts: &'static dyn Contexts,
    pub(crate) meetings: &'static dyn Meetings,
}

impl Endpoint {
    /// An end of which one value has all parts. The value is never freed.
    pub(crate) fn new<T: Transport + HeapAccess + Contexts + Meetings + 'static>(
        facts: Facts,
        all: T,
    ) -> Endpoint {
        let all: &'static T = Box::leak(Box::new(all));
        Endpoint { facts, transport: all, heaps: all, contexts: all, meetings: all }
    }
}

/// Moves data between the heaps of the PEs and local memory, and orders and completes what was
/// moved. All operations that loads and stores do not perform pass here.
///
/// # Safety
///
/// An implementation promises that for every PE `p < n_pes`:
///
/// * `put`, `get` and their strided forms touch, in the heap of `pe`, exactly the bytes that their
///   arguments name, and nothing else of any PE;
/// * what `put` and `iput` read and `get` and `iget` write in local memory is theirs until they
///   return, of `put_nbi` and `get_nbi` until the next `quiet` of the context returns, and not
///   longer;
/// * any threads may use any context at any time, where [`Facts::thread_level`] allows them to call
///   at all.
pub(crate) unsafe trait Transport: Send + Sync {
    /// Copies `len` bytes from `src` to `offset` in the heap of `pe`. The source may be reused when
    /// it returns; `pe` has the bytes after a [`quiet`](Transport::quiet).
    ///
    /// # Safety
    ///
    /// `src..src + len` is readable, and `offset + len <= heap_size`; `pe < n_pes`. `ctx` is the
    /// default one, or was made and not destroyed: so for all operations.
    unsafe fn put(&self, ctx: Ctx, pe: usize, offset: usize, src: *const u8, len: usize);

    /// Copies `len` bytes from `offset` in the heap of `pe` to `dst`. They are there when it
    /// returns.
    ///
    /// # Safety
    ///
    /// `dst..dst + len` is writable, and `offset + len <= heap_size`; `pe < n_pes`.
    unsafe fn get(&self, ctx: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize);

    /// As [`put`](Transport::put), and need not be done with the source before the next
    /// [`quiet`](Transport::quiet) of `ctx`.
    ///
    /// # Safety
    ///
    /// As `put`; nobody writes to the source, and it stays where it is, until a `quiet` of `ctx`
    /// has returned.
    unsafe fn put_nbi(&self, ctx: Ctx, pe: usize, offset: usize, src: *const u8, len: usize) {
        // SAFETY: the caller's promises, of which `put` needs less.
        unsafe { self.put(ctx, pe, offset, src, len) }
    }

    /// As [`get`](Transport::get), and the bytes need not be there before the next
    /// [`quiet`](Transport::quiet) of `ctx`.
    ///
    /// # Safety
    ///
    /// As `get`; nobody reads or writes the destination, and it stays where it is, until a `quiet`
    /// of `ctx` has returned.
    unsafe fn get_nbi(&self, ctx: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize) {
        // SAFETY: the caller's promises, of which `get` needs less.
        unsafe { self.get(ctx, pe, offset, dst, len) }
    }

    /// Copies `run.count` elements of `elem` bytes, `src_stride` bytes apart in local memory (0
    /// repeats one element), to `offset` in the heap of `pe`, `run.stride` bytes apart; complete as
    /// [`put`](Transport::put).
    ///
    /// # Safety
    ///
    /// As [`put`](Transport::put), for every element.
    #[expect(clippy::too_many_arguments, reason = "those of `shmem_ctx_iput`, and the size of an element")]
    unsafe fn iput(
        &self,
        ctx: Ctx,
        pe: usize,
        offset: usize,
        run: Run,
        src: *const u8,
        src_stride: usize,
        elem: usize,
    );

    /// Copies `run.count` elements of `elem` bytes, `run.stride` bytes apart in the heap of `pe`
    /// from `offset` on, to `dst`, without gaps. They are there when it returns.
    ///
    /// # Safety
    ///
    /// As [`get`](Transport::get), for every element.
    unsafe fn iget(&self, ctx: Ctx, pe: usize, offset: usize, run: Run, dst: *mut u8, elem: usize);

    /// Performs `op` on the cell at `offset` in the heap of `pe`, and returns what was there before
    /// (of [`Amo::Set`] nothing that means anything). When it returns, the cell has changed,
    /// whatever the operation: operations that follow find it so, also those of other contexts.
    ///
    /// It acquires: what a PE stored, or put and fenced, before the update that is read here is
    /// seen after.
    ///
    /// # Safety
    ///
    /// The cell lies inside the heap, aligned to its width, and holds an atomic object;
    /// `pe < n_pes`.
    unsafe fn amo(&self, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> u64;

    /// Performs `op`, which is no [`Amo::Fetch`], on the cell at `offset` in the heap of `pe`. As
    /// with a [`put`](Transport::put), it has changed for certain after a
    /// [`quiet`](Transport::quiet) of `ctx`.
    ///
    /// # Safety
    ///
    /// As [`amo`](Transport::amo).
    unsafe fn update(&self, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) {
        // SAFETY: the caller's promises.
        unsafe { self.amo(ctx, pe, offset, width, op) };
    }

    /// Orders the puts and updates of `ctx`, and the stores through [`peer`](HeapAccess::peer),
    /// that came before it ahead of those that come after, for each target PE (`shmem_ctx_fence`).
    fn fence(&self, ctx: Ctx);
    /// Completes all operations of this PE on `ctx`, and its stores through
    /// [`peer`](HeapAccess::peer) (`shmem_ctx_quiet`).
    fn quiet(&self, ctx: Ctx);
    /// As [`quiet`](Transport::quiet), of the operations on `pes`, numbered as in the job
    /// (`shmem_ctx_pe_quiet`).
    fn pe_quiet(&self, ctx: Ctx, pes: &[usize]) {
        let _ = pes;
        self.quiet(ctx);
    }
}

/// This process's access to the heaps by loads and stores.
///
/// # Safety
///
/// An implementation promises that:
///
/// * `peer(p)`, when it answers, is the start of [`Facts::heap_size`] bytes that stay mapped,
///   readable and writable until the process ends, and that are aligned to a page, those of this PE
///   also to [`Facts::heap_align`]; only a local phase takes access away for a while;
/// * between `close` and `open` no access to symmetric memory takes place in this process but
///   through the address that the first returned.
pub(crate) unsafe trait HeapAccess: Send + Sync {
    /// The start of the heap of `pe` in this process, where loads and stores reach it.
    fn peer(&self, pe: usize) -> Option<*mut u8>;

    /// Refuses the transfers that begin after it, until [`open`](HeapAccess::open). Those that have
    /// begun either end before it returns, so that a [`quiet`](Transport::quiet) completes them, or
    /// are stopped by [`close`](HeapAccess::close).
    fn refuse_transfers(&self);
    /// Makes sure that no thread of this process reaches symmetric memory through an address that
    /// it has got from [`peer`](HeapAccess::peer) or holds inside of a transfer, until
    /// [`open`](HeapAccess::open): whoever tries ends the process. To be called when transfers are
    /// refused, and all contexts quiet.
    ///
    /// Returns the start of the heap of this PE, aligned to a page, at which the caller alone may
    /// access it until then.
    ///
    /// # Errors
    ///
    /// When the system refuses; then nothing can be said of either access.
    fn close(&self) -> Result<NonNull<u8>, Error>;
    /// Takes back what [`refuse_transfers`](HeapAccess::refuse_transfers) and
    /// [`close`](HeapAccess::close) did.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    fn open(&self) -> Result<(), Error>;
}

/// Where the PEs of a job meet, and what each knows of the others' presence.
pub(crate) trait Meetings: Send + Sync {
    /// The place of member `rank` where a team meets. Its words are at `offset` in the heaps of its
    /// members, and were used for nothing but meetings. No other team that a member has been in at
    /// this place has the same `identity`; all members give the same.
    ///
    /// To be called by all members before any of them uses it.
    fn meeting(&self, offset: usize, members: &Members, rank: usize, identity: u64) -> Box<dyn Meeting>;
    /// Waits until every PE has come here (`shmem_sync_all`). Collective.
    fn sync_all(&self);
    /// [`quiet`](Transport::quiet) of the default context, then [`sync_all`](Meetings::sync_all)
    /// (`shmem_barrier_all`). Collective.
    fn barrier_all(&self);
    /// Waits until every PE has come to its next change of phase, and sees what all stored before.
    /// Collective, for local phases alone: the k-th call on one PE meets the k-th on every other,
    /// and nothing else. By one thread of a PE at a time.
    fn sync_phase(&self);
    /// [`quiet`](Transport::quiet) of the default context, then waits until every PE has come to
    /// its end. Collective; meets nothing else.
    fn sync_end(&self);
    /// Whether nobody but the calling thread is left to change memory: every other PE has returned
    /// from its function, and this process has one thread. False where that is not known.
    fn is_deserted(&self) -> bool;
    /// Whether `pe` has returned from its function, and had one thread then, so that nothing of it
    /// is left that could act.
    fn has_returned_alone(&self, pe: usize) -> bool;
    /// Whether the job has ended, and cells of other PEs are not reached any more: for destructors
    /// that run then.
    fn is_over(&self) -> bool {
        false
    }
    /// Does what transfers that are under way need of this process, where they need anything: for
    /// whoever waits, and where atomics are not [direct](Facts::direct_atomics) also for whoever
    /// tests a cell in vain. `true` where they need it: a waiter must come back soon, and not
    /// sleep.
    fn progress(&self) -> bool {
        false
    }
}

/// Makes and destroys contexts.
pub(crate) trait Contexts: Send + Sync {
    /// Makes a context, which any threads may use.
    ///
    /// # Errors
    ///
    /// When there can be no more.
    fn create(&self) -> Result<Ctx, Error>;
    /// Completes what was issued on `ctx`, and takes back what [`create`](Contexts::create) made.
    /// Nobody uses it after.
    fn destroy(&self, ctx: Ctx);
}
