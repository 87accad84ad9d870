//! The operations of a message, performed by its receiver, or by its sender that has taken it back.
//!
//! # Atomicity
//!
//! The receiver performs an update by the atomic operation of the transport, on its own heap. It is the
//! operation that any other PE would use, so all of them are atomic with regard to each other. It reads
//! its own cells by loads, as waits do.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use super::exchange::MailPlace;
use super::message::{Sent, SentKind, each_sent, words};
use super::ring::prefetch;
use crate::runtime::target::Mode;
use crate::runtime::{self, Runtime, direct, far};
use crate::system::tuning::batch::AHEAD;
use crate::transport::copy::copy;
use crate::transport::layout::mail;
use crate::transport::{Amo, Ctx, Width, cell};

/// The room in which messages of others are performed.
pub(super) struct Incoming {
    message: Vec<u64>,
    answer: Vec<u64>,
}

impl Incoming {
    pub(super) const fn new() -> Incoming {
        Incoming { message: Vec::new(), answer: Vec::new() }
    }

    /// Performs operations of this PE on its own elements. Returns what they read.
    pub(super) fn perform_own(&mut self, runtime: &Runtime, operations: &[u64]) -> &[u64] {
        self.answer.clear();
        perform(runtime, operations, &mut self.answer);
        &self.answer
    }

    /// Performs a message that is this PE's to perform, and writes the answer to its sender.
    pub(super) fn perform(&mut self, mail: &MailPlace) {
        let MailPlace { runtime, sender, place, .. } = *mail;
        let facts = &runtime.endpoint().facts;
        let (own, me) = (runtime.own_heap(), direct::my_pe());
        let room = mail::room(facts.n_pes) / 8;
        self.message.resize(room, 0);
        self.answer.clear();
        let from = own.wrapping_add(mail::inbox(sender, place, facts.n_pes));
        let to = self.message.as_mut_ptr().cast();
        // SAFETY: the place for messages of the sender in this PE's own heap, which holds one as long
        // as its first word says, and nobody writes there before the answer.
        let len = unsafe {
            copy(to, from, 8);
            let len = (self.message[0] as usize).min(room);
            copy(to, from, len * 8);
            len
        };
        perform(runtime, &self.message[1..len], &mut self.answer);
        if !self.answer.is_empty() {
            let to = mail::reply(me, place, facts.n_pes);
            let (from, len) = (self.answer.as_ptr().cast(), self.answer.len() * 8);
            // SAFETY: the place for this PE's answers in the runtime's part of the sender's heap has
            // room for as many words as the sender has counted.
            unsafe { runtime.transport().put(Ctx::DEFAULT, sender, to, from, len) };
        }
    }
}

/// Performs operations on this PE's own heap, and appends what they read to `answer`.
fn perform(runtime: &Runtime, mut all: &[u64], answer: &mut Vec<u64>) {
    let facts = &runtime.endpoint().facts;
    let (own, transport, me) = (runtime.own_heap(), runtime.transport(), direct::my_pe());
    let mut has_updated = false;
    while let Some((&word, rest)) = all.split_first() {
        let sent @ Sent { kind, size, offset } = Sent::of(word);
        debug_assert!(offset + size <= facts.heap_size);
        // Where a value stands there, it asks for another address, which does no harm.
        if let Some(&later) = all.get(AHEAD) {
            prefetch::<false>(own.wrapping_add(Sent::of(later).offset));
        }
        let (operand, rest) = rest.split_at(sent.operand_words());
        let at = own.wrapping_add(offset);
        // SAFETY: an element of this PE's heap, as the top of `exchange.rs` argues. `operand` has its
        // value.
        unsafe {
            match kind {
                SentKind::Get | SentKind::Fetch => read(at, size, answer),
                SentKind::Put => copy(at, operand.as_ptr().cast(), size),
                update => {
                    let op = update.update(operand[0]).expect("a kind of update");
                    if facts.direct_atomics {
                        cell::amo(at, Width::of(size), op);
                    } else {
                        far::update_by_library(Ctx::DEFAULT, me, offset, Width::of(size), op);
                        has_updated = true;
                    }
                }
            }
        }
        all = rest;
    }
    if has_updated {
        transport.quiet(Ctx::DEFAULT);
    }
    if !answer.is_empty() {
        fence(Ordering::Acquire);
    }
}

/// Reads an element of so many bytes of this PE's own heap to `to`.
///
/// # Safety
///
/// There is such an element, and room for it at `to`.
#[inline(always)]
pub(super) unsafe fn read_own(at: *mut u8, size: usize, to: *mut u8) {
    // SAFETY: the caller's promise; a word is read whole where it is aligned, as cells are.
    unsafe {
        if size == 8 && at.addr().is_multiple_of(8) {
            to.cast::<u64>().write_unaligned(AtomicU64::from_ptr(at.cast()).load(Ordering::Relaxed));
        } else {
            copy(to, at, size);
        }
    }
    fence(Ordering::Acquire);
}

/// Reads an element of so many bytes of this PE's own heap, in whole words.
///
/// # Safety
///
/// There is such an element.
#[inline(always)]
unsafe fn read(at: *mut u8, size: usize, answer: &mut Vec<u64>) {
    // SAFETY: the caller's promise; words and half words are read whole where they are aligned, as
    // cells are.
    unsafe {
        match size {
            8 if at.addr().is_multiple_of(8) => {
                answer.push(AtomicU64::from_ptr(at.cast()).load(Ordering::Relaxed));
            }
            4 if at.addr().is_multiple_of(4) => {
                let bits = AtomicU32::from_ptr(at.cast()).load(Ordering::Relaxed);
                // The bytes of the element come first, in the order of memory.
                let mut word = [0; 8];
                word[..4].copy_from_slice(&bits.to_ne_bytes());
                answer.push(u64::from_ne_bytes(word));
            }
            _ => {
                let start = answer.len();
                answer.resize(start + words(size), 0);
                copy(answer[start..].as_mut_ptr().cast(), at, size);
            }
        }
    }
}

/// Performs the operations of a message to `pe` by single operations, and completes them; what they read
/// goes to `answer`.
///
/// # Safety
///
/// The elements live, and `answer` has room for the values.
pub(super) unsafe fn from_here(pe: usize, operations: &[u64], answer: &mut [u64]) {
    let mut at = 0;
    each_sent(operations, |sent @ Sent { kind, size, offset }, operand| {
        let to = answer[at..].as_mut_ptr().cast();
        at += sent.reply_words();
        // SAFETY: the caller's promise.
        unsafe {
            match kind {
                SentKind::Put => {
                    far::put_bytes(Mode::Blocking, Ctx::DEFAULT, pe, offset, operand.as_ptr().cast(), size);
                }
                SentKind::Fetch => {
                    let width = Width::of(size);
                    cell::write_bits(to, width, far::amo(Ctx::DEFAULT, pe, offset, width, Amo::Fetch));
                }
                SentKind::Get => far::get_bytes(Mode::NonBlocking, Ctx::DEFAULT, pe, offset, to, size),
                update => {
                    let op = update.update(operand[0]).expect("a kind of update");
                    far::update(Ctx::DEFAULT, pe, offset, Width::of(size), op);
                }
            }
        }
    });
    if at > 0 {
        runtime::get().transport().quiet(Ctx::DEFAULT);
    }
}
