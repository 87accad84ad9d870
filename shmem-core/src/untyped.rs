//! The runtime without element types, for other faces than the Rust language: what a C library or a
//! device's runtime stands on. Not part of the API, and only here with the feature `untyped`.
//!
//! It knows PEs, offsets and bytes. It checks what a face cannot check, and trusts the rest to the
//! contracts of its functions.

use std::process::{Command, ExitCode};

use crate::World;
pub use crate::launch::JobOptions;
use crate::launch::{self, Program, pe};
use crate::runtime::{Runtime, direct};
use crate::system::error::Error;

/// This process as a PE of a job. [`join`] makes it, [`leave`](Member::leave) ends it; a process
/// that ends without the second has failed, and ends the job.
pub struct Member(pe::Member);

/// Makes this process a PE of the job that a launcher has started it for (`shmem_init`). After
/// [`Member::leave`] it joins another job of the same PEs, in the same memory: the heap is empty,
/// and statics keep their values. Collective.
///
/// `heap` is the size of the heap, as `SHMEM_SYMMETRIC_SIZE` has it, where neither that variable
/// nor the supervisor decides it.
///
/// # Errors
///
/// When no launcher has started this process, when it is in a job already, and when it cannot join.
/// A process that a launcher has started must end then. The job is reported as failed, with the
/// reason.
pub fn join(heap: Option<&'static str>) -> Result<Member, Error> {
    launch::join(heap).map(Member)
}

/// Starts what `command` says on each PE of a new job, and watches it to its end (`oshrun`). Returns
/// the exit status for the launcher to end with; a failure has been reported on standard error.
///
/// Of `command` the program, the arguments and the environment count. Its processes become PEs by
/// [`join`], or by `#[shmem::main]`. The environment decides before `options`, as for a program
/// that starts itself.
pub fn launch(command: &Command, options: JobOptions) -> ExitCode {
    launch::launch(Program::of(command), options)
}

impl Member {
    /// Leaves the job (`shmem_finalize`): completes all operations, waits for all PEs, and refuses
    /// every access from here on. Memory stays mapped until the process ends. Collective.
    ///
    /// # Safety
    ///
    /// Nothing that was made in the job (teams, contexts, allocations) is used or dropped
    /// afterwards, and no other thread uses symmetric memory.
    pub unsafe fn leave(self) {
        self.0.leave();
    }

    /// The number of this PE (`shmem_my_pe`).
    #[must_use]
    pub fn my_pe(&self) -> usize {
        direct::my_pe()
    }

    /// How many PEs the job has (`shmem_n_pes`).
    #[must_use]
    pub fn n_pes(&self) -> usize {
        direct::n_pes()
    }

    /// Completes this PE's puts and updates, and waits for all PEs (`shmem_barrier_all`).
    /// Collective.
    pub fn barrier_all(&self) {
        self.runtime().barrier_all();
    }

    /// The language's view of the job, for a program that has both faces.
    #[must_use]
    pub fn world(&self) -> World {
        World::new(self.runtime())
    }

    /// The runtime of this PE, for the parts of this module.
    fn runtime(&self) -> &'static Runtime {
        self.0.runtime()
    }
}
