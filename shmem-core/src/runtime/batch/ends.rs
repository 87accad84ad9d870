//! The end of a batch of PEs that send each other messages. A PE performs the messages of others until
//! all PEs of the team have completed their operations. Each of them says so to each other one.

use std::cell::RefCell;
use std::panic::Location;
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicU64, Ordering};

use super::exchange::{self, Exchange};
use crate::runtime;
use crate::runtime::backoff::{Awaited, Backoff};
use crate::runtime::direct;
use crate::runtime::team::Team;
use crate::transport::layout::{SLOTS, mail};
use crate::transport::{Amo, Ctx, Width};

/// How many PEs of the teams of each slot have ended batches, in all batches that this PE has ended. It
/// is the same for the next team of a slot.
static ENDED: [AtomicU64; SLOTS] = [const { AtomicU64::new(0) }; SLOTS];

struct Others;

impl Awaited for Others {
    fn text(&self) -> String {
        "the end of a batch".to_owned()
    }
}

/// Completes the operations of this PE, and waits until those of the team's other PEs are complete.
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
    transport.quiet(Ctx::DEFAULT);
    let at = mail::done(team.slot());
    for pe in team.world_pes().filter(|pe| *pe != me) {
        // SAFETY: a word of the runtime's part of the heap of a PE that there is.
        unsafe { transport.update(Ctx::DEFAULT, pe, at, Width::W8, Amo::Add(1)) };
    }
    transport.quiet(Ctx::DEFAULT);
    let others = team.n_pes() as u64 - 1;
    let expected = ENDED[team.slot()].fetch_add(others, Ordering::Relaxed) + others;
    // SAFETY: a word of the runtime's part of this PE's heap, which is aligned and stays mapped.
    let done = unsafe { AtomicU64::from_ptr(runtime.own_heap().add(at).cast()) };
    let mut backoff = Backoff::new(endpoint, &Others, Some(place));
    while done.load(Ordering::Acquire) < expected {
        if exchange.is_some_and(|exchange| exchange.borrow().serve()) {
            // More may come soon: the wait begins anew.
            backoff = Backoff::new(endpoint, &Others, Some(place));
        } else {
            backoff.pause();
        }
    }
}
