//! The seam between the language and what moves the bytes.
//!
//! A [`Transport`] works on symmetric offsets (bytes from the start of a PE's symmetric heap) and
//! byte counts. It is chosen once, when the process joins its job. The hot path does not use it: a
//! directly addressable peer is reached by plain loads and stores (see
//! [`direct`](crate::runtime::direct)). The trait serves the peers that are not directly
//! addressable, and everything that is not a transfer.

mod amo;
pub(crate) mod cell;
pub(crate) mod closed;
pub(crate) mod copy;
pub(crate) mod gather;
pub(crate) mod layout;
#[cfg_attr(not(feature = "openshmem"), allow(dead_code, reason = "who sends to whom is for several nodes"))]
mod members;
pub(crate) mod node;
#[cfg(feature = "openshmem")]
pub(crate) mod openshmem;
pub(crate) mod operation;
pub(crate) mod reversed;
pub(crate) mod smp;
pub(crate) mod word;

pub(crate) use amo::AmoKind;
pub(crate) use members::{Members, Sender};

// Other faces have it by the module `untyped`.
#[cfg_attr(not(feature = "untyped"), allow(unreachable_pub))]
pub use amo::{Amo, Combine, NumberKind, Width};

use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;

use self::node::traffic::Traffic;
use self::node::waits::WaitRecord;
use self::operation::{BlockMove, Operation};
use crate::system::error::Error;
use crate::system::sync::AtomicU64;
use crate::system::threads::ThreadLevel;

/// A context, which holds a queue of operations: its [`fence`](Transport::fence) and
/// [`quiet`](Transport::quiet) cover the operations that were issued on it. Only the transport that
/// made the number interprets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ctx(usize);

impl Ctx {
    /// The default context, which every PE has.
    pub(crate) const DEFAULT: Ctx = Ctx(0);

    #[cfg(test)]
    pub(crate) const fn for_tests(number: usize) -> Ctx {
        Ctx(number)
    }

    /// No transport gives a context this bit.
    const NUMBERED: usize = 1 << (usize::BITS - 1);
    /// The bit of numbered contexts that are batches.
    const BATCH: usize = 1 << 30;

    /// The context with this number, for a run in which the transport has no contexts of its own, and
    /// they are told apart all the same.
    pub(crate) fn numbered(number: usize) -> Ctx {
        Ctx(Ctx::NUMBERED | number)
    }

    /// As [`numbered`](Ctx::numbered), for the operations of a batch.
    pub(crate) fn of_batch(number: usize) -> Ctx {
        Ctx(Ctx::NUMBERED | Ctx::BATCH | (number % Ctx::BATCH))
    }

    /// Whether the [number](Ctx::number) is that of a batch.
    pub(crate) fn is_of_batch(number: u32) -> bool {
        let both = Ctx(Ctx::NUMBERED | Ctx::BATCH).number();
        number & both == both
    }

    /// The context of the transport that carries the operations of this one.
    pub(crate) fn carrier(self) -> Ctx {
        if self.0 & Ctx::NUMBERED == 0 { self } else { Ctx::DEFAULT }
    }

    /// A number that tells it from other contexts.
    pub(crate) fn number(self) -> u32 {
        let folded = (self.0 ^ self.0 >> 32) as u32;
        // The handle of a library's context is an address, which may have any lower bits.
        if self.0 & Ctx::NUMBERED == 0 { folded & !(1 << 31) } else { folded }
    }
}

/// Parts of the job, as the numbers of their PEs. All PEs of a part list the same members.
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

/// A part of a batch: elements at one distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchPiece {
    /// Where the first element lies in the heap.
    pub(crate) offset: usize,
    /// The elements in the heap, which ascend.
    pub(crate) run: Run,
    /// How far the first element is from the start of the local memory.
    pub(crate) local: usize,
    /// Distance in bytes of the elements in local memory; 0 repeats one element, in a put.
    pub(crate) step: usize,
}

impl BatchPiece {
    /// Whether its elements, of `elem` bytes, lie side by side on both sides.
    pub(crate) fn is_dense(&self, elem: usize) -> bool {
        self.run.count == 1 || self.run.stride == elem && self.step == elem
    }
}

/// Where the PEs of a team synchronise.
pub(crate) trait Meeting: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Waits until every member has called it. Completes local stores only. Collective.
    fn sync(&self);
    /// Completes what was begun on the default context, and stores; then [`sync`](Meeting::sync).
    /// Collective.
    fn barrier(&self);
    /// As [`barrier`](Meeting::barrier), where members have put to each other alone, and each sees what it got. What
    /// others got need not be there for it. That takes no completion where each member signals each other one itself.
    fn deliver(&self) {
        self.barrier();
    }
    /// The first half of a sync: announces that this PE has arrived. Pass the returned value to
    /// [`wait`](Meeting::wait), which must be the next call on this meeting.
    fn arrive(&self) -> u32;
    /// The second half: waits until every member has arrived.
    fn wait(&self, visit: u32);
    /// Exchanges `value` between the two members of a team and returns the other's, where that is
    /// faster than a sync and a transfer. Collective; `None` on all members or on none.
    fn exchange_pair(&self, value: [u64; 2]) -> Option<[u64; 2]>;
    /// Whether [`broadcast`](Meeting::broadcast) takes `len` bytes: where that is faster than to leave the bytes in
    /// the slot and to sync. The result is the same on all members.
    fn broadcasts(&self, len: usize) -> bool;
    /// Broadcasts `bytes` of member `root` to all members; the length is the same on each, and
    /// [`broadcasts`](Meeting::broadcasts) has it. The root need not wait until the others have read them.
    /// Collective.
    fn broadcast(&self, root: usize, bytes: &mut [u8]);
    /// As [`broadcast`](Meeting::broadcast), of the words `from` of member `root`, to as many words `to`, which
    /// the root alone may leave out. Members may call the one or the other for the same broadcast. Returns
    /// `false`, and does nothing, where `broadcast` is to be called. Collective.
    fn broadcast_words(&self, root: usize, from: &[AtomicU64], to: Option<&[AtomicU64]>) -> bool {
        let _ = (root, from, to);
        false
    }
    /// Has so many pieces of something large that member `root` has go to all members, one piece after the other:
    /// calls `copy` with the PE that has a piece, the one that gets it, and the number of the piece. One of the two is
    /// this PE. The other has come, so its destination may be written. Where members share a [host](Meeting::hosts),
    /// nobody may change what it has before [those have met](Meeting::sync_on_host). Returns `false`, and does nothing,
    /// where each member takes all from the root; the result is the same on all members. Collective.
    fn relay(&self, root: usize, pieces: usize, copy: &mut dyn FnMut(usize, usize, usize)) -> bool {
        let _ = (root, pieces, copy);
        false
    }
    /// Which members share a host, where some do and others are on other hosts; on all members or on none.
    fn hosts(&self) -> Option<HostsOfTeam<'_>> {
        None
    }
    /// Takes this member's part in a reduction that goes from host to host in so many pieces of its
    /// [lane](HostsOfTeam::lanes). The members of the lane call it with as many pieces, when
    /// [all on their hosts](Meeting::sync_on_host) have come. Only for teams with lanes.
    fn pass_along(&self, pieces: usize, part: &mut dyn LanePart) {
        let _ = (pieces, part);
    }
    /// Waits until all members on the host of this one have called it, where members [share hosts](Meeting::hosts): what
    /// one of them has read from another's memory is read. Those on other hosts may be at other calls. Does nothing where
    /// there are no such hosts. Collective.
    fn sync_on_host(&self) {}
    /// Whether all members are on one host, so that a put takes no longer than a get.
    fn is_directly_addressable(&self) -> bool;
    /// How the members combine what they say, where not all read each other's memory by loads; on all
    /// members or on none.
    fn rounds(&self) -> Option<&dyn RoundMeeting> {
        None
    }
    /// The library's collective routines, where this team has any; on all members or on none.
    fn routines(&self) -> Option<&dyn Routines> {
        None
    }
}

/// How many words a member gives to others at most in [`RoundMeeting::exchange_words`].
pub(crate) const FEW_WORDS: usize = 8;

/// A meeting of the members of a team in rounds of messages.
pub(crate) trait RoundMeeting {
    /// A [`sync`](Meeting::sync), or a [`barrier`](Meeting::barrier) if it `completes`, whose messages
    /// carry what the members combine. Collective.
    fn combine(&self, completes: bool, carried: &mut dyn Carried);
    /// Whether each party sends to all others at once; the same on all members.
    fn is_at_once(&self) -> bool;
    /// Whether members give so many words, at most [`FEW_WORDS`], to each other by
    /// [`exchange_words`](RoundMeeting::exchange_words); the same on all members.
    fn gives_words(&self, words: usize) -> bool;
    /// A [`sync`](Meeting::sync) in which each member gives a few words, all equally many, and gets those of all in the
    /// order of the team. Returns `false`, and does nothing, where [`combine`](RoundMeeting::combine) is to be called;
    /// the result is the same on all members. Collective.
    fn exchange_words(&self, mine: &[u64], each: &mut dyn FnMut(usize, &[u64])) -> bool;
}

/// The hosts of the members of a team. Members are named by their ranks.
#[derive(Clone, Copy)]
pub(crate) struct HostsOfTeam<'a> {
    /// One member on each host, in the same order on all members.
    pub(crate) leads: &'a [usize],
    /// Which of them is on the host of this member.
    pub(crate) mine: usize,
    /// The members on the host of this member, in their order.
    pub(crate) here: &'a [usize],
    /// In how many lanes a reduction can go from host to host, or 0 where the members of the hosts do not follow one
    /// another. The first members of each host have one each.
    pub(crate) lanes: usize,
}

/// What a member of a lane does in a reduction that goes from host to host, piece by piece. Each piece goes to the last
/// host, where all are joined in the order of the members, and the result comes back.
#[cfg_attr(not(feature = "openshmem"), allow(dead_code))]
pub(crate) trait LanePart {
    /// Makes this PE's destination ready for what the host before has joined.
    fn make_ready(&mut self);
    /// Joins the elements of all members on this host, in their order, after those of the hosts before, which are in this
    /// PE's destination unless the host `is_first`. The result goes to the destination of PE `after`, on the next host,
    /// and on the last one to those of all on it.
    fn join(&mut self, piece: usize, is_first: bool, after: Option<usize>);
    /// The result of a piece has come to this PE's destination from the next host: the others on this host get it.
    fn give(&mut self, piece: usize);
    /// Writes the result of a piece to the destination of PE `before`, on the host before this one.
    fn hand_on(&mut self, piece: usize, before: usize);
}

/// What the members of a team combine while they meet: see [`RoundMeeting::combine`].
///
/// Members that share a host are one *party*, and each other member is one. A few parties send what
/// each has to all others, and then join what each of these has sent. More do it in rounds: in round r
/// each party sends what it has joined so far to the party 2^r after it, and then joins what the party
/// 2^r before it has sent. What nobody has to leave or to join, because it is sent to its place, has the empty
/// methods.
#[cfg_attr(not(feature = "openshmem"), allow(dead_code))]
pub(crate) trait Carried {
    /// Puts this member's own part where the members on its host find it.
    fn leave(&mut self) {}
    /// Joins the part that PE `pe`, a member on this host, has left.
    fn join_left(&mut self, pe: usize) {
        let _ = pe;
    }
    /// Sends what was joined so far to PE `to`, for the signal by this word.
    fn send(&mut self, word: usize, to: usize);
    /// Joins what was sent to PE `at`, this one or one on its host, for the signal by this word.
    fn join_sent(&mut self, word: usize, sender: Sender, at: usize) {
        let _ = (word, sender, at);
    }
}

/// Collective routines of a library among the PEs of a team. Every one of them is collective.
///
/// The caller makes sure that all destinations may be written before any member calls, and that all
/// members pass the same values. It does so by [`exchange`](Routines::exchange), which is the only
/// routine whose sizes may differ by mistake. When a routine returns, this PE's destination is
/// written, and its source may be changed. A routine returns `false` where the library has none for
/// these sizes; then no PE has done anything.
pub(crate) trait Routines {
    /// Collects `mine.len()` bytes from each member, and passes them to `each` in the order of the
    /// team: those of one or several side by side, with the number of the first.
    fn exchange(&self, mine: &[u8], each: &mut dyn FnMut(usize, &[u8])) -> bool;
    /// Moves blocks of `len` bytes from the source, which begins at `from` in the heaps, to the
    /// destination, which begins at `to`. The two do not overlap.
    fn move_blocks(&self, movement: BlockMove, to: usize, from: usize, len: usize) -> bool;
    /// Reduces `count` integers of `width` bytes at `from` in the heaps of all members, element by
    /// element, to `to` in all of them. Minima and maxima are those of signed integers. `to` and
    /// `from` are the same, or do not overlap.
    fn reduce(&self, operation: Operation, width: usize, to: usize, from: usize, count: usize) -> bool;
}

/// The facts about a job that do not change after this process has joined it.
pub(crate) struct Facts {
    /// The name of the transport in messages: `smp`, `openshmem`.
    pub(crate) name: &'static str,
    /// The number of this PE.
    pub(crate) my_pe: usize,
    /// How many PEs the job has.
    pub(crate) n_pes: usize,
    /// Size in bytes of each PE's symmetric heap.
    pub(crate) heap_size: usize,
    /// The alignment of this PE's heap in this process: a power of two, a page or more.
    pub(crate) heap_align: usize,
    /// The largest alignment that a heap of any size can have.
    pub(crate) most_align: usize,
    /// Whether memory of the heaps that was never written reads as zeros.
    pub(crate) fresh_heaps_are_zero: bool,
    /// Whether the processor's atomic operations, through the address that
    /// [`peer`](HeapAccess::peer) gives, may be mixed with those of [`amo`](Transport::amo) on one
    /// cell. Where they may not, atomic cells are reached through the transport alone, even in a
    /// directly addressable heap. The one exception: a PE that waits for one of its own cells reads
    /// it with loads.
    pub(crate) direct_atomics: bool,
    /// Whether the host is oversubscribed: a waiter must give its core away, because the PE that it
    /// waits for may need it.
    pub(crate) oversubscribed: bool,
    /// How many threads of this process may call the transport.
    pub(crate) thread_level: ThreadLevel,
    /// The groups that this PE belongs to; `None` where all PEs share the memory of one host.
    pub(crate) groups: Option<Groups>,
}

/// This process's end of a transport. Separate traits move data, give access to the heaps, and
/// synchronise PEs.
pub(crate) struct Endpoint {
    pub(crate) facts: Facts,
    pub(crate) transport: &'static dyn Transport,
    pub(crate) heaps: &'static dyn HeapAccess,
    pub(crate) contexts: &'static dyn Contexts,
    pub(crate) meetings: &'static dyn Meetings,
}

impl Endpoint {
    /// An endpoint whose parts are all one value. The value is never freed.
    pub(crate) fn new<T: Transport + HeapAccess + Contexts + Meetings + 'static>(
        facts: Facts,
        all: T,
    ) -> Endpoint {
        let all: &'static T = Box::leak(Box::new(all));
        Endpoint { facts, transport: all, heaps: all, contexts: all, meetings: all }
    }
}

/// Moves data between the heaps of the PEs and local memory, and orders and completes the
/// transfers. All operations that loads and stores do not perform pass through this trait.
///
/// # Safety
///
/// An implementation promises that for every PE `p < n_pes`:
///
/// * `put`, `get` and their strided forms touch, in the heap of `pe`, exactly the bytes that their
///   arguments name, and nothing else of any PE;
/// * the local memory that `put` and `iput` read and `get` and `iget` write is accessed until they
///   return, that of `put_nbi` and `get_nbi` until the next `quiet` of the context returns, and not
///   longer;
/// * any threads may use any context at any time, where [`Facts::thread_level`] allows them to call
///   at all.
pub(crate) unsafe trait Transport: Send + Sync {
    /// Copies `len` bytes from `src` to `offset` in the heap of `pe`. The source may be reused when
    /// it returns. The bytes have arrived after a [`quiet`](Transport::quiet).
    ///
    /// # Safety
    ///
    /// `src..src + len` is readable, and `offset + len <= heap_size`; `pe < n_pes`. `ctx` is the
    /// default context, or was made and not destroyed. The last condition applies to all
    /// operations.
    unsafe fn put(&self, ctx: Ctx, pe: usize, offset: usize, src: *const u8, len: usize);

    /// Copies `len` bytes from `offset` in the heap of `pe` to `dst`. They have arrived when it
    /// returns.
    ///
    /// # Safety
    ///
    /// `dst..dst + len` is writable, and `offset + len <= heap_size`; `pe < n_pes`.
    unsafe fn get(&self, ctx: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize);

    /// As [`put`](Transport::put), but may read the source until the next
    /// [`quiet`](Transport::quiet) of `ctx`.
    ///
    /// # Safety
    ///
    /// As `put`; the source is not written or moved until a `quiet` of `ctx` has returned.
    unsafe fn put_nbi(&self, ctx: Ctx, pe: usize, offset: usize, src: *const u8, len: usize) {
        // SAFETY: the caller promises more than `put` needs.
        unsafe { self.put(ctx, pe, offset, src, len) }
    }

    /// As [`get`](Transport::get), but the bytes may arrive as late as the next
    /// [`quiet`](Transport::quiet) of `ctx`.
    ///
    /// # Safety
    ///
    /// As `get`; the destination is not read, written or moved until a `quiet` of `ctx` has
    /// returned.
    unsafe fn get_nbi(&self, ctx: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize) {
        // SAFETY: the caller promises more than `get` needs.
        unsafe { self.get(ctx, pe, offset, dst, len) }
    }

    /// Copies `run.count` elements of `elem` bytes, `src_stride` bytes apart in local memory (0
    /// repeats one element), to `offset` in the heap of `pe`, `run.stride` bytes apart. Completes
    /// as [`put`](Transport::put) does.
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
    /// from `offset` on, to `dst`, `dst_stride` bytes apart. They have arrived when it returns.
    ///
    /// # Safety
    ///
    /// As [`get`](Transport::get), for every element; `dst_stride` is at least `elem`, so that no
    /// two are written to one place.
    #[expect(clippy::too_many_arguments, reason = "those of `shmem_ctx_iget`, and the size of an element")]
    unsafe fn iget(
        &self,
        ctx: Ctx,
        pe: usize,
        offset: usize,
        run: Run,
        dst: *mut u8,
        dst_stride: usize,
        elem: usize,
    );

    /// Copies the pieces of a selection, of elements of `elem` bytes, from the heap of `pe` to where
    /// they belong from `to` on. If it blocks, they have arrived when it returns. The waits for them
    /// overlap. Otherwise they arrive as those of [`get_nbi`](Transport::get_nbi) do.
    ///
    /// # Safety
    ///
    /// As [`get`](Transport::get) for every element, or as `get_nbi` where it does not block; `step`
    /// is at least `elem`.
    unsafe fn get_pieces(
        &self,
        ctx: Ctx,
        pe: usize,
        pieces: &[BatchPiece],
        to: *mut u8,
        elem: usize,
        is_blocking: bool,
    ) {
        for piece in pieces {
            let (to, len) = (to.wrapping_add(piece.local), piece.run.count * elem);
            // SAFETY: the caller's promise for every element.
            unsafe {
                if !piece.is_dense(elem) {
                    self.iget(ctx, pe, piece.offset, piece.run, to, piece.step, elem);
                } else if pieces.len() > 1 || !is_blocking {
                    self.get_nbi(ctx, pe, piece.offset, to, len);
                } else {
                    self.get(ctx, pe, piece.offset, to, len);
                }
            }
        }
        if is_blocking && pieces.len() > 1 {
            self.quiet(ctx);
        }
    }

    /// Copies the pieces of a selection, of elements of `elem` bytes, from where they are from `from`
    /// on to the heap of `pe`. Completes as [`put`](Transport::put) does if it blocks, and as
    /// [`put_nbi`](Transport::put_nbi) otherwise.
    ///
    /// # Safety
    ///
    /// As `put` for every element, or as `put_nbi` where it does not block. No two elements are at
    /// one place in the heap.
    unsafe fn put_pieces(
        &self,
        ctx: Ctx,
        pe: usize,
        pieces: &[BatchPiece],
        from: *const u8,
        elem: usize,
        is_blocking: bool,
    ) {
        for piece in pieces {
            let (from, len) = (from.wrapping_add(piece.local), piece.run.count * elem);
            // SAFETY: the caller's promise for every element.
            unsafe {
                if !piece.is_dense(elem) {
                    self.iput(ctx, pe, piece.offset, piece.run, from, piece.step, elem);
                } else if is_blocking {
                    self.put(ctx, pe, piece.offset, from, len);
                } else {
                    self.put_nbi(ctx, pe, piece.offset, from, len);
                }
            }
        }
    }

    /// Performs `op` on the cell at `offset` in the heap of `pe`, and returns what was there before
    /// (for [`Amo::Set`] the value is meaningless). When it returns, the cell has changed, whatever
    /// the operation: later operations see the change, also those on other contexts.
    ///
    /// It acquires: if it reads another PE's update, it also makes visible what that PE stored, or
    /// put and fenced, before the update.
    ///
    /// # Safety
    ///
    /// The cell lies inside the heap, aligned to its width, and holds an atomic object;
    /// `pe < n_pes`.
    unsafe fn amo(&self, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> u64;

    /// As [`amo`](Transport::amo), of a cell of 4 or 8 bytes, but it may return before the cell has
    /// changed and the old value is at `into`. Both have happened after the next
    /// [`quiet`](Transport::quiet) of `ctx`, which acquires.
    ///
    /// # Safety
    ///
    /// As [`amo`](Transport::amo). `into` has room for the cell; it is not read, written or moved
    /// until a `quiet` of `ctx` has returned.
    unsafe fn amo_nbi(&self, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo, into: *mut u8) {
        // SAFETY: the caller promises more than `amo` needs, and the room.
        unsafe { cell::write_bits(into, width, self.amo(ctx, pe, offset, width, op)) }
    }

    /// Performs `op`, which is never [`Amo::Fetch`], on the cell at `offset` in the heap of `pe`.
    /// As with a [`put`](Transport::put), only a [`quiet`](Transport::quiet) of `ctx` guarantees
    /// that the cell has changed.
    ///
    /// # Safety
    ///
    /// As [`amo`](Transport::amo).
    unsafe fn update(&self, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) {
        // SAFETY: the caller's promises.
        unsafe { self.amo(ctx, pe, offset, width, op) };
    }

    /// For each target PE, orders the earlier puts and updates of `ctx`, and the earlier stores
    /// through [`peer`](HeapAccess::peer), before all later ones (`shmem_ctx_fence`).
    fn fence(&self, ctx: Ctx);
    /// Completes all operations of this PE on `ctx`, and its stores through
    /// [`peer`](HeapAccess::peer) (`shmem_ctx_quiet`).
    fn quiet(&self, ctx: Ctx);
    /// Whether [`quiet`](Transport::quiet) does nothing but to complete stores. Who sees a store that releases
    /// them sees them without it.
    fn has_stores_alone(&self) -> bool {
        false
    }
    /// As [`quiet`](Transport::quiet), but only for the operations on `pes`, which are numbers in
    /// the job (`shmem_ctx_pe_quiet`).
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
/// * if `peer(p)` returns an address, it is the start of [`Facts::heap_size`] bytes that stay
///   mapped, readable and writable until the process ends, and that are aligned to a page, those of
///   this PE also to [`Facts::heap_align`]; only a local phase takes access away for a while;
/// * between `close` and `open`, symmetric memory is accessed in this process only through the
///   address that `close` returned.
pub(crate) unsafe trait HeapAccess: Send + Sync {
    /// The start of the heap of `pe` in this process, if the heap is directly addressable.
    fn peer(&self, pe: usize) -> Option<*mut u8>;
    /// The PEs whose heaps are directly addressable, in ascending order.
    fn peers(&self) -> Vec<usize>;

    /// Refuses the transfers that begin after this call, until [`open`](HeapAccess::open). Each
    /// earlier transfer either ends before this call returns, so that a [`quiet`](Transport::quiet)
    /// completes it, or is stopped by [`close`](HeapAccess::close).
    fn refuse_transfers(&self);
    /// Until [`open`](HeapAccess::open), no thread of this process can access symmetric memory
    /// through an address that [`peer`](HeapAccess::peer) returned, or that a transfer holds: an
    /// attempt ends the process. Call it when transfers are refused, and all contexts are quiet.
    ///
    /// Returns the start of the heap of this PE, aligned to a page. Until `open`, only the caller
    /// may access the heap, and only at this address.
    ///
    /// # Errors
    ///
    /// When the system refuses. Then neither kind of access is certain to be allowed or forbidden.
    fn close(&self) -> Result<NonNull<u8>, Error>;
    /// Reverts [`refuse_transfers`](HeapAccess::refuse_transfers) and [`close`](HeapAccess::close).
    ///
    /// # Errors
    ///
    /// When the system refuses.
    fn open(&self) -> Result<(), Error>;
    /// Maps the `len` bytes from `offset` on in this PE's heap once more, at `address`, in the place
    /// of what is mapped there. The mapping stays until the process ends;
    /// [`close`](HeapAccess::close) does not close it.
    ///
    /// # Safety
    ///
    /// All three are multiples of the page size, and `offset + len <= heap_size`. The pages at
    /// `address` are the caller's to replace, and nobody accesses them meanwhile.
    ///
    /// # Errors
    ///
    /// When the transport or the system cannot do it.
    unsafe fn map_over(&self, address: NonNull<u8>, offset: usize, len: usize) -> Result<(), Error>;
    /// The first part of `range` in this PE's heap that may hold anything but zeros; `None` where
    /// there is none. Bytes that nobody has touched need not be read then, which would commit
    /// memory. Nobody writes to the heap meanwhile.
    fn touched(&self, range: Range<usize>) -> Option<Range<usize>> {
        (!range.is_empty()).then_some(range)
    }
}

/// Synchronises the PEs of a job, and reports which of them are still present.
pub(crate) trait Meetings: Send + Sync {
    /// The place of member `rank` in the meeting of a team. The meeting's words are at `offset` in
    /// the heaps of its members, and were used for meetings only. All members pass the same
    /// `identity`. No other team that a member has been in at this offset has that `identity`.
    ///
    /// All members must call it before any of them uses the meeting.
    fn meeting(&self, offset: usize, members: &Members, rank: usize, identity: u64) -> Box<dyn Meeting>;
    /// Waits until every PE has called it (`shmem_sync_all`). Collective.
    fn sync_all(&self);
    /// Completes what was begun on the default context, and stores; then [`sync_all`](Meetings::sync_all)
    /// (`shmem_barrier_all`). Collective.
    fn barrier_all(&self);
    /// Waits until every PE has come to its next change of phase. This PE then sees all that the
    /// others stored before. Collective, for local phases alone: the k-th call on one PE meets the
    /// k-th on every other, and nothing else. Only one thread of a PE may be in it at a time.
    fn sync_phase(&self);
    /// [`quiet`](Transport::quiet) of the default context, then waits until every PE has come to
    /// its end. Collective; it meets no other call.
    fn sync_end(&self);
    /// Takes back what [`sync_end`](Meetings::sync_end) has told the other PEs, for another job of
    /// the same PEs. Not collective; a [`barrier_all`](Meetings::barrier_all) follows.
    fn revoke_end(&self);
    /// Whether only the calling thread can still change memory: every other PE has returned from
    /// its function, and this process has one thread. False where that is not known.
    fn is_deserted(&self) -> bool;
    /// Where this PE writes down a wait that lasts.
    fn wait_record(&self) -> &WaitRecord;
    /// Where this PE counts how much it moves, in a run that counts.
    fn traffic(&self) -> &Traffic;
    /// Whether no other thread of this process can act before the calling thread wakes it, or starts
    /// it; false where that is not known.
    fn acts_alone(&self) -> bool;
    /// Whether `pe` has returned from its function and had only one thread then, so that it can no
    /// longer act.
    fn has_returned_alone(&self, pe: usize) -> bool;
    /// Whether the job has ended, so that cells of other PEs cannot be reached any more. For
    /// destructors that run after the end.
    fn is_over(&self) -> bool {
        false
    }
    /// Drives the transfers under way that need this process, where a transport has such transfers.
    /// Every waiter calls it; where atomics are not [direct](Facts::direct_atomics), so does a test
    /// of a cell that fails. `true` where transfers need it: then a waiter must call again soon,
    /// and not sleep.
    fn progress(&self) -> bool {
        false
    }
    /// Gives the core away, unless the [`progress`](Meetings::progress) just before has done so.
    fn give_way(&self) {
        rustix::thread::sched_yield();
    }
    /// A turn of a wait that has just begun, where PEs share cores: gives the core away in few instructions, and drives
    /// transfers before, where other PEs may need that soon.
    fn take_turn(&self) {
        self.progress();
        self.give_way();
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
    /// Completes the operations on `ctx`, and destroys it. It must not be used afterwards.
    fn destroy(&self, ctx: Ctx);
}
