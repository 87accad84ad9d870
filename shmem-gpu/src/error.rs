//! The errors of GPUs and of streams.

use crate::worker::Failure;

/// An error of a GPU, of a stream, or of what is needed for them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file that the NVSHMEM back end or the compiler of kernels needs is nowhere.
    #[non_exhaustive]
    #[error("{library} is not found: searched {searched}; {remedy}")]
    Missing {
        /// The name of its file.
        library: String,
        /// Every place that was searched, and what each lacks.
        searched: String,
        /// What to do.
        remedy: String,
    },
    /// A library is there and cannot be used.
    #[non_exhaustive]
    #[error("{library} cannot be used: {reason}")]
    Unusable {
        /// Its path.
        library: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// The back end or the device that was asked for cannot be had.
    #[non_exhaustive]
    #[error("{asked}: {reason}")]
    Choice {
        /// What was asked for, as it was written.
        asked: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// Something cannot be had here.
    #[non_exhaustive]
    #[error("{what} cannot be had: {reason}")]
    Unavailable {
        /// What.
        what: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// A kernel cannot be launched so.
    #[non_exhaustive]
    #[error("{kernel} cannot be launched: {reason}")]
    Launch {
        /// The kernel.
        kernel: &'static str,
        /// Why not, and what to do.
        reason: String,
    },
    /// A kernel cannot be compiled for a GPU.
    #[non_exhaustive]
    #[error("{kernel} cannot be compiled for {architecture}: {reason}")]
    Compile {
        /// The kernel.
        kernel: String,
        /// The GPU, such as `sm_90`.
        architecture: String,
        /// What the compiler or the linker says.
        reason: String,
    },
    /// An operation of a stream has failed. The stream does nothing of what was issued after it.
    #[error("an operation of a stream has failed: {0}")]
    Stream(Failure),
}

impl Error {
    /// Which kernel cannot be launched, and why not.
    #[must_use]
    pub fn launch(kernel: &'static str, reason: String) -> Error {
        Error::Launch { kernel, reason }
    }

    /// What cannot be had, and why not.
    #[must_use]
    pub fn unavailable(what: &str, reason: String) -> Error {
        Error::Unavailable { what: what.to_owned(), reason }
    }
}
