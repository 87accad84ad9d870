//! Operations on PEs that are not directly addressable, collected by PE and sent in messages.
//!
//! The receiver performs a message when it is in a batch itself: when it sends a message, and while it
//! waits at its end. A sender that finds no free place waits for [`PATIENCE`], performs messages of
//! others meanwhile, and then takes its own message back ([`mailbox`](super::mailbox)) and performs it
//! by single operations. So no operation depends on another PE's calls. From then on it does not wait
//! for this PE, until an answer comes.
//!
//! # Atomicity
//!
//! The receiver performs an update by the atomic operation of the transport, on its own heap. It is the
//! operation that any other PE would use, so all of them are atomic with regard to each other.
//!
//! # Memory
//!
//! The places for messages lie in the runtime's part of each heap. Their number follows from the number
//! of PEs, and so does the room for what is collected. Neither depends on the number of operations.
//!
//! # Safety
//!
//! A message names offsets that its sender has checked, and its receiver does not check them again. The
//! sender borrows the objects until its batch has ended, and no PE gives the memory of an object to
//! another one before all PEs have released it. A batch ends, also by a panic, when the answers to all of
//! its messages are there, or they were taken back. So an object lives when an operation on it is
//! performed, on whichever PE. The receiver is in the same kind of phase as the sender: no phase begins
//! on a PE that is in a batch.

use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Instant;

use super::mailbox::{self, MailWords};
use super::message::{LARGEST, Sent, SentKind, each_sent, words};
use crate::runtime::bytes::bytes;
use crate::runtime::target::Mode;
use crate::runtime::{self, Runtime, direct, far};
use crate::system::tuning::batch::PATIENCE;
use crate::transport::copy::copy;
use crate::transport::layout::{mail, mail::PLACES};
use crate::transport::{Amo, Ctx, Width, cell};

/// The exchange of this process.
static EXCHANGE: Mutex<Exchange> = Mutex::new(Exchange { boxes: Vec::new(), number: 0 });

/// What is collected for each PE, and what is under way.
pub(super) struct Exchange {
    boxes: Vec<Outbox>,
    /// The number of the last message.
    number: u64,
}

/// Where a value goes that is read.
struct Wanted {
    to: *mut u8,
    size: usize,
}

/// A message, from its first operation until its answer is there.
#[derive(Default)]
struct Message {
    /// Its number while it is under way; 0 before.
    number: u64,
    words: Vec<u64>,
    wanted: Vec<Wanted>,
    /// How many words come back.
    reply: usize,
}

// SAFETY: the addresses are used by the thread that is in the batch alone, which has the lock of the
// exchange all the time; no message is left when it gives the lock away.
unsafe impl Send for Exchange {}

/// The messages to one PE: one collects operations, the other one may be under way.
#[derive(Default)]
struct Outbox {
    messages: [Message; PLACES],
    filling: usize,
    /// It did not answer in time.
    is_late: bool,
}

impl Message {
    /// The message without its first word, which is that of its length.
    fn operations(&self) -> &[u64] {
        self.words.get(1..).unwrap_or_default()
    }

    fn clear(&mut self) {
        self.number = 0;
        self.words.clear();
        self.wanted.clear();
        self.reply = 0;
    }
}

/// The words of a place: the flag on `receiver`, the credit on `sender`.
struct MailPlace {
    runtime: &'static Runtime,
    sender: usize,
    receiver: usize,
    place: usize,
}

impl MailPlace {
    /// A word of this PE's own heap. It is read by loads, as waits read it.
    fn own(&self, offset: usize) -> u64 {
        // SAFETY: a word of the runtime's part of this PE's heap, which is aligned and stays mapped.
        unsafe { AtomicU64::from_ptr(self.runtime.own_heap().add(offset).cast()) }.load(Ordering::Acquire)
    }

    fn set(&self, pe: usize, offset: usize, number: u64) {
        let transport = self.runtime.transport();
        transport.fence(Ctx::DEFAULT);
        // SAFETY: a word of the runtime's part of the heap of a PE that there is.
        unsafe { transport.update(Ctx::DEFAULT, pe, offset, Width::W8, Amo::Set(number)) };
    }
}

impl MailWords for MailPlace {
    fn set_flag(&self, number: u64) {
        self.set(self.receiver, mail::flag(self.sender, self.place), number);
    }

    fn flag(&self) -> u64 {
        self.own(mail::flag(self.sender, self.place))
    }

    fn take_flag(&self, number: u64) -> bool {
        let op = Amo::CompareSwap { expected: number, new: 0 };
        let offset = mail::flag(self.sender, self.place);
        // SAFETY: as in `set`.
        unsafe { self.runtime.transport().amo(Ctx::DEFAULT, self.receiver, offset, Width::W8, op) == number }
    }

    fn set_credit(&self, number: u64) {
        self.set(self.sender, mail::credit(self.receiver, self.place), number);
    }

    fn credit(&self) -> u64 {
        self.own(mail::credit(self.receiver, self.place))
    }
}

/// Whether PEs send each other messages in this job. It is the same on all PEs.
pub(super) fn is_needed(runtime: &Runtime) -> bool {
    let facts = &runtime.endpoint().facts;
    (facts.groups.is_some() || !runtime.uses_loads_and_stores())
        && (2..=mail::MOST_PES).contains(&facts.n_pes)
}

/// The exchange, for a batch that begins; `None` where messages are not needed, and while another batch
/// of this process has it.
pub(super) fn open(runtime: &Runtime) -> Option<MutexGuard<'static, Exchange>> {
    if !is_needed(runtime) {
        return None;
    }
    let mut exchange = match EXCHANGE.try_lock() {
        Ok(exchange) => exchange,
        Err(TryLockError::Poisoned(exchange)) => exchange.into_inner(),
        Err(TryLockError::WouldBlock) => return None,
    };
    exchange.boxes.resize_with(runtime.endpoint().facts.n_pes, Outbox::default);
    Some(exchange)
}

impl Exchange {
    /// Takes in an operation on an element of PE `pe`, with its value, or with where its value goes.
    ///
    /// # Safety
    ///
    /// There is such a PE. The element is one of an object that lives until the batch has ended, and as
    /// large as `sent` says, [`LARGEST`] at most; `operand` has its value. `to` has room for it until
    /// the batch has ended, and is read by nobody before.
    #[inline]
    pub(super) unsafe fn issue(&mut self, pe: usize, sent: Sent, operand: &[u64], to: *mut u8) {
        debug_assert!(operand.len() == sent.operand_words() && sent.size <= LARGEST);
        let room = mail::room(self.boxes.len()) / 8;
        let outbox = &self.boxes[pe];
        let message = &outbox.messages[outbox.filling];
        if message.words.len() + 1 + operand.len() > room || message.reply + sent.reply_words() > room {
            self.send(pe);
            self.make_room(pe);
        }
        let outbox = &mut self.boxes[pe];
        let message = &mut outbox.messages[outbox.filling];
        if message.words.is_empty() {
            message.words.push(0);
        }
        message.words.push(sent.word());
        message.words.extend_from_slice(operand);
        if sent.kind.reads() {
            message.reply += sent.reply_words();
            message.wanted.push(Wanted { to, size: sent.size });
        }
    }

    /// Sends what is collected for `pe`.
    fn send(&mut self, pe: usize) {
        let (runtime, me) = (runtime::get(), direct::my_pe());
        let outbox = &mut self.boxes[pe];
        let place = outbox.filling;
        let message = &mut outbox.messages[place];
        if message.words.is_empty() {
            return;
        }
        self.number += 1;
        message.number = self.number;
        message.words[0] = message.words.len() as u64;
        let (to, words) = (mail::inbox(me, place, runtime.endpoint().facts.n_pes), bytes(&message.words));
        // SAFETY: the place for messages of this PE in the runtime's part of the receiver's heap has
        // room for it, and the last message there was answered or taken back.
        unsafe { runtime.transport().put(Ctx::DEFAULT, pe, to, words.as_ptr(), words.len()) };
        mailbox::send(&MailPlace { runtime, sender: me, receiver: pe, place }, message.number);
    }

    /// Makes the other place for messages to `pe` the one that is filled, as soon as it is free.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, pe: usize) {
        let place = (self.boxes[pe].filling + 1) % PLACES;
        self.boxes[pe].filling = place;
        self.serve();
        self.settle(pe, place);
    }

    /// Waits until the message at a place is performed, by its receiver or by this PE.
    fn settle(&mut self, pe: usize, place: usize) {
        let mut since = None;
        let mut looks = 0_u32;
        let endpoint = runtime::get().endpoint();
        while !self.is_settled(pe, place) {
            let begin = *since.get_or_insert_with(Instant::now);
            let is_late = self.boxes[pe].is_late || begin.elapsed() > PATIENCE;
            if is_late {
                self.boxes[pe].is_late = true;
                if self.take_back(pe, place) {
                    return;
                }
            }
            self.serve();
            endpoint.meetings.progress();
            looks += 1;
            if endpoint.facts.oversubscribed || looks > 100 {
                rustix::thread::sched_yield();
            } else {
                std::hint::spin_loop();
            }
        }
    }

    /// Whether no message is under way from a place. If its answer is there, it is read first.
    fn is_settled(&mut self, pe: usize, place: usize) -> bool {
        let (runtime, me) = (runtime::get(), direct::my_pe());
        let outbox = &mut self.boxes[pe];
        let message = &mut outbox.messages[place];
        if message.number == 0 {
            return true;
        }
        if !mailbox::is_answered(&MailPlace { runtime, sender: me, receiver: pe, place }, message.number) {
            return false;
        }
        outbox.is_late = false;
        let from = runtime.own_heap().wrapping_add(mail::reply(pe, place, runtime.endpoint().facts.n_pes));
        let mut at = 0;
        for wanted in &message.wanted {
            // SAFETY: the answer is in this PE's own heap, and nobody writes there before the next
            // message. The promise of `issue` for where the value goes.
            unsafe { copy(wanted.to, from.add(at), wanted.size) };
            at += words(wanted.size) * 8;
        }
        message.clear();
        true
    }

    /// Takes a message back, if its receiver has not begun, and performs it by single operations.
    fn take_back(&mut self, pe: usize, place: usize) -> bool {
        let (runtime, me) = (runtime::get(), direct::my_pe());
        let message = &self.boxes[pe].messages[place];
        if !mailbox::take_back(&MailPlace { runtime, sender: me, receiver: pe, place }, message.number) {
            return false;
        }
        self.perform_from_here(pe, place);
        true
    }

    /// Performs a message that is this PE's, by single operations.
    fn perform_from_here(&mut self, pe: usize, place: usize) {
        let message = &mut self.boxes[pe].messages[place];
        let mut wanted = message.wanted.iter();
        each_sent(message.operations(), |Sent { kind, size, offset }, operand| {
            // SAFETY: the promise of `issue`, for the element and for where its value goes.
            unsafe {
                if let Some(op) = operand.first().and_then(|bits| kind.update(*bits)) {
                    return far::update(Ctx::DEFAULT, pe, offset, Width::of(size), &op);
                }
                match kind {
                    SentKind::Put => {
                        far::put_bytes(
                            Mode::Blocking,
                            Ctx::DEFAULT,
                            pe,
                            offset,
                            operand.as_ptr().cast(),
                            size,
                        );
                    }
                    SentKind::Fetch => {
                        let (to, width) =
                            (wanted.next().expect("a place for each value").to, Width::of(size));
                        far::write_bits(to, width, far::amo(Ctx::DEFAULT, pe, offset, width, &Amo::Fetch));
                    }
                    _ => {
                        let to = wanted.next().expect("a place for each value").to;
                        far::get_bytes(Mode::NonBlocking, Ctx::DEFAULT, pe, offset, to, size);
                    }
                }
            }
        });
        message.clear();
    }

    /// Performs the messages of other PEs that have arrived, and returns whether there were any.
    pub(super) fn serve(&self) -> bool {
        let (runtime, me) = (runtime::get(), direct::my_pe());
        let mut any = false;
        for sender in 0..self.boxes.len() {
            for place in 0..PLACES {
                let words = MailPlace { runtime, sender, receiver: me, place };
                if let Some(number) = mailbox::receive(&words) {
                    perform_message(&words);
                    mailbox::answer(&words, number);
                    any = true;
                }
            }
        }
        any
    }

    /// Completes all operations, and waits for no PE where it `leaves` by a panic.
    pub(super) fn complete(&mut self, leaves: bool) {
        for pe in 0..self.boxes.len() {
            let place = self.boxes[pe].filling;
            if leaves {
                self.perform_from_here(pe, place);
                self.boxes[pe].is_late = true;
            } else {
                self.send(pe);
            }
        }
        for pe in 0..self.boxes.len() {
            for place in 0..PLACES {
                self.settle(pe, place);
            }
        }
    }
}

/// Performs a message that is this PE's to perform, and writes the answer to its sender.
fn perform_message(mail: &MailPlace) {
    let MailPlace { runtime, sender, place, .. } = *mail;
    let facts = &runtime.endpoint().facts;
    let (own, transport, me) = (runtime.own_heap(), runtime.transport(), direct::my_pe());
    let room = mail::room(facts.n_pes) / 8;
    let mut message = vec![0_u64; room];
    let from = own.wrapping_add(mail::inbox(sender, place, facts.n_pes));
    // SAFETY: the place for messages of the sender in this PE's own heap, which holds one as long as
    // its first word says, and nobody writes there before the answer.
    let len = unsafe {
        copy(message.as_mut_ptr().cast(), from, 8);
        let len = (message[0] as usize).min(room);
        copy(message.as_mut_ptr().cast(), from, len * 8);
        len
    };
    let (mut reply, mut updates) = (Vec::new(), false);
    each_sent(&message[1..len], |Sent { kind, size, offset }, operand| {
        debug_assert!(offset + size <= facts.heap_size);
        let at = own.wrapping_add(offset);
        // SAFETY: an element of this PE's heap, as the top of the file argues. `operand` has its value.
        unsafe {
            if let Some(op) = operand.first().and_then(|bits| kind.update(*bits)) {
                if facts.direct_atomics {
                    cell::amo(at, Width::of(size), op);
                } else {
                    transport.update(Ctx::DEFAULT, me, offset, Width::of(size), op);
                    updates = true;
                }
                return;
            }
            match kind {
                SentKind::Put => copy(at, operand.as_ptr().cast(), size),
                SentKind::Fetch if !facts.direct_atomics => {
                    reply.push(transport.amo(Ctx::DEFAULT, me, offset, Width::of(size), Amo::Fetch));
                }
                _ => {
                    let start = reply.len();
                    reply.resize(start + words(size), 0);
                    copy(reply[start..].as_mut_ptr().cast(), at, size);
                }
            }
        }
    });
    if updates {
        transport.quiet(Ctx::DEFAULT);
    }
    if !reply.is_empty() {
        fence(Ordering::Acquire);
        let to = mail::reply(me, place, facts.n_pes);
        // SAFETY: the place for this PE's answers in the runtime's part of the sender's heap has room
        // for as many words as the sender has counted.
        unsafe { transport.put(Ctx::DEFAULT, sender, to, reply.as_ptr().cast(), reply.len() * 8) };
    }
}
