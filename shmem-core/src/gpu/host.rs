//! The back end `host`: a stream is a thread of the PE, and device memory lies in the symmetric heap.

use std::panic::Location;
use std::sync::Arc;

use shmem_gpu::worker::{Task, Ticket, Worker};

use crate::remote::stream::{ReadRoom, StreamLane, StreamWork};
use crate::runtime::context::RawContext;
use crate::system::error::Error;
use crate::transport::closed;

/// A stream of this back end.
pub(super) struct HostLane {
    worker: Worker,
    /// Where its operations queue up.
    context: Arc<RawContext>,
}

impl HostLane {
    /// Starts a stream.
    pub(super) fn start() -> Result<HostLane, Error> {
        let context = Arc::new(RawContext::create()?);
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
fn perform(work: StreamWork, context: &RawContext) -> Result<(), String> {
    let ctx = context.ctx();
    match work {
        StreamWork::Move { to, from } => {
            // SAFETY: the language lets only elements of one type through, and compares how many they
            // are when the move is issued. The context lives.
            unsafe { to.take(ctx, &from) };
        }
        StreamWork::Write { to, values, every } => {
            // SAFETY: the values are of the type of the elements, and as many or one for all, which is
            // compared when the write is issued. The context lives.
            unsafe { to.write(ctx, values.as_ptr().cast(), every) };
        }
        StreamWork::Read { from, to: ReadRoom(to) } => {
            // SAFETY: the one who issued the read waits, and has room for all elements.
            unsafe { from.read(ctx, to) };
        }
        StreamWork::Update { cell, op, announces } => {
            if announces {
                context.fence();
            }
            // SAFETY: only one atomic cell can be updated in the language. The context lives.
            unsafe { cell.update(ctx, op) };
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
