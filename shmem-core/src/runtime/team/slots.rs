//! Which slots the teams of this PE have.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::runtime::Runtime;
use crate::transport::closed;
use crate::transport::layout::{MAX_TEAMS, WORLD, left as left_offset};
use crate::transport::{Amo, Ctx, Endpoint, Transport, Width};

/// How many members have left teams of this slot whose PE 0 is `home`.
pub(crate) fn left(transport: &dyn Transport, home: usize, slot: usize) -> u32 {
    // SAFETY: the cell is in the runtime's part of the heap, aligned, and accessed by atomic
    // operations alone.
    unsafe { transport.amo(Ctx::DEFAULT, home, left_offset(slot), Width::W4, Amo::Fetch) as u32 }
}

/// What this PE knows of a slot.
#[derive(Clone, Copy)]
enum State {
    Free,
    /// This PE is a member of a team in it.
    Taken,
    /// It was, and dropped the team in a local phase, where symmetric memory is not reached: it has
    /// to count itself out on PE `home`.
    Leaving {
        home: usize,
        all: u32,
    },
    /// It was; the slot is free when so many have left, as counted on PE `home`.
    Left {
        home: usize,
        all: u32,
    },
}

/// Whether a team was dropped in a local phase, since the last one ended.
static LEAVING: AtomicBool = AtomicBool::new(false);

/// Counts this PE out of the teams that it dropped in a local phase; behind one.
#[inline]
pub(crate) fn settle(runtime: &Runtime) {
    if LEAVING.swap(false, Ordering::Relaxed) {
        runtime.slots().free(runtime.transport());
    }
}

/// The slots of this PE.
pub(crate) struct Slots([State; MAX_TEAMS]);

impl Slots {
    /// All free but the world's.
    pub(crate) fn new() -> Slots {
        let mut slots = [State::Free; MAX_TEAMS];
        slots[WORLD] = State::Taken;
        Slots(slots)
    }

    /// A bit for each slot that is free.
    pub(crate) fn free(&mut self, transport: &dyn Transport) -> u64 {
        let mut free = 0;
        for (slot, state) in self.0.iter_mut().enumerate() {
            if let State::Leaving { home, all } = *state {
                *state = count_out(transport, slot, home, all);
            }
            if let State::Left { home, all } = *state
                && left(transport, home, slot).wrapping_sub(all).cast_signed() >= 0
            {
                *state = State::Free;
            }
            if matches!(state, State::Free) {
                free |= 1 << slot;
            }
        }
        free
    }

    /// Takes a slot for a team of this PE, unless another thread has taken it for another team.
    pub(crate) fn take(&mut self, slot: usize) -> bool {
        let free = matches!(self.0[slot], State::Free);
        if free {
            self.0[slot] = State::Taken;
        }
        free
    }

    /// Gives back a slot that was taken and in which no team was made.
    pub(crate) fn give_back(&mut self, slot: usize) {
        self.0[slot] = State::Free;
    }

    /// This PE leaves the team in `slot`, whose PE 0 is `home`; all have when `all` have left
    /// there.
    pub(crate) fn leave(&mut self, endpoint: &Endpoint, slot: usize, home: usize, all: u32) {
        self.0[slot] = if closed::is_closed() {
            LEAVING.store(true, Ordering::Relaxed);
            State::Leaving { home, all }
        } else if endpoint.meetings.is_over() {
            State::Taken
        } else {
            count_out(endpoint.transport, slot, home, all)
        };
    }
}

fn count_out(transport: &dyn Transport, slot: usize, home: usize, all: u32) -> State {
    // SAFETY: the cell is in the runtime's part of the heap, aligned, and accessed by atomic
    // operations alone.
    unsafe { transport.amo(Ctx::DEFAULT, home, left_offset(slot), Width::W4, Amo::Add(1)) };
    State::Left { home, all }
}
