//! Batches: small operations that are issued one by one, and completed together.
//!
//! * `mod.rs`: [`Pending`], the operations of one batch, from its beginning to its end;
//! * `ring.rs`: those on directly addressable elements;
//! * `combine.rs`: updates of one cell that become one;
//! * `exchange.rs`: those on other PEs, which send each other messages;
//! * `message.rs`: what a message says;
//! * `asked.rs`: elements that a message asks for already;
//! * `perform.rs`: what the receiver does;
//! * `mailbox.rs`: how it is handed over, and taken back;
//! * `ends.rs`: the end of a batch of PEs that send each other messages.

mod asked;
mod combine;
mod ends;
mod exchange;
mod mailbox;
mod message;
mod perform;
mod ring;

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::panic::Location;
use std::ptr;
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use self::combine::{CellUpdate, Combiner};
use self::exchange::Exchange;
use self::message::{LARGEST, Sent, SentKind, words};
use self::perform::read_own;
use self::ring::PrefetchRing;
use super::team::Team;
use super::{direct, far, observe, races};
use crate::runtime;
use crate::runtime::target::Mode;
use crate::system::tuning::batch::LOOK;
use crate::transport::closed;
use crate::transport::word::is_null;
use crate::transport::{Amo, Ctx, Width, cell};

/// How many batches this process is in, on whichever team.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// Whether this process is in a batch, which may hold addresses of elements.
pub(crate) fn is_open() -> bool {
    OPEN.load(Ordering::Relaxed) != 0
}

/// The batches of a team, of this PE.
pub(crate) struct TeamBatches {
    /// The place of the batch that this PE is in; null where it is in none.
    open: AtomicPtr<Location<'static>>,
    /// Counts those that this PE has ended, from the identity of the team on. So it is the same on all
    /// PEs of the team, and hardly that of another team.
    ended: AtomicU64,
}

impl TeamBatches {
    /// Those of a team that is told from others by its `identity`.
    pub(crate) fn of_team(identity: u64) -> TeamBatches {
        TeamBatches { open: AtomicPtr::default(), ended: AtomicU64::new(identity) }
    }
}

/// An element on a PE that there is, and how this process reaches it.
pub(crate) struct BatchElement {
    /// The start of the PE's heap in this process, or null where the transport carries the data.
    pub(crate) heap: *mut u8,
    pub(crate) pe: usize,
    /// Where the element lies in the heap.
    pub(crate) offset: usize,
}

/// The operations of a batch on one team, from its beginning to its end.
///
/// Dropping it does what is left to do. [`end`](Pending::end) also waits for the other PEs.
pub(crate) struct Pending<'t> {
    team: &'t Team,
    place: &'static Location<'static>,
    /// The context of what the transport carries.
    ctx: Ctx,
    ring: PrefetchRing,
    /// How many operations did not go through the ring.
    others: Cell<usize>,
    /// What is sent to other PEs; `None` where nothing is.
    exchange: Option<RefCell<MutexGuard<'static, Exchange>>>,
    /// Updates that the transport or a message will carry.
    combiner: Combiner,
    /// Whether operations are sent and combined. A run that observes them issues each by itself.
    collects: bool,
    /// This PE, and its heap where it reads its own elements at once: it needs no message for that.
    me: usize,
    own: *mut u8,
    /// Whether the closure has returned.
    returned: Cell<bool>,
    /// Neither `Send` nor `Sync`: the operations wait on one thread.
    thread: PhantomData<*const ()>,
}

impl<'t> Pending<'t> {
    /// Begins a batch at `place`.
    ///
    /// # Panics
    ///
    /// When this PE is in a batch of the team, and in a local phase.
    #[track_caller]
    pub(crate) fn begin(team: &'t Team, place: &'static Location<'static>) -> Pending<'t> {
        if closed::is_closed() {
            closed::refuse_call("`batch`");
        }
        let here = ptr::from_ref(place).cast_mut();
        let open =
            team.batches.open.compare_exchange(ptr::null_mut(), here, Ordering::Acquire, Ordering::Relaxed);
        if let Err(open) = open {
            // SAFETY: only places of programs are stored there, and they live for ever.
            let open = unsafe { &*open };
            panic!(
                "this PE is in a batch of this team already, since {open}: batches of one team do not nest, and one thread of a PE at a \
                 time is in them"
            );
        }
        OPEN.fetch_add(1, Ordering::Relaxed);
        let runtime = runtime::get();
        let exchange = exchange::open(runtime).map(RefCell::new);
        let collects = !observe::wants_operations();
        let facts = &runtime.endpoint().facts;
        Pending {
            team,
            place,
            ctx: races::context_of_batch(),
            ring: PrefetchRing::new(),
            others: Cell::new(0),
            combiner: Combiner::new(collects, facts.n_pes, facts.heap_size),
            collects,
            me: direct::my_pe(),
            own: if collects && exchange.is_some() { runtime.own_heap() } else { ptr::null_mut() },
            exchange,
            returned: Cell::new(false),
            thread: PhantomData,
        }
    }

    /// Counts an operation that is issued in another way, on the context that is returned.
    #[inline(always)]
    pub(crate) fn count(&self) -> Ctx {
        self.others.set(self.others.get() + 1);
        self.ctx
    }

    /// Issues `op`, which is an update without a result, on a cell.
    ///
    /// # Safety
    ///
    /// There is such a PE, with a cell of `width` there, in an object that no PE releases before the
    /// batch has ended.
    #[inline(always)]
    pub(crate) unsafe fn update(&self, cell: BatchElement, width: Width, op: Amo) {
        // SAFETY: the caller's promise.
        unsafe {
            if is_null(cell.heap) {
                let (kind, bits) = SentKind::of(op);
                self.update_far(CellUpdate { pe: cell.pe, offset: cell.offset, width, kind, bits });
            } else {
                self.ring.update(cell.heap.add(cell.offset), width, op);
            }
        }
    }

    /// Issues the write of an element of `size` bytes, which is a cell where it is `atomic`.
    ///
    /// # Safety
    ///
    /// As [`update`](Pending::update), of an element that is aligned to `align`; `from` holds as many
    /// bytes, and may be reused at once.
    #[inline(always)]
    pub(crate) unsafe fn put(
        &self,
        element: BatchElement,
        size: usize,
        align: usize,
        atomic: bool,
        from: *const u8,
    ) {
        let BatchElement { heap, offset, .. } = element;
        // SAFETY: the caller's promise.
        unsafe {
            if !is_null(heap) {
                return self.ring.put(heap.add(offset), size, align, atomic, from);
            }
            self.put_far(element, size, atomic, from);
        }
    }

    /// Issues the read of an element of `size` bytes to `to`.
    ///
    /// # Safety
    ///
    /// As [`put`](Pending::put). `to` has room for as many bytes, and nobody else accesses it before
    /// the batch has ended.
    #[inline(always)]
    pub(crate) unsafe fn get(
        &self,
        element: BatchElement,
        size: usize,
        align: usize,
        atomic: bool,
        to: *mut u8,
    ) {
        let BatchElement { heap, offset, .. } = element;
        // SAFETY: the caller's promise.
        unsafe {
            if !is_null(heap) {
                return self.ring.get(heap.add(offset), size, align, to);
            }
            let kind = if atomic { SentKind::Fetch } else { SentKind::Get };
            self.get_far(element.pe, Sent { kind, size, offset }, to);
        }
    }

    /// The exchange, where an operation on an element of `pe` goes in a message. Cells that only the
    /// transport updates are not sent where a message would be no faster: on a PE whose other elements
    /// are directly addressable. This PE sends to itself where it treats all PEs as far.
    #[inline(always)]
    fn sending(&self, pe: usize) -> Option<&RefCell<MutexGuard<'static, Exchange>>> {
        self.exchange_if(!direct::is_addressable(pe))
    }

    /// The same, of an update of a cell. This PE sends those of its own cells to itself too: when it performs
    /// a message, it asks for the memory of later cells ahead.
    #[inline(always)]
    fn sending_update(&self, pe: usize) -> Option<&RefCell<MutexGuard<'static, Exchange>>> {
        self.exchange_if(pe == direct::my_pe() || !direct::is_addressable(pe))
    }

    /// The exchange, where there is one and the operation `sends`.
    #[inline(always)]
    fn exchange_if(&self, sends: bool) -> Option<&RefCell<MutexGuard<'static, Exchange>>> {
        self.exchange.as_ref().filter(|_| self.collects && sends)
    }

    /// As [`count`](Pending::count), of an operation that may be sent. From time to time it performs
    /// messages of others, which may come while few are sent.
    #[inline(always)]
    fn count_far(&self) {
        let others = self.others.get() + 1;
        self.others.set(others);
        if others.is_multiple_of(LOOK) {
            self.serve();
        }
    }

    #[cold]
    #[inline(never)]
    fn serve(&self) {
        if let Some(exchange) = &self.exchange {
            exchange.borrow_mut().serve();
        }
    }

    /// [`update`](Pending::update), by a message or by the transport. Mostly it finds an update of the
    /// same cell: that is inlined, and takes few instructions.
    ///
    /// # Safety
    ///
    /// As there, with the operation as [`SentKind::of`] takes it apart.
    #[inline(always)]
    unsafe fn update_far(&self, update: CellUpdate) {
        let others = self.others.get() + 1;
        self.others.set(others);
        if others.is_multiple_of(LOOK) || !self.combiner.joins(&update) {
            let CellUpdate { pe, offset, width, kind, bits } = update;
            // SAFETY: the caller's promise.
            unsafe { self.update_alone(pe, offset, (width, kind), bits) }
        }
    }

    /// [`update_far`](Pending::update_far), where no update of the cell waits, and from time to time. What
    /// it is given comes in registers.
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(never)]
    unsafe fn update_alone(&self, pe: usize, offset: usize, (width, kind): (Width, SentKind), bits: u64) {
        if self.others.get().is_multiple_of(LOOK) {
            self.serve();
        }
        let update = CellUpdate { pe, offset, width, kind, bits };
        if let Some(update) = self.combiner.take_in(update, self.others.get()) {
            // SAFETY: the promise of the caller, or of the one who issued it before.
            unsafe { self.carry(update) }
        }
    }

    /// Carries out an update, by a message or by the transport.
    ///
    /// # Safety
    ///
    /// As [`update`](Pending::update).
    unsafe fn carry(&self, update: CellUpdate) {
        let CellUpdate { pe, offset, width, kind, bits } = update;
        // SAFETY: the caller's promise.
        unsafe {
            match self.sending_update(pe) {
                Some(exchange) => {
                    let sent = Sent { kind, size: width.bytes(), offset };
                    exchange.borrow_mut().issue(pe, sent, &[bits]);
                }
                None => {
                    let op = kind.update(bits).expect("a kind of update");
                    far::update_by_library(self.ctx, pe, offset, width, op);
                }
            }
        }
    }

    /// Does what waits in this process, or gives it to messages.
    fn empty(&self) {
        self.ring.empty();
        while let Some(update) = self.combiner.pop() {
            // SAFETY: the promise of the one who issued it.
            unsafe { self.carry(update) }
        }
    }

    /// [`put`](Pending::put), by a message or by the transport.
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(never)]
    unsafe fn put_far(&self, element: BatchElement, size: usize, atomic: bool, from: *const u8) {
        let BatchElement { pe, offset, .. } = element;
        // SAFETY: the caller's promise. A cell has 1, 2, 4 or 8 bytes.
        unsafe {
            if atomic {
                let width = Width::of(size);
                let (kind, bits) = SentKind::of(Amo::Set(cell::bits(from, width)));
                return self.update_far(CellUpdate { pe, offset, width, kind, bits });
            }
            self.count_far();
            match self.sending(pe) {
                Some(exchange) if size <= LARGEST => {
                    let mut operand = [0; words(LARGEST)];
                    from.copy_to_nonoverlapping(operand.as_mut_ptr().cast(), size);
                    let sent = Sent { kind: SentKind::Put, size, offset };
                    exchange.borrow_mut().issue(pe, sent, &operand[..words(size)]);
                }
                _ => far::put_bytes(Mode::Blocking, self.ctx, pe, offset, from, size),
            }
        }
    }

    /// [`get`](Pending::get), by a message or by the transport.
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(always)]
    unsafe fn get_far(&self, pe: usize, sent: Sent, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe {
            // The compiler knows the size, and a word has functions of its own.
            match (sent.size, sent.kind) {
                _ if pe == self.me && !is_null(self.own) => {
                    self.count_far();
                    read_own(self.own.wrapping_add(sent.offset), sent.size, to);
                }
                (8, SentKind::Get) => self.get_word(pe, sent.offset, to),
                _ => self.get_any(pe, sent, to),
            }
        }
    }

    /// [`get_far`](Pending::get_far), of a plain element of 8 bytes. If the element is asked for
    /// already, that takes few instructions, and calls nothing.
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(never)]
    unsafe fn get_word(&self, pe: usize, offset: usize, to: *mut u8) {
        let sent = Sent { kind: SentKind::Get, size: 8, offset };
        let others = self.others.get() + 1;
        if !others.is_multiple_of(LOOK)
            && let Some(exchange) = &self.exchange
            && let Ok(mut exchange) = exchange.try_borrow_mut()
            // SAFETY: the caller's promise.
            && unsafe { exchange.read_again(pe, sent, to) }
        {
            self.others.set(others);
            return;
        }
        // SAFETY: the caller's promise.
        unsafe { self.get_any(pe, sent, to) }
    }

    /// [`get_far`](Pending::get_far), of any element.
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(never)]
    unsafe fn get_any(&self, pe: usize, sent: Sent, to: *mut u8) {
        self.count_far();
        // SAFETY: the caller's promise.
        unsafe {
            match self.sending(pe) {
                Some(exchange) if sent.size <= LARGEST => exchange.borrow_mut().read(pe, sent, to),
                _ => self.get_now(pe, sent, to),
            }
        }
    }

    /// [`get_far`](Pending::get_far), where nothing is sent.
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(never)]
    unsafe fn get_now(&self, pe: usize, Sent { kind, size, offset }: Sent, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe {
            if kind == SentKind::Fetch {
                let width = Width::of(size);
                cell::write_bits(to, width, far::amo(self.ctx, pe, offset, width, Amo::Fetch));
            } else {
                far::get_bytes(Mode::NonBlocking, self.ctx, pe, offset, to, size);
            }
        }
    }

    /// Completes what was issued on a context of the batch's own.
    fn quiet_apart(&self) {
        if self.ctx != Ctx::DEFAULT {
            runtime::get().transport().quiet(self.ctx);
        }
    }

    /// Completes the operations, and waits until every PE of the team has done so. Collective.
    ///
    /// # Panics
    ///
    /// In a checked run, when another PE of the team is in another collective call.
    #[inline]
    pub(crate) fn end(self) {
        self.finish();
    }

    #[inline(never)]
    fn finish(&self) {
        self.returned.set(true);
        self.empty();
        self.quiet_apart();
        ends::end(self.team, self.place, self.exchange.as_ref());
        self.team.end_batch(self.place);
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if !self.returned.get() {
            // The others are not waited for: they may wait for this PE.
            self.empty();
            if let Some(exchange) = &self.exchange {
                exchange.borrow_mut().complete(true);
            }
            self.quiet_apart();
            runtime::get().transport().quiet(Ctx::DEFAULT);
            let done = self.ring.issued() + self.others.get();
            eprintln!(
                "shmem: PE {} left its batch at {} by a panic: all {done} operations that it had issued are complete",
                direct::my_pe(),
                self.place
            );
        }
        OPEN.fetch_sub(1, Ordering::Relaxed);
        self.team.batches.open.store(ptr::null_mut(), Ordering::Release);
    }
}
