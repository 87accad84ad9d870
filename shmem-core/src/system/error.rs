//! The errors that the crate returns to its caller.

use std::{fmt, io};

/// An error of the shmem runtime.
///
/// Variants and their fields may be added: match with `..` and a last arm for all others.
///
/// ```
/// use shmem::Error;
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     match world.zeros::<u8, 1>([1 << 60]) {
///         Err(Error::HeapExhausted { needed, total, .. }) => assert!(needed > total),
///         other => panic!("{other:?}"),
///     }
/// }
/// ```
///
/// Misuse that a program cannot sensibly continue from (an index out of bounds, a PE that does not
/// exist) panics instead, and ends the job with a report; see the documentation of each operation.
///
/// `Debug` prints what `Display` does, because that is what a `main` that returns an error shows.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An environment variable holds an invalid value.
    #[non_exhaustive]
    #[error("{variable}={value:?} is not understood: {expected}")]
    Environment {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// The valid values.
        expected: String,
    },
    /// The symmetric heap does not have enough free memory.
    #[non_exhaustive]
    #[error(
        "the symmetric heap is exhausted: {what} needs {needed} bytes on each PE, and {free} of {total} are free, in \
         pieces of at most {largest}; set SHMEM_SYMMETRIC_SIZE to more (for example SHMEM_SYMMETRIC_SIZE={suggestion})"
    )]
    HeapExhausted {
        /// The object that did not fit.
        what: String,
        /// Its size in bytes.
        needed: usize,
        /// Bytes that are not in use.
        free: usize,
        /// The largest free piece.
        largest: usize,
        /// The size of the symmetric heap in bytes.
        total: usize,
        /// A value of `SHMEM_SYMMETRIC_SIZE` that would have been enough.
        suggestion: String,
    },
    /// Extents that no memory could hold.
    #[non_exhaustive]
    #[error(
        "{what} is too large: its elements take {come_to} on each PE, more than a machine can address; {remedy}"
    )]
    Extents {
        /// The array.
        what: String,
        /// The size of its elements together.
        come_to: String,
        /// How to correct the call.
        remedy: String,
    },
    /// A distribution that the array cannot have.
    #[non_exhaustive]
    #[error("{what} cannot be divided so: {reason}")]
    Distribution {
        /// The array.
        what: String,
        /// Why not, and what to write.
        reason: String,
    },
    /// An alignment that an object in the symmetric heap cannot have.
    #[non_exhaustive]
    #[error("{what} cannot be aligned to {align} bytes: {reason}")]
    Alignment {
        /// The object.
        what: String,
        /// The alignment that was requested, or that its type has.
        align: usize,
        /// The largest possible alignment.
        largest: usize,
        /// Why it is impossible, and what to do.
        reason: String,
    },
    /// The machine does not have enough memory.
    #[non_exhaustive]
    #[error("out of memory: {what} needs {needed} bytes over all PEs, and the machine has {available} left")]
    OutOfMemory {
        /// The object that did not fit.
        what: String,
        /// Bytes over all PEs.
        needed: usize,
        /// The number of bytes that the system reports as available.
        available: usize,
    },
    /// The PEs of the job do not agree on something that must be the same on all.
    #[non_exhaustive]
    #[error("the PEs disagree: {reason}")]
    Disagreement {
        /// On what, and which PEs.
        reason: String,
    },
    /// A team cannot be made from these arguments.
    #[non_exhaustive]
    #[error("cannot make a team: {reason}")]
    Team {
        /// Why not.
        reason: String,
    },
    /// The library cannot make any more contexts.
    #[non_exhaustive]
    #[error(
        "cannot make another context: {live} are in use on this PE, which is all that the library has; drop \
         some first, or let threads share one (`team.context(Shared)`)"
    )]
    TooManyContexts {
        /// The number of contexts of this PE, without the default one.
        live: usize,
    },
    /// A call of the operating system failed.
    #[non_exhaustive]
    #[error("{what}: {source}")]
    System {
        /// What was tried, and what to do about it.
        what: String,
        /// The system's own error.
        source: io::Error,
    },
    /// A checkpoint cannot be written or restored. All PEs get the same error.
    #[non_exhaustive]
    #[error("{reason}")]
    Checkpoint {
        /// Which PE found what, and what to do.
        reason: String,
    },
    /// The job could not be started or joined.
    #[non_exhaustive]
    #[error("{reason}")]
    Job {
        /// Why not.
        reason: String,
    },
    /// A GPU, a stream, or what is needed for them, with the feature `gpu`.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] shmem_gpu::Error),
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
