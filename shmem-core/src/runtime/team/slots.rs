//! The team slots of this PE.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::runtime::Runtime;
use crate::transport::closed;
use crate::transport::layout::{MAX_TEAMS, WORLD, left as left_offset};
use crate::transport::{Amo, Ctx, Endpoint, Transport, Width};

/// How many members have counted themselves out of teams of this slot whose PE 0 is `home`.
pub(crate) fn left(transport: &dyn Transport, home: usize, slot: usize) -> u32 {
    // SAFETY: the cell is in the runtime's part of the heap, aligned, and accessed by atomic
    // operations alone.
    unsafe { transport.amo(Ctx::DEFAULT, home, left_offset(slot), Width::W4, Amo::Fetch) as u32 }
}

/// The state of a slot on this PE.
#[derive(Clone, Copy)]
enum SlotState {
    Free,
    /// This PE is a member of a team in the slot.
    Taken,
    /// This PE dropped the team in a local phase, in which symmetric memory cannot be accessed. It
    /// still has to count itself out on PE `home`.
    Leaving {
        home: usize,
        all: u32,
    },
    /// This PE has counted itself out; the slot is free when the count on PE `home` reaches `all`.
    Left {
        home: usize,
        all: u32,
    },
}

/// Whether a team was dropped in a local phase and this PE has not counted itself out yet.
static LEAVING: AtomicBool = AtomicBool::new(false);

/// Counts this PE out of the teams that it dropped in a local phase. To be called after the phase.
#[inline]
pub(crate) fn settle(runtime: &Runtime) {
    if LEAVING.swap(false, Ordering::Relaxed) {
        runtime.slots().free(runtime.transport());
    }
}

/// The slots of this PE.
pub(crate) struct Slots([SlotState; MAX_TEAMS]);

impl Slots {
    /// Slots that are all free, except the world's.
    pub(crate) fn new() -> Slots {
        let mut slots = [SlotState::Free; MAX_TEAMS];
        slots[WORLD] = SlotState::Taken;
        Slots(slots)
    }

    /// A bit set with a bit for each free slot.
    pub(crate) fn free(&mut self, transport: &dyn Transport) -> u64 {
        let mut free = 0;
        for (slot, state) in self.0.iter_mut().enumerate() {
            if let SlotState::Leaving { home, all } = *state {
                *state = count_out(transport, slot, home, all);
            }
            if let SlotState::Left { home, all } = *state
                && left(transport, home, slot).wrapping_sub(all).cast_signed() >= 0
            {
                *state = SlotState::Free;
            }
            if matches!(state, SlotState::Free) {
                free |= 1 << slot;
            }
        }
        free
    }

    /// Takes a slot for a team of this PE, unless another thread has taken it for another team.
    pub(crate) fn take(&mut self, slot: usize) -> bool {
        let free = matches!(self.0[slot], SlotState::Free);
        if free {
            self.0[slot] = SlotState::Taken;
        }
        free
    }

    /// Gives back a slot that was taken and in which no team was made.
    pub(crate) fn give_back(&mut self, slot: usize) {
        self.0[slot] = SlotState::Free;
    }

    /// Counts this PE out of the team in `slot`, whose PE 0 is `home`. All members have left when
    /// the count there reaches `all`.
    pub(crate) fn leave(&mut self, endpoint: &Endpoint, slot: usize, home: usize, all: u32) {
        self.0[slot] = if closed::is_closed() {
            LEAVING.store(true, Ordering::Relaxed);
            SlotState::Leaving { home, all }
        } else if endpoint.meetings.is_over() {
            SlotState::Taken
        } else {
            count_out(endpoint.transport, slot, home, all)
        };
    }
}

fn count_out(transport: &dyn Transport, slot: usize, home: usize, all: u32) -> SlotState {
    // SAFETY: the cell is in the runtime's part of the heap, aligned, and accessed by atomic
    // operations alone.
    unsafe { transport.amo(Ctx::DEFAULT, home, left_offset(slot), Width::W4, Amo::Add(1)) };
    SlotState::Left { home, all }
}
