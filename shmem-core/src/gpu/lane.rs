//! What streams of all back ends have: a thread that does the work in order, and the memory that the
//! work still writes to.

use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

use shmem_gpu::worker::{Task, Ticket, Worker};

use crate::remote::DeviceMemory;
use crate::remote::stream::{StreamLane, StreamWork};
use crate::system::error::Error;
use crate::transport::closed;

/// A back end's side of a stream.
pub(super) trait Performer: Send + Sync + 'static {
    /// Does work, and returns when it is done on this PE. An error is the reason why it cannot be done.
    fn perform(&self, work: StreamWork) -> Result<(), String>;
}

/// A stream.
pub(super) struct Lane {
    worker: Worker,
    performer: Arc<dyn Performer>,
}

impl Lane {
    /// Starts a stream whose work `performer` does.
    pub(super) fn start(performer: impl Performer) -> Result<Lane, Error> {
        let worker = Worker::start().map_err(|source| Error::System {
            what: "cannot start the thread of a stream".to_owned(),
            source,
        })?;
        Ok(Lane { worker, performer: Arc::new(performer) })
    }

    pub(super) fn worker(&self) -> &Worker {
        &self.worker
    }

    pub(super) fn worker_mut(&mut self) -> &mut Worker {
        &mut self.worker
    }
}

impl StreamLane for Lane {
    fn issue(&self, what: &'static str, place: &'static Location<'static>, work: StreamWork) -> Ticket {
        let performer = Arc::clone(&self.performer);
        let run = Box::new(move || {
            // Otherwise the first access would end the job, with a message about threads.
            if closed::is_closed() {
                return Err(
                    "the PE is in a local phase: synchronise the stream before `local_phase`".to_owned()
                );
            }
            performer.perform(work)
        });
        self.worker.issue(Task { what, place, run })
    }
}

/// What a stream writes to and has not completed: arrays whose memory no other object gets before.
#[derive(Default)]
pub(super) struct UnderWay(Mutex<Vec<DeviceMemory>>);

impl UnderWay {
    /// From how many arrays on the stream completes its writes by itself, so that a program which
    /// never asks for it does not fill the heap with arrays that it has dropped.
    const MANY: usize = 64;

    /// Notes a write to `memory`, which begins now and is complete after a quiet. If there are many,
    /// calls `quiet`, which [clears](UnderWay::clear) them.
    pub(super) fn note<E>(
        &self,
        memory: &DeviceMemory,
        quiet: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        if self.push(memory) {
            quiet()?;
            self.push(memory);
        }
        Ok(())
    }

    /// Returns whether there are many now.
    fn push(&self, memory: &DeviceMemory) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.iter().any(|one| one.is(memory)) {
            all.push(memory.clone());
        }
        all.len() > UnderWay::MANY
    }

    /// All writes are complete.
    pub(super) fn clear(&self) {
        // Dropped outside of the lock: it may release memory.
        let complete = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        drop(complete);
    }
}
