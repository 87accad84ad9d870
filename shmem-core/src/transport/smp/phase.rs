//! Changes of phase: how all PEs synchronise to enter and to leave a local phase, and how the heaps
//! are closed meanwhile.
//!
//! [`phase`](crate::phase) explains what a local phase is, and why these two means suffice.
//!
//! *The meeting* is in [`phase_change`](crate::transport::node::phase_change).
//!
//! *Closing the heaps.* By then the table of [`direct`](crate::runtime::direct) gives out no more
//! addresses, and transfers through the transport are refused. But another thread may hold an
//! address, and be about to use it. Where there is no other thread, nothing needs to be done. Where
//! there is one, or where the system does not tell, the pages of all heaps are made inaccessible to
//! this process. A thread that then accesses them gets a SIGSEGV, which [`fault`] explains, and the
//! job ends. Meanwhile the PE accesses its own heap in a second mapping, at an address that no
//! other thread has.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

use super::segment::Segment;
use crate::system::error::Error;
use crate::system::threads::is_only_thread;
use crate::transport::node::deadlock;
use crate::transport::node::fault;
use crate::transport::node::phase_change::PhaseMeeting;
use crate::transport::node::record::Node as _;

/// One PE's part in the changes of phase.
pub(super) struct PhaseChanges {
    segment: &'static Segment,
    pe: usize,
    changes: PhaseMeeting,
    /// Whether transfers are refused.
    closed: AtomicBool,
    /// Whether the pages of the heaps are inaccessible.
    protected: AtomicBool,
}

impl PhaseChanges {
    pub(super) fn new(segment: &'static Segment, pe: usize) -> PhaseChanges {
        let (closed, protected) = (AtomicBool::new(false), AtomicBool::new(false));
        let changes = segment.phase_changes(pe);
        PhaseChanges { segment, pe, changes, closed, protected }
    }

    /// See [`Meetings::sync_phase`](crate::transport::Meetings::sync_phase).
    pub(super) fn sync(&self) {
        self.changes.sync(|sleep, number| deadlock::change_sleeps(self.segment, sleep, self.pe, number));
    }

    /// Whether transfers are refused.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// See [`HeapAccess::refuse_transfers`](crate::transport::HeapAccess::refuse_transfers).
    /// [`close`](PhaseChanges::close) stops a transfer that has begun.
    pub(super) fn refuse_transfers(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    /// See [`HeapAccess::close`](crate::transport::HeapAccess::close).
    pub(super) fn close(&self) -> Result<NonNull<u8>, Error> {
        if is_only_thread() {
            // A thread that starts from here on sees the flag above, and the table without
            // addresses.
            return NonNull::new(self.segment.heap(self.pe))
                .ok_or_else(|| Error::Job { reason: String::from("the heap of this PE is not mapped") });
        }
        let refused = |what: &str| {
            let what = what.to_owned();
            move |source| Error::System { what, source }
        };
        let own = self
            .segment
            .second_view(self.pe)
            .map_err(refused("cannot map the symmetric heap a second time, for a local phase"))?;
        fault::explain_phase_faults(true);
        self.protected.store(true, Ordering::Relaxed);
        self.segment.protect(false).map_err(refused(
            "cannot take other threads' access to symmetric memory away for a local phase",
        ))?;
        Ok(own)
    }

    /// See [`HeapAccess::open`](crate::transport::HeapAccess::open).
    pub(super) fn open(&self) -> Result<(), Error> {
        if self.protected.swap(false, Ordering::Relaxed) {
            self.segment.protect(true).map_err(|source| Error::System {
                what: String::from("cannot give access to symmetric memory back after a local phase"),
                source,
            })?;
            fault::explain_phase_faults(false);
        }
        self.closed.store(false, Ordering::Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::os::System;
    use crate::transport::node::fault::Mapped;
    use std::sync::atomic::AtomicUsize;

    /// One value for each PE of a job; they and its memory stay until the process ends.
    fn job(n_pes: usize) -> Vec<PhaseChanges> {
        let segments = || -> Result<Vec<Segment>, Error> {
            let made = Segment::create(System::ALL[0], n_pes, 8192)?;
            let fd = || made.fd().try_clone_to_owned().expect("a descriptor is left");
            (0..n_pes).map(|pe| Segment::attach(System::ALL[0], fd(), pe, n_pes, 8192)).collect()
        };
        let segments = segments().expect("there is memory");
        segments
            .into_iter()
            .enumerate()
            .map(|(pe, own)| PhaseChanges::new(Box::leak(Box::new(own)), pe))
            .collect()
    }

    #[test]
    fn changes_meet_across_the_wrap_around() {
        for n_pes in [1, 2, 3, 7] {
            let job = job(n_pes);
            let visit = u32::MAX - 50;
            job[0].changes.set_count(visit.wrapping_mul(n_pes as u32));
            let came = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for pe in &job {
                    pe.changes.set_visits(visit);
                    let came = &came;
                    scope.spawn(move || {
                        for round in 1..=100 {
                            came.fetch_add(1, Ordering::Relaxed);
                            pe.sync();
                            let seen = came.load(Ordering::Relaxed);
                            assert!(
                                (round * n_pes..=(round + 1) * n_pes).contains(&seen),
                                "{seen} in {round}"
                            );
                        }
                    });
                }
            });
        }
    }

    #[test]
    fn the_second_view_is_of_the_same_memory() {
        let job = job(2);
        let (own, other) = (job[1].segment, job[0].segment);
        let second = own.second_view(1).expect("there is address space");
        assert_eq!(own.second_view(1).ok(), Some(second));
        let at = |base: *mut u8| base.wrapping_add(5000);
        // SAFETY: byte 5000 of a heap of 8192, in three mappings of it, by this thread alone.
        unsafe {
            at(other.heap(1)).write_volatile(7);
            own.protect(false).expect("the mapping is ours");
            assert_eq!(at(second.as_ptr()).read_volatile(), 7);
            at(second.as_ptr()).write_volatile(8);
            own.protect(true).expect("the mapping is ours");
            assert_eq!((at(own.heap(1)).read_volatile(), at(other.heap(1)).read_volatile()), (8, 8));
        }
        let address = |base: *mut u8| at(base) as usize;
        assert_eq!(own.locate(address(second.as_ptr())), Some((1, 5000)));
        assert_eq!(own.locate(address(own.heap(0))), Some((0, 5000)));
        assert!(own.contains(address(second.as_ptr())) && !own.in_heaps(address(second.as_ptr())));
        assert!(
            own.contains(own.status(0) as *const _ as usize)
                && !own.in_heaps(own.status(0) as *const _ as usize)
        );
        assert!(own.in_heaps(address(own.heap(1))) && !own.contains(address(other.heap(0))));
    }
}
