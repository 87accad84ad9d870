//! Operations on PEs that are not directly addressable, collected by PE and sent in messages.
//!
//! The receiver performs a message when it is in a batch itself: when it sends a message, from time to
//! time when it issues an operation, and while it waits at its end. A sender that finds no free place
//! waits for [`PATIENCE`], performs messages of others meanwhile, and then takes its own message back
//! ([`mailbox`](super::mailbox)) and performs it by single operations. So no operation depends on
//! another PE's calls. From then on it does not wait for this PE, until an answer comes.
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

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Instant;

use super::asked::Asked;
use super::mailbox::{self, MailWords};
use super::message::{LARGEST, Sent};
use super::perform::{Incoming, from_here};
use crate::runtime::bytes::bytes;
use crate::runtime::{self, Runtime, direct};
use crate::system::tuning::batch::{PATIENCE, READS};
use crate::transport::copy::copy;
use crate::transport::layout::{mail, mail::PLACES};
use crate::transport::{Amo, Ctx, Width};

/// The exchange of this process.
static EXCHANGE: Mutex<Exchange> = Mutex::new(Exchange {
    boxes: Vec::new(),
    room: 0,
    number: 0,
    asked: Asked::new(),
    incoming: Incoming::new(),
});

/// What is collected for each PE, and what is under way.
pub(super) struct Exchange {
    boxes: Vec<Outbox>,
    /// The most words of a message, and of an answer.
    room: usize,
    /// The number of the last message that was begun.
    number: u64,
    asked: Asked,
    incoming: Incoming,
}

/// Where a value goes that is read, and where it is in the answer. Packed: there are as many of them as
/// reads, and they take most of the memory.
#[derive(Clone, Copy)]
#[repr(C, packed(4))]
struct Wanted {
    to: *mut u8,
    /// In words.
    at: u16,
    size: u16,
}

const _: () = assert!(mail::room(2) / 8 <= 1 << u16::BITS && LARGEST < 1 << u16::BITS);

/// A message, from its first operation until its answer is there.
#[derive(Default)]
struct Message {
    /// Which of the places for messages to the PE is its own.
    place: usize,
    /// Its number; 0 before its first operation.
    number: u64,
    is_sent: bool,
    words: Vec<u64>,
    wanted: Vec<Wanted>,
    /// How many words come back.
    reply: usize,
}

// SAFETY: the addresses are used by the thread that is in the batch alone, which has the lock of the
// exchange all the time; no message is left when it gives the lock away.
unsafe impl Send for Exchange {}

/// The messages to one PE: the first one collects operations, the other one may be under way.
struct Outbox {
    messages: [Message; PLACES],
    /// It did not answer in time.
    is_late: bool,
}

impl Outbox {
    fn new() -> Outbox {
        let messages = std::array::from_fn(|place| Message { place, ..Message::default() });
        Outbox { messages, is_late: false }
    }
}

impl Message {
    fn clear(&mut self) {
        self.number = 0;
        self.is_sent = false;
        self.words.clear();
        self.wanted.clear();
        self.reply = 0;
    }

    /// Copies the values of an answer to where they go.
    ///
    /// # Safety
    ///
    /// `answer` is aligned to words, and has as many as the message asks for. The places are as
    /// [`Exchange::read`] asks.
    unsafe fn deliver(&self, answer: *const u8) {
        for wanted in &self.wanted {
            let Wanted { to, at, size } = *wanted;
            // SAFETY: the caller's promise.
            unsafe {
                let from = answer.add(usize::from(at) * 8);
                if size == 8 {
                    let word = AtomicU64::from_ptr(from.cast_mut().cast()).load(Ordering::Relaxed);
                    to.cast::<u64>().write_unaligned(word);
                } else {
                    copy(to, from, usize::from(size));
                }
            }
        }
    }
}

/// The words of a place: the flag on `receiver`, the credit on `sender`.
pub(super) struct MailPlace {
    pub(super) runtime: &'static Runtime,
    pub(super) sender: usize,
    pub(super) receiver: usize,
    pub(super) place: usize,
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
    let n_pes = runtime.endpoint().facts.n_pes;
    exchange.boxes.resize_with(n_pes, Outbox::new);
    exchange.room = mail::room(n_pes) / 8;
    Some(exchange)
}

impl Exchange {
    /// The message to `pe` that is filled, with room for so many words more, of the message and of its
    /// answer, and for another value.
    #[inline(always)]
    fn fill(&mut self, pe: usize, words: usize, reply: usize) -> &mut Message {
        if !self.has_room(pe, words, reply) {
            self.send(pe);
            self.make_room(pe);
        }
        let message = &mut self.boxes[pe].messages[0];
        if message.words.is_empty() {
            self.number += 1;
            message.number = self.number;
            message.words.push(0);
        }
        message
    }

    #[inline(always)]
    fn has_room(&self, pe: usize, words: usize, reply: usize) -> bool {
        let message = &self.boxes[pe].messages[0];
        message.words.len() + words <= self.room
            && message.reply + reply <= self.room
            && message.wanted.len() < READS * self.room
    }

    /// Takes in an operation on an element of PE `pe`, with its value.
    ///
    /// # Safety
    ///
    /// There is such a PE. The element is one of an object that lives until the batch has ended, and as
    /// large as `sent` says, [`LARGEST`] at most; `operand` has its value, if it has any.
    #[inline]
    pub(super) unsafe fn issue(&mut self, pe: usize, sent: Sent, operand: &[u64]) {
        debug_assert!(operand.len() == sent.operand_words() && sent.size <= LARGEST);
        let message = self.fill(pe, 1 + operand.len(), 0);
        message.words.push(sent.word());
        for word in operand {
            message.words.push(*word);
        }
    }

    /// Takes in the read of an element of PE `pe` to `to`.
    ///
    /// # Safety
    ///
    /// As [`issue`](Exchange::issue). `to` has room for the element until the batch has ended, and is
    /// read by nobody before.
    pub(super) unsafe fn read(&mut self, pe: usize, sent: Sent, to: *mut u8) {
        // SAFETY: the caller's promise.
        if unsafe { self.read_again(pe, sent, to) } {
            return;
        }
        let (words, reads) = (sent.reply_words(), READS * self.room);
        let message = self.fill(pe, 1, words);
        if message.wanted.is_empty() {
            message.wanted.reserve_exact(reads);
        }
        let (number, at) = (message.number, message.reply as u32);
        message.words.push(sent.word());
        message.reply += words;
        message.wanted.push(Wanted { to, at: at as u16, size: sent.size as u16 });
        self.asked.add(pe, sent, number, at);
    }

    /// As [`read`](Exchange::read), if the message asks for the element already, and has room for
    /// another place where it goes. Returns whether that is so.
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(always)]
    pub(super) unsafe fn read_again(&mut self, pe: usize, sent: Sent, to: *mut u8) -> bool {
        let Some(Outbox { messages: [message, _], .. }) = self.boxes.get_mut(pe) else { return false };
        let Some(at) = self.asked.find(pe, sent, message.number) else { return false };
        let len = message.wanted.len();
        if len == message.wanted.capacity() {
            return false;
        }
        // A `push` would bring the code that grows the list to each read.
        // SAFETY: there is room for one more, which is written before it counts.
        unsafe {
            message.wanted.as_mut_ptr().add(len).write(Wanted { to, at: at as u16, size: sent.size as u16 });
            message.wanted.set_len(len + 1);
        }
        true
    }

    /// Sends what is collected for `pe`.
    fn send(&mut self, pe: usize) {
        let (runtime, me) = (runtime::get(), direct::my_pe());
        let message = &mut self.boxes[pe].messages[0];
        let place = message.place;
        if message.words.is_empty() {
            return;
        }
        if pe == me {
            let answer = self.incoming.perform_own(runtime, &message.words[1..]);
            // SAFETY: the promise of `read` for the places.
            unsafe { message.deliver(answer.as_ptr().cast()) };
            return message.clear();
        }
        message.is_sent = true;
        message.words[0] = message.words.len() as u64;
        let (to, words) = (mail::inbox(me, place, runtime.endpoint().facts.n_pes), bytes(&message.words));
        // SAFETY: the place for messages of this PE in the runtime's part of the receiver's heap has
        // room for it, and the last message there was answered or taken back.
        unsafe { runtime.transport().put(Ctx::DEFAULT, pe, to, words.as_ptr(), words.len()) };
        mailbox::send(&MailPlace { runtime, sender: me, receiver: pe, place }, message.number);
    }

    /// Makes the other message to `pe` the one that is filled, as soon as it is settled.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, pe: usize) {
        self.boxes[pe].messages.swap(0, 1);
        self.serve();
        self.settle(pe, 0);
    }

    /// Waits until a message to `pe` is performed, by its receiver or by this PE.
    fn settle(&mut self, pe: usize, which: usize) {
        let mut since = None;
        let mut looks = 0_u32;
        let endpoint = runtime::get().endpoint();
        while !self.is_settled(pe, which) {
            let begin = *since.get_or_insert_with(Instant::now);
            let is_late = self.boxes[pe].is_late || begin.elapsed() > PATIENCE;
            if is_late {
                self.boxes[pe].is_late = true;
                if self.take_back(pe, which) {
                    return;
                }
            }
            self.serve();
            endpoint.meetings.progress();
            looks += 1;
            if endpoint.facts.oversubscribed || looks > 100 {
                endpoint.meetings.give_way();
            } else {
                std::hint::spin_loop();
            }
        }
    }

    /// Whether a message to `pe` is not under way. If its answer is there, it is read first.
    fn is_settled(&mut self, pe: usize, which: usize) -> bool {
        let (runtime, me) = (runtime::get(), direct::my_pe());
        let outbox = &mut self.boxes[pe];
        let message = &mut outbox.messages[which];
        if !message.is_sent {
            return true;
        }
        let place = message.place;
        if !mailbox::is_answered(&MailPlace { runtime, sender: me, receiver: pe, place }, message.number) {
            return false;
        }
        outbox.is_late = false;
        let answer = mail::reply(pe, place, runtime.endpoint().facts.n_pes);
        // SAFETY: the answer is in this PE's own heap, and nobody writes there before the next message.
        unsafe { message.deliver(runtime.own_heap().add(answer)) };
        message.clear();
        true
    }

    /// Takes a message back, if its receiver has not begun, and performs it by single operations.
    fn take_back(&mut self, pe: usize, which: usize) -> bool {
        let (runtime, me) = (runtime::get(), direct::my_pe());
        let Message { place, number, .. } = self.boxes[pe].messages[which];
        if !mailbox::take_back(&MailPlace { runtime, sender: me, receiver: pe, place }, number) {
            return false;
        }
        self.perform_from_here(pe, which);
        true
    }

    /// Performs a message that is this PE's, by single operations.
    fn perform_from_here(&mut self, pe: usize, which: usize) {
        let message = &mut self.boxes[pe].messages[which];
        let mut answer = vec![0_u64; message.reply];
        // SAFETY: the promises of `issue` and `read`, for the elements and for where the values go.
        unsafe {
            from_here(pe, message.words.get(1..).unwrap_or_default(), &mut answer);
            message.deliver(answer.as_ptr().cast());
        }
        message.clear();
    }

    /// Performs the messages of other PEs that have arrived, and returns whether there were any.
    pub(super) fn serve(&mut self) -> bool {
        let (runtime, me) = (runtime::get(), direct::my_pe());
        let mut any = false;
        for sender in 0..self.boxes.len() {
            for place in 0..PLACES {
                let words = MailPlace { runtime, sender, receiver: me, place };
                if let Some(number) = mailbox::receive(&words) {
                    self.incoming.perform(&words);
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
            if leaves {
                self.perform_from_here(pe, 0);
                self.boxes[pe].is_late = true;
            } else {
                self.send(pe);
            }
        }
        for pe in 0..self.boxes.len() {
            for which in 0..PLACES {
                self.settle(pe, which);
            }
        }
    }
}
