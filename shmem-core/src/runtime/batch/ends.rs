//! The end of a batch of PEs that send each other messages. A PE performs the messages of others until
//! all PEs of the team have completed their operations. Each of them says so to each other one.

use std::cell::RefCell;
use std::panic::Location;
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicU64, Ordering};

use super::exchange::{self, Exchange};
use crate::runtime::backoff::{Awaited, Backoff};
use crate::runtime::direct;
use crate::runtime::team::Team;
use crate::runtime::{self, Runtime};
use crate::transport::layout::{SLOTS, mail};
use crate::transport::{Amo, Ctx, Width};

/// How many PEs of the teams of each slot have ended batches, in all batches that this PE has ended. It
/// is the same for the next team of a slot.
static ENDED: [AtomicU64; SLOTS] = [const { AtomicU64::new(0) }; SLOTS];

/// The PEs of a team that have not ended a batch.
struct Others<'t> {
    runtime: &'static Runtime,
    team: &'t Team,
    /// The word that says that a PE has.
    number: u64,
}

impl Awaited for Others<'_> {
    fn text(&self) -> String {
        "the end of a batch".to_owned()
    }

    fn call(&self) -> Option<&'static str> {
        Some("batch")
    }

    fn missing(&self) -> (usize, Vec<usize>) {
        let transport = self.runtime.transport();
        let has_ended = |pe: usize| {
            let mut word = 0_u64;
            let (to, at) = ((&raw mut word).cast(), mail::ended(self.team.slot()));
            // SAFETY: a word of the runtime's part of the heap of a PE that there is.
            unsafe { transport.get(Ctx::DEFAULT, pe, at, to, size_of_val(&word)) };
            word == self.number
        };
        let missing = self.team.world_pes().filter(|pe| *pe != direct::my_pe() && !has_ended(*pe)).collect();
        (self.team.n_pes(), missing)
    }
}

/// A word of the runtime's part of this PE's heap.
fn own_word(runtime: &Runtime, offset: usize) -> &AtomicU64 {
    // SAFETY: the word is aligned, and the heap stays mapped until the process ends.
    unsafe { AtomicU64::from_ptr(runtime.own_heap().add(offset).cast()) }
}

/// Sends what is left, and waits until no other PE of the team will send any more. The barrier that
/// follows completes what the transport carries.
#[track_caller]
pub(super) fn end(
    team: &Team,
    place: &'static Location<'static>,
    exchange: Option<&RefCell<MutexGuard<'static, Exchange>>>,
) {
    let runtime = runtime::get();
    if !exchange::is_needed(runtime) {
        return;
    }
    let (endpoint, transport, me) = (runtime.endpoint(), runtime.transport(), direct::my_pe());
    if let Some(exchange) = exchange {
        exchange.borrow_mut().complete(false);
    }
    let number = team.batches.ended.fetch_add(1, Ordering::Relaxed) + 1;
    own_word(runtime, mail::ended(team.slot())).store(number, Ordering::Release);
    let at = mail::done(team.slot());
    for pe in team.world_pes().filter(|pe| *pe != me) {
        // SAFETY: a word of the runtime's part of the heap of a PE that there is.
        unsafe { transport.update(Ctx::DEFAULT, pe, at, Width::W8, Amo::Add(1)) };
    }
    let others = team.n_pes() as u64 - 1;
    let expected = ENDED[team.slot()].fetch_add(others, Ordering::Relaxed) + others;
    let done = own_word(runtime, at);
    let what = Others { runtime, team, number };
    let mut backoff = Backoff::new(endpoint, &what, Some(place));
    while done.load(Ordering::Acquire) < expected {
        if exchange.is_some_and(|exchange| exchange.borrow_mut().serve()) {
            // More may come soon: the wait begins anew.
            backoff = Backoff::new(endpoint, &what, Some(place));
        } else {
            backoff.pause();
        }
    }
}
