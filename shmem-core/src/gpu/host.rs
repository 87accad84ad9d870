//! The back end `host`: a stream is a thread of the PE, and device memory lies in the symmetric heap.

use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

use shmem_gpu::worker::{Task, Ticket, Worker};

use crate::remote::DeviceMemory;
use crate::remote::stream::{FetchRoom, ReadRoom, StreamLane, StreamWork};
use crate::runtime::context::RawContext;
use crate::system::error::Error;
use crate::transport::closed;

/// A stream of this back end.
pub(super) struct HostLane {
    worker: Worker,
    context: Arc<LaneContext>,
}

/// Where the operations of a stream queue up.
struct LaneContext {
    /// Dropped first, which completes its operations.
    raw: RawContext,
    /// What it writes to and has not completed: arrays whose memory no other object gets before.
    under_way: Mutex<Vec<DeviceMemory>>,
}

impl LaneContext {
    /// From how many arrays on the stream completes its writes by itself, so that a program which
    /// never asks for it does not fill the heap with arrays that it has dropped.
    const MANY: usize = 64;

    /// Notes a write, which begins now and is complete after a [`quiet`](LaneContext::quiet).
    fn writes_to(&self, memory: &DeviceMemory) {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        if under_way.iter().any(|one| one.is(memory)) {
            return;
        }
        under_way.push(memory.clone());
        let are_many = under_way.len() > LaneContext::MANY;
        drop(under_way);
        if are_many {
            self.quiet();
            self.writes_to(memory);
        }
    }

    /// Completes its operations.
    fn quiet(&self) {
        self.raw.quiet();
        // Dropped outside of the lock: it may release memory.
        let complete = std::mem::take(&mut *self.under_way.lock().unwrap_or_else(PoisonError::into_inner));
        drop(complete);
    }
}

impl HostLane {
    /// Starts a stream.
    pub(super) fn start() -> Result<HostLane, Error> {
        let context = Arc::new(LaneContext { raw: RawContext::create()?, under_way: Mutex::default() });
        let worker = Worker::start().map_err(|source| Error::System {
            what: "cannot start the thread of a stream".to_owned(),
            source,
        })?;
        Ok(HostLane { worker, context })
    }

    pub(super) fn worker(&self) -> &Worker {
        &self.worker
    }

    pub(super) fn worker_mut(&mut self) -> &mut Worker {
        &mut self.worker
    }
}

impl StreamLane for HostLane {
    fn issue(&self, what: &'static str, place: &'static Location<'static>, work: StreamWork) -> Ticket {
        let context = Arc::clone(&self.context);
        let run = Box::new(move || {
            // Otherwise the first access would end the job, with a message about threads.
            if closed::is_closed() {
                return Err(
                    "the PE is in a local phase: synchronise the stream before `local_phase`".to_owned()
                );
            }
            perform(work, &context)
        });
        self.worker.issue(Task { what, place, run })
    }
}

/// Does work of a stream whose operations queue up at `context`.
fn perform(work: StreamWork, context: &LaneContext) -> Result<(), String> {
    let ctx = context.raw.ctx();
    match work {
        StreamWork::Move { to, from } => {
            context.writes_to(to.memory());
            // SAFETY: the language lets only elements of one type through, and compares how many they
            // are when the move is issued. The context lives.
            unsafe { to.take(ctx, &from) };
        }
        StreamWork::Write { to, values, every } => {
            context.writes_to(to.memory());
            // SAFETY: the values are of the type of the elements, and as many or one for all, which is
            // compared when the write is issued. The context lives.
            unsafe { to.write(ctx, values.as_ptr().cast(), every) };
        }
        StreamWork::Read { from, to: ReadRoom(to) } => {
            // SAFETY: the one who issued the read waits, and has room for all elements.
            unsafe { from.read(ctx, to) };
        }
        StreamWork::Update { cell, op, announces } => {
            context.writes_to(cell.memory());
            if announces {
                context.raw.fence();
            }
            // SAFETY: only one atomic cell can be updated in the language. The context lives.
            unsafe { cell.update(ctx, op) };
        }
        StreamWork::Fetch { cell, op, to } => {
            context.writes_to(cell.memory());
            // SAFETY: only one atomic cell can be fetched in the language. The context lives.
            let before = unsafe { cell.fetch(ctx, op) };
            match to {
                FetchRoom::Elements(to) => {
                    context.writes_to(to.memory());
                    // SAFETY: the language lets only elements of the type of the cell through. The
                    // context lives.
                    unsafe { before.write(ctx, &to) };
                }
                // SAFETY: the one who issued the fetch waits, and has room for the value.
                FetchRoom::Value(ReadRoom(to)) => unsafe { before.store(to) },
            }
        }
        StreamWork::Quiet => context.quiet(),
        StreamWork::Host(run) => {
            // What the stream has written is there for the others before it meets them or waits for
            // them.
            context.quiet();
            return run();
        }
    }
    Ok(())
}
