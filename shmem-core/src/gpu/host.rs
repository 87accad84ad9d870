//! The back end `host`: a stream is a thread of the PE, and device memory lies in the symmetric heap.

use std::convert::Infallible;

use super::lane::{Performer, UnderWay};
use crate::remote::DeviceMemory;
use crate::remote::stream::{FetchRoom, ReadRoom, StreamWork};
use crate::runtime::context::RawContext;
use crate::system::error::Error;

/// A stream's side of this back end: where its operations queue up.
pub(super) struct HostPerformer {
    /// Dropped first, which completes its operations.
    raw: RawContext,
    under_way: UnderWay,
}

impl HostPerformer {
    pub(super) fn create() -> Result<HostPerformer, Error> {
        Ok(HostPerformer { raw: RawContext::create()?, under_way: UnderWay::default() })
    }

    /// Notes a write, which begins now.
    fn writes_to(&self, memory: &DeviceMemory) {
        let Ok(()) = self.under_way.note(memory, || {
            self.quiet();
            Ok::<(), Infallible>(())
        });
    }

    /// Completes its operations.
    fn quiet(&self) {
        self.raw.quiet();
        self.under_way.clear();
    }
}

impl Performer for HostPerformer {
    fn perform(&self, work: StreamWork) -> Result<(), String> {
        let ctx = self.raw.ctx();
        match work {
            StreamWork::Move { to, from } => {
                self.writes_to(to.memory());
                // SAFETY: the language lets only elements of one type through, and compares how many they
                // are when the move is issued. The context lives.
                unsafe { to.take(ctx, &from) };
            }
            StreamWork::Write { to, values, every } => {
                self.writes_to(to.memory());
                // SAFETY: the values are of the type of the elements, and as many or one for all, which is
                // compared when the write is issued. The context lives.
                unsafe { to.write(ctx, values.as_ptr().cast(), every) };
            }
            StreamWork::Read { from, to: ReadRoom(to) } => {
                // SAFETY: the one who issued the read waits, and has room for all elements.
                unsafe { from.read(ctx, to) };
            }
            StreamWork::Put { to, from } => {
                self.writes_to(to.memory());
                // SAFETY: who has registered the memory promises the elements, which are of the same type by
                // the type of the put, and as many, which is compared when it is issued. The context lives.
                unsafe { to.write(ctx, from.first(), false) };
            }
            StreamWork::Get { from, to } => {
                // SAFETY: as above, and there is room for them.
                unsafe { from.read(ctx, to.first()) };
            }
            StreamWork::Update { cell, op, announces } => {
                self.writes_to(cell.memory());
                if announces {
                    self.raw.fence();
                }
                // SAFETY: only one atomic cell can be updated in the language. The context lives.
                unsafe { cell.update(ctx, op) };
            }
            StreamWork::Fetch { cell, op, to } => {
                self.writes_to(cell.memory());
                // SAFETY: only one atomic cell can be fetched in the language. The context lives.
                let before = unsafe { cell.fetch(ctx, op) };
                match to {
                    FetchRoom::Elements(to) => {
                        self.writes_to(to.memory());
                        // SAFETY: the language lets only elements of the type of the cell through. The
                        // context lives.
                        unsafe { before.write(ctx, &to) };
                    }
                    // SAFETY: the one who issued the fetch waits, and has room for the value.
                    FetchRoom::Value(ReadRoom(to)) => unsafe { before.store(to) },
                }
            }
            StreamWork::Quiet => self.quiet(),
            StreamWork::Joint(work) => {
                // What the stream has written is there for the others before it meets them or waits for
                // them.
                self.quiet();
                return work.on_the_host();
            }
        }
        Ok(())
    }
}
